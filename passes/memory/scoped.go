package memory

import "hlolayout/hlo"

// reserve holds each instruction's scratch memory, at the same offset for all, and that of what comes after the
// program. Nothing is placed before it.
func (e *engine) reserve() {
	for t := range e.g.nodes {
		size := min(e.scratch(int32(t)), e.dev.limit)
		if size > 0 {
			e.hold(none, chunk{int32(t), int32(t), 0, size})
		}
	}
	n := int32(len(e.g.nodes))
	e.hold(none, chunk{n, n, 0, min(afterwards, e.dev.limit)})
	e.commit()
}

// afterwards is what is kept free at the end for the code that comes after the program (the compiler's log, on all 24
// programs).
const afterwards = 32 * mib

// reserved returns the bytes of the fast space that a module says that an instruction keeps for itself; ok is false
// where it says nothing of any space.
func (d *device) reserved(in *hlo.Instruction) (size int64, ok bool) {
	list, ok := in.Reservations()
	for _, r := range list {
		if r.Space == d.space {
			size += min(r.Size, d.limit)
		}
	}
	return min(size, d.limit), ok
}

// scratch is the size of the windows of its operands and results that an instruction keeps. The compiler writes it into
// the scheduled module before it places anything (scoped_memory_configs: on all 1271 instructions of the corpus that
// have one it is what the final module has). Where a module has none, it is a share of the memory that grows with what
// is moved, in steps of 1/80; those steps are a guess that fits most of the compiler's log.
func (e *engine) scratch(t int32) int64 {
	g, in := e.g, e.g.nodes[t].shown()
	if size, ok := e.dev.reserved(in); ok {
		return size
	}
	if free(in.Opcode) {
		return 0
	}
	const whole = 64 * mib
	share := func(f float64) int64 { return int64(whole * f) }
	bytes := int64(0)
	for _, o := range in.Operands {
		bytes = max(bytes, g.info(o.Shape).total)
	}
	bytes = max(bytes, g.info(in.Shape).total)
	kind := fusionKind(in)
	switch {
	case in.Opcode == hlo.OpFusion && kind == "kOutput":
		moved := float64(e.c.total[t])
		switch {
		case moved < 3e6:
			return share(.125)
		case moved < 6e6:
			return share(.3)
		}
		return share(.47)
	case in.Opcode == hlo.OpFusion && kind == "kLoop", in.Opcode == hlo.OpCopy, in.Opcode == hlo.OpConvert,
		in.Opcode == hlo.OpSlice,
		in.Opcode == hlo.OpNegate, in.Opcode == hlo.OpReshape:
		switch {
		case in.Shape.IsScalar() && in.Opcode != hlo.OpFusion:
			return share(.5)
		case bytes < 250_000:
			return share(.0875)
		case in.Opcode == hlo.OpCopy:
			return share(.34)
		}
		return share(.26)
	}
	return share(.5)
}

// fusionKind returns the kind of a fusion, such as kLoop.
func fusionKind(in *hlo.Instruction) string {
	if k := in.Attr("kind"); k != nil {
		return k.Text
	}
	return ""
}
