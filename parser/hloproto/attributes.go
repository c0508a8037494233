package hloproto

import (
	"slices"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// attributes prints everything after the operands. An async instruction in its short form has the attributes of the
// instruction it runs between its own.
func (w *writer) attributes(in, wrapped *instruction) {
	op, _ := hlo.ParseOpcode(in.Opcode)
	names := ownAttributes()[op]
	seen := map[string]bool(nil)
	if in.Opcode == "async-start" && wrapped != nil {
		w.own(in, []string{"async_execution_thread"}, nil)
		inner, _ := hlo.ParseOpcode(wrapped.Opcode)
		seen = map[string]bool{}
		w.own(wrapped, ownAttributes()[inner], seen)
		w.common(wrapped, seen)
		names = []string{"output_to_operand_aliasing"}
	} else if wrapped != nil || in.Opcode == "async-update" || in.Opcode == "async-done" {
		names = nil
	}
	w.own(in, names, seen)
	w.common(in, seen)
	w.trailing(in)
}

// ownAttributes holds the attributes of each opcode in print order; for an opcode that is not known, some that many
// have.
var ownAttributes = sync.OnceValue(func() map[hlo.Opcode][]string {
	m := map[hlo.Opcode][]string{}
	for _, op := range hlo.Opcodes() {
		m[op], _ = op.Attrs()
	}
	m[hlo.OpUnknown] = []string{"channel_id", "dimensions", "calls"}
	return m
})

// own prints the attributes of those names but for the ones already seen.
func (w *writer) own(in *instruction, names []string, seen map[string]bool) {
	for _, name := range names {
		if value := valueOf(name); value != nil && !seen[name] {
			w.attribute(name, func() bool {
				has := value(w, in)
				if has && seen != nil {
					seen[name] = true
				}
				return has
			})
		}
	}
}

func (in *instruction) dot() *hlopb.DotDimensionNumbers {
	if in.Opcode == "ragged-dot" {
		return in.RaggedDotDimensionNumbers.GetDotDimensionNumbers()
	}
	return in.DotDimensionNumbers
}

func (w *writer) parameterReplication(in *instruction) bool {
	leaves := in.ParameterReplication.GetReplicatedAtLeafBuffers()
	w.text("{")
	w.list(len(leaves), ",", func(i int) { w.text(boolText(leaves[i])) })
	w.text("}")
	return len(leaves) > 0
}

// channelID prints a positive id; the field that held it in messages of before 2020 counts too.
func (w *writer) channelID(in *instruction) bool {
	id := in.ChannelId
	if id <= 0 && strings.HasPrefix(in.Opcode, "all-reduce") {
		id = in.AllReduceId
	}
	w.int(id)
	return id > 0
}

// dimensions prints always, but for the two exchanges, which may have none.
func (w *writer) dimensions(in *instruction) bool {
	w.ints(in.Dimensions)
	_, known := hlo.ParseOpcode(in.Opcode)
	return len(in.Dimensions) > 0 || known && in.Opcode != "all-to-all" && in.Opcode != "ragged-all-to-all"
}

func (w *writer) firstDimension(in *instruction) bool {
	if len(in.Dimensions) > 0 {
		w.int(in.Dimensions[0])
	} else if in.Opcode == "iota" {
		failf(in.path()+".dimensions", "an iota has one")
	}
	return len(in.Dimensions) > 0
}

func (w *writer) sourceTargetPairs(in *instruction) bool {
	w.text("{")
	w.list(len(in.SourceTargetPairs), ",", func(i int) {
		p := in.SourceTargetPairs[i]
		w.ints([]int64{p.Source, p.Target})
	})
	w.text("}")
	return true
}

// sliceSizes prints those of a gather, or of a collective-permute within larger buffers: one list for each slice, which
// the message holds consecutively. A list is as long as the rank of the buffer it is about; a buffer has as many
// slices as operand 2 has indices for it.
func (w *writer) sliceSizes(in *instruction) bool {
	if in.Opcode == "gather" {
		w.ints(in.GatherSliceSizes)
		return true
	}
	rest := in.DynamicSliceSizes
	if len(rest) == 0 {
		return false
	}
	var ranks []int
	if len(in.operands) == 4 {
		input, starts := in.comp.list[in.operands[0]].Shape, in.comp.list[in.operands[2]].Shape
		buffers := []*hlopb.ShapeProto{input}
		if len(input.GetTupleShapes()) > 0 {
			buffers = input.TupleShapes
		}
		for i, b := range buffers {
			of := starts
			if len(buffers) > 1 || len(input.GetTupleShapes()) > 0 {
				of = nil
				if i < len(starts.GetTupleShapes()) {
					of = starts.TupleShapes[i]
				}
			}
			slices := 1
			if n := len(of.GetTupleShapes()); n > 0 && of.TupleShapes[0].GetElementType() == hlopb.PrimitiveType_TUPLE {
				slices = n
			}
			for range slices {
				ranks = append(ranks, len(b.GetDimensions()))
			}
		}
	}
	w.text("{")
	for i := 0; len(rest) > 0; i++ {
		n := len(rest)
		if i < len(ranks) {
			n = min(n, max(ranks[i], 1))
		}
		if i > 0 {
			w.text(",")
		}
		w.ints(rest[:n])
		rest = rest[n:]
	}
	w.text("}")
	return true
}

func (w *writer) slice(in *instruction) bool {
	strides := slices.ContainsFunc(in.SliceDimensions, func(d *hlopb.HloInstructionProto_SliceDimensions) bool {
		return d.Stride != 1
	})
	w.text("{")
	w.list(len(in.SliceDimensions), ", ", func(i int) {
		d := in.SliceDimensions[i]
		w.text("[")
		w.int(d.Start)
		w.text(":")
		w.int(d.Limit)
		if strides {
			w.text(":")
			w.int(d.Stride)
		}
		w.text("]")
	})
	w.text("}")
	return true
}

func (w *writer) padding(in *instruction) bool {
	dims := in.PaddingConfig.GetDimensions()
	interior := slices.ContainsFunc(dims, func(d *hlopb.PaddingConfig_PaddingConfigDimension) bool {
		return d.InteriorPadding != 0
	})
	w.list(len(dims), "x", func(i int) {
		w.int(dims[i].EdgePaddingLow)
		w.text("_")
		w.int(dims[i].EdgePaddingHigh)
		if interior {
			w.text("_")
			w.int(dims[i].InteriorPadding)
		}
	})
	return true
}

func (w *writer) isAssociative(in *instruction) bool {
	w.text(boolText(in.IsAssociative == hlopb.TriState_TRI_STATE_TRUE))
	return in.IsAssociative != hlopb.TriState_TRI_STATE_UNSPECIFIED
}

// comparisonType prints the type where it is not the one that follows from the operands' element type.
func (w *writer) comparisonType(in *instruction) bool {
	usual := "UNSIGNED"
	if len(in.operands) > 0 {
		switch dtypes()[in.comp.list[in.operands[0]].Shape.GetElementType()].Class() {
		case hlo.ClassFloat, hlo.ClassComplex:
			usual = "FLOAT"
		case hlo.ClassSigned:
			usual = "SIGNED"
		}
	}
	return word(func(in *instruction) string { return in.ComparisonType })(w, in) && in.ComparisonType != usual
}

func (w *writer) prefetchIndex(in *instruction) bool {
	w.int(int64(in.GetCrossProgramPrefetchIndex()))
	return in.OptionalCrossProgramPrefetchIndex != nil || in.IsCrossProgramPrefetch
}

func (w *writer) operandLayouts(in *instruction) bool {
	w.text("{")
	w.list(len(in.OperandShapesWithLayout), ", ", func(i int) {
		w.out = w.shape(in.OperandShapesWithLayout[i], spot{in, "operand_shapes_with_layout", i}).Append(w.out, true)
	})
	w.text("}")
	return in.ConstrainLayout
}

func (w *writer) outputAliasing(in *instruction) bool {
	w.text("{")
	w.list(len(in.OutputOperandAliasing), ", ", func(i int) {
		a := in.OutputOperandAliasing[i]
		w.ints(a.OutputShapeIndex)
		w.text(": (")
		w.int(a.OperandIndex)
		w.text(", ")
		w.ints(a.OperandShapeIndex)
		w.text(")")
	})
	w.text("}")
	return len(in.OutputOperandAliasing) > 0
}

// domain prints the shardings on the two sides. The message says entry and exit as the operand sees them, the text as
// the users do (asked of XLA).
func (w *writer) domain(in *instruction) bool {
	w.text(`{kind="sharding", entry=`)
	w.sharding(in.DomainExitSharding)
	w.text(", exit=")
	w.sharding(in.DomainEntrySharding)
	w.text("}")
	return true
}
