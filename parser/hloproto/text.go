package hloproto

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// The text may be this many times as long as the dump, beyond a free number of bytes: sixteen bits print as up to 64
// bytes in s1, and what an instruction shares with others is printed with each.
const (
	maxTextGrowth = 64
	freeText      = 64 << 20
)

// writer prints one module. Errors end the printing by a panic with a *failure, which textOf catches.
type writer struct {
	out   []byte
	limit int // length that the text must not exceed
	m     *hlopb.HloModuleProto
	comps []*computation // in the order of their ids
	byID  map[int64]*computation
	entry *computation

	frames stackFrames

	comp *computation // being printed
	in   *instruction
}

// textOf returns the module as XLA prints it, with percent signs, signatures and large constants.
func textOf(m *hlopb.HloModuleProto, size int) (text []byte, err error) {
	w := &writer{m: m, limit: min(freeText+maxTextGrowth*size, parser.MaxBytes)}
	defer catch(&err)
	w.out = make([]byte, 0, size+size/2)
	w.link()
	w.internFrames()
	order := w.computationOrder()
	w.header()
	w.frames.print(w)
	w.text("\n")
	for _, c := range order {
		w.computation(c)
	}
	return w.out, nil
}

func (w *writer) text(s string) { w.out = append(w.out, s...) }
func (w *writer) int(n int64)   { w.out = strconv.AppendInt(w.out, n, 10) }

// list prints n items with commas between them.
func (w *writer) list(n int, sep string, item func(i int)) {
	for i := range n {
		if i > 0 {
			w.text(sep)
		}
		item(i)
	}
}

// ints prints {1,2,3}.
func (w *writer) ints(ns []int64) {
	w.text("{")
	w.bare(ns)
	w.text("}")
}

// bare prints 1,2,3.
func (w *writer) bare(ns []int64) { w.list(len(ns), ",", func(i int) { w.int(ns[i]) }) }

// quote prints a string in double quotes, escaped as C does: bytes outside of ASCII in octal.
func (w *writer) quote(s string) {
	w.text(`"`)
	for i := range len(s) {
		switch c := s[i]; c {
		case '\n':
			w.text(`\n`)
		case '\r':
			w.text(`\r`)
		case '\t':
			w.text(`\t`)
		case '"', '\'', '\\':
			w.out = append(w.out, '\\', c)
		default:
			if c < ' ' || c > '~' {
				w.out = append(w.out, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
			} else {
				w.out = append(w.out, c)
			}
		}
	}
	w.text(`"`)
}

// plain prints a string in double quotes, unescaped as XLA prints thread and instruction names; one that would not read
// back is escaped.
func (w *writer) plain(s string) {
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' || s[i] == 0 {
			w.quote(s)
			return
		}
	}
	w.text(`"`)
	w.text(s)
	w.text(`"`)
}

// float prints a number as C's %g does: six significant digits.
func (w *writer) float(f float64) { w.out = strconv.AppendFloat(w.out, f, 'g', 6, 64) }

func (w *writer) header() {
	w.text("HloModule ")
	w.text(sanitize(w.m.Name, "module"))
	for _, a := range [...]struct {
		key   string
		value func() bool
	}{
		{"is_scheduled", func() bool { w.text("true"); return w.m.Schedule != nil }},
		{"input_output_alias", w.inputOutputAlias},
		{"buffer_donor", w.bufferDonor},
		{"entry_computation_layout", w.entryLayout},
		{"frontend_attributes", func() bool { return w.frontendAttributes(w.m.GetFrontendAttributes().GetMap()) }},
		{"origin_recovery_table", w.recoveryTable},
		{"debug_attributes", w.debugAttributes},
	} {
		w.attribute(a.key, a.value)
	}
	w.text("\n")
}

// attribute prints `, key=` and the value, or nothing where value returns false.
func (w *writer) attribute(key string, value func() bool) {
	start := len(w.out)
	w.text(", ")
	w.text(key)
	w.text("=")
	if !value() {
		w.out = w.out[:start]
	}
}

func (w *writer) inputOutputAlias() bool {
	entries := slices.Clone(w.m.GetInputOutputAlias().GetEntries())
	slices.SortStableFunc(entries, func(a, b *hlopb.HloInputOutputAliasProto_AliasEntryProto) int {
		return slices.Compare(a.OutputShapeIndex, b.OutputShapeIndex)
	})
	w.text("{ ")
	w.list(len(entries), ", ", func(i int) {
		e := entries[i]
		w.ints(e.OutputShapeIndex)
		w.text(": (")
		w.int(e.ParameterNumber)
		w.text(", ")
		w.ints(e.ParameterShapeIndex)
		if e.Kind == hlopb.Kind_MAY_ALIAS {
			w.text(", may-alias)")
		} else {
			w.text(", must-alias)")
		}
	})
	w.text(" }")
	return len(entries) > 0
}

func (w *writer) bufferDonor() bool {
	entries := slices.Clone(w.m.GetBufferDonor().GetEntries())
	slices.SortStableFunc(entries, func(a, b *hlopb.HloBufferDonorProto_BufferDonorEntryProto) int {
		return cmp.Or(cmp.Compare(a.ParameterNumber, b.ParameterNumber),
			slices.Compare(a.ParameterShapeIndex, b.ParameterShapeIndex))
	})
	w.text("{ ")
	w.list(len(entries), ", ", func(i int) {
		w.text("(")
		w.int(entries[i].ParameterNumber)
		w.text(", ")
		w.ints(entries[i].ParameterShapeIndex)
		w.text(")")
	})
	w.text(" }")
	return len(entries) > 0
}

// entryLayout prints the layouts that the module's config was made from, or those of the entry computation.
func (w *writer) entryLayout() bool {
	var params []*hlo.Shape
	var result *hlo.Shape
	if p := w.m.HostProgramShape; p != nil {
		for i, s := range p.Parameters {
			params = append(params, w.shape(s, spot{nil, "host_program_shape.parameters", i}))
		}
		result = w.shape(p.Result, spot{nil, "host_program_shape.result", -1})
	} else {
		for _, p := range w.entry.parameters {
			params = append(params, w.result(w.entry.list[p]))
		}
		result = w.result(w.entry.list[w.entry.root])
	}
	w.text("{")
	w.out = hlo.NewTuple(params...).Append(w.out, true)
	w.text("->")
	w.out = result.Append(w.out, true)
	w.text("}")
	return true
}

// recoveryTable prints origin_recovery_table over several lines, the modules in it as strings.
func (w *writer) recoveryTable() bool {
	entries := w.m.GetOriginalValueRecoveryTable().GetEntries()
	w.text("{\n")
	for i, e := range entries {
		w.text("  ")
		w.originalArray(e.OldOriginalArray)
		w.text(" : ")
		w.originalArray(e.NewOriginalArray)
		if e.RecoveryModule != nil {
			text, err := textOf(e.RecoveryModule, 0)
			if err != nil {
				f := err.(*failure)
				f.path = element("original_value_recovery_table.entries", i) + ".recovery_module." + f.path
				panic(f)
			}
			w.text(",\n  \"\n")
			for _, line := range bytes.SplitAfter(text, []byte("\n")) {
				if len(line) > 1 {
					w.text("    ")
				}
				w.text(recoveryEscapes.Replace(string(line)))
			}
			w.text("\n  \"")
		}
		w.text("\n")
	}
	w.text("}\n")
	return len(entries) > 0
}

var recoveryEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

var logModes = map[hlopb.DebugAttributesProto_DebugLogModeProto]string{
	hlopb.DebugAttributesProto_DEFAULT: "default", hlopb.DebugAttributesProto_FUSION_DEBUGGER: "fusion_debugger",
	hlopb.DebugAttributesProto_NO_FUSION: "no_fusion", hlopb.DebugAttributesProto_GUARANTEED: "guaranteed",
}

// debugAttributes prints what newer XLA reads; the order of the keys is that of the table there.
func (w *writer) debugAttributes() bool {
	entries := w.m.DebugAttributes
	w.text("{")
	w.list(len(entries), ", ", func(i int) {
		e := entries[i]
		w.originalArray(e.OriginalArray)
		w.text(":(")
		w.list(len(e.DebugAttributes), ", ", func(k int) {
			d := e.DebugAttributes[k]
			w.text("{")
			start := len(w.out)
			sep := func(key string) {
				if len(w.out) > start {
					w.text(", ")
				}
				w.text(key)
			}
			if mode := logModes[d.LogMode]; mode != "" {
				sep("log_mode=")
				w.text(mode)
			}
			if d.CallbackId != 0 {
				sep("callback_id=")
				w.int(d.CallbackId)
			}
			if d.Partitioned {
				sep("partitioned=true")
			}
			if d.OpId != 0 {
				sep("op_id=")
				w.int(d.OpId)
			}
			w.text("}")
		})
		w.text(")")
	})
	w.text("}")
	return len(entries) > 0
}

func (w *writer) computation(c *computation) {
	w.comp = c
	if c == w.entry {
		w.text("ENTRY ")
	}
	w.text("%")
	w.text(c.name)
	w.text(" (")
	w.list(len(c.parameters), ", ", func(i int) {
		p := c.list[c.parameters[i]]
		w.text(p.name)
		w.text(": ")
		w.out = w.result(p).Append(w.out, false)
	})
	w.text(") -> ")
	w.out = w.result(c.list[c.root]).Append(w.out, false)
	w.text(" {\n")
	for _, i := range c.order() {
		if w.instruction(c.list[i], i == c.root); len(w.out) > w.limit {
			panic(&failure{c.path(), CodeLimits, "the module's text would be more than " + strconv.Itoa(w.limit) +
				" bytes long"})
		}
	}
	w.text("}")
	if t := c.ExecutionThread; t != "" && t != "main" {
		w.text(", execution_thread=")
		w.plain(t)
	}
	w.text("\n\n")
}

func (w *writer) instruction(in *instruction, root bool) {
	w.in = in
	if w.text("  "); root {
		w.text("ROOT ")
	}
	w.text("%")
	w.text(in.name)
	w.text(" = ")
	w.out = w.result(in).Append(w.out, true)
	w.text(" ")
	wrapped := w.wrapped(in)
	if wrapped != nil {
		w.text(wrapped.Opcode)
		w.text(asyncSuffix[in.Opcode])
	} else {
		w.text(in.Opcode)
	}
	w.text("(")
	switch leaf := in.Opcode == "constant" || in.Opcode == "parameter"; {
	case leaf && len(in.operands) > 0:
		failf(in.path()+".operand_ids", "a %s has no operands", in.Opcode)
	case in.Opcode == "constant":
		w.constant(in)
	case leaf:
		w.int(in.ParameterNumber)
	default:
		w.list(len(in.operands), ", ", func(i int) {
			w.out = hlo.AppendIndexComment(w.out, i)
			w.text("%")
			w.text(w.comp.list[in.operands[i]].name)
		})
	}
	w.text(")")
	w.attributes(in, wrapped)
	w.text("\n")
}
