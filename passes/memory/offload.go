package memory

import (
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/plan"
)

// offloads makes programs of another unit (SparseCore) start as the compiler starts them: the first of a computation
// after its parameters, each other one once the one before has its operands, which it is given where it stood. What a
// program has until then is in memories of that unit (all 700 of v5p, v6e and v7x: testdata/memory/v7x.gather).
func (w *writer) offloads(p *plan.Plan) {
	for _, c := range w.a.g.comps {
		list := c.c.Instructions
		parameters := slices.IndexFunc(list, func(in *hlo.Instruction) bool { return in.Opcode != hlo.OpParameter })
		after := list[max(parameters, 1)-1]
		for _, in := range list {
			state := w.state(in)
			uses := w.a.e.usesOf(in)
			if state == nil || len(uses) != 1 || uses[0].User.Opcode != hlo.OpAsyncDone {
				continue
			}
			done := uses[0].User
			update := &hlo.Instruction{Name: w.name(in.Name + ".update"), Opcode: hlo.OpAsyncUpdate,
				Operands: []*hlo.Instruction{in}, Shape: in.Shape, Pos: none, Attrs: []hlo.Attr{
					{Key: hlo.InstructionAttr("output_to_operand_aliasing"), Value: sameState(kept)}}}
			if config := done.Attr("backend_config"); config != nil {
				update.Attrs = append(update.Attrs, hlo.Attr{Key: hlo.InstructionAttr("backend_config"), Value: config})
			}
			p.Edits = append(p.Edits, plan.Edit{Computation: c.c, New: []*hlo.Instruction{update}, After: in,
				Targets: []plan.Target{{User: done}}, Reason: plan.Reason{Rule: "a program of another unit gets its operands"}})
			p.Splits = append(p.Splits, plan.Split{Start: in, Update: update, After: after, State: state, Shared: kept})
			after = in
		}
	}
}

// shareBandwidth leaves copies four fifths of the time until a program of another unit has its operands: it starts with
// the computation (see offloads), and from then on the compiler takes it to use the memory. (Its log has these times on
// v7x for all instructions of nine models.)
func (e *engine) shareBandwidth(resources []float32) {
	var shared int32 // the time up to which they are shared
	for t := range e.g.nodes {
		if startsOffload(e.g.nodes[t].in) {
			for i := max(shared, e.g.comps[e.g.nodes[t].comp].start); i < int32(t); i++ {
				resources[i] *= .8
			}
			shared = int32(t)
		}
	}
}

// startsOffload reports whether an instruction starts a program of SparseCore.
func startsOffload(in *hlo.Instruction) bool {
	thread := in.Attr("async_execution_thread")
	return in.Opcode == hlo.OpAsyncStart && len(in.Operands) > 0 && thread != nil && thread.Text == `"sparsecore"`
}

// kept is how many elements of a program's state it has until it is done: HBM to work in, semaphores, arguments.
const kept = 7

// state is what a program of another unit has before its operands; nil where in does not start one. The spaces are the
// compiler's, the sizes of the memory to work in and of the arguments those that most programs of a kind have.
func (w *writer) state(in *hlo.Instruction) *hlo.Shape {
	config := in.Attr("backend_config")
	if !startsOffload(in) || !in.Shape.IsTuple() || len(in.Shape.Elems) != 2 || config == nil {
		return nil
	}
	work, arguments, result := int64(8192), int64(len(in.Operands)), in.Shape.Elems[1]
	switch gathers := strings.Contains(config.Text, `"OFFLOAD_GATHER"`); {
	case gathers && w.a.t.Name == "v5p":
		work, arguments = 32768, 5
	case gathers:
		work, arguments = 16384, 5
	case !strings.Contains(config.Text, `"OFFLOAD_SCATTER"`):
		return nil
	case result.IsArray() && result.DType.Class() == hlo.ClassFloat:
		arguments += 9
	}
	array := func(n, space, tile int64) *hlo.Shape {
		l := &hlo.Layout{MinorToMajor: []int{0}, MemorySpace: space}
		if tile > 0 {
			l.Tiles = []hlo.Tile{{tile}}
		}
		if n == 128 {
			l.TailPadding = n
		}
		return w.a.m.Intern(hlo.NewArray(hlo.S32, []int64{n}, l))
	}
	sync, local := array(0, spaceSyncFlag, 0), array(0, 4, 1)
	return w.a.m.Intern(hlo.NewTuple(array(work, 0, 1024), array(25, 11, 1), array(0, 12, 1), array(12, 8, 0),
		array(arguments, 10, 0), array(0, 0, 0), array(0, 0, 0), array(128, 4, 1), array(1, spaceSyncFlag, 0),
		local, sync, local, sync))
}

// sameState returns the attribute that says that n elements of a state are its operand's.
func sameState(n int) *hlo.Value {
	v := &hlo.Value{Kind: hlo.ListValue, Open: '{'}
	var text []string
	for i := range n {
		at := *hlo.IntsOf([]int{2, i})
		from := hlo.Value{Kind: hlo.ListValue, Open: '(', Elems: []hlo.Value{{Kind: hlo.IntValue, Text: "0"}, at}}
		v.Elems = append(v.Elems, at, hlo.Value{Kind: hlo.PunctValue, Text: ":"}, from)
		text = append(text, at.Text+": (0, "+at.Text+")")
	}
	v.Text = "{" + strings.Join(text, ", ") + "}"
	return v
}
