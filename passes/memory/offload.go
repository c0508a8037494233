package memory

import (
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/plan"
)

// offloads makes programs of another unit (SparseCore) start where the compiler starts them (see offloadsOf). They are
// given their operands where they stood. What a program has until then is in memories of that unit (all 700 gathers and
// scatters of v5p, v6e and v7x, and 97 collectives of v7x: testdata/memory/v7x.gather and v7x.offloaded).
func (w *writer) offloads(p *plan.Plan) {
	for _, c := range w.a.g.comps {
		for _, o := range w.a.g.offloadsOf(c.c) {
			in := o.start
			state := w.state(in)
			uses := w.a.e.usesOf(in)
			if state == nil || len(uses) != 1 || uses[0].User.Opcode != hlo.OpAsyncDone {
				continue
			}
			done := uses[0].User
			update := &hlo.Instruction{Name: w.name(updateName(in.Name)), Opcode: hlo.OpAsyncUpdate,
				Operands: []*hlo.Instruction{in}, Shape: in.Shape, Pos: none, Attrs: []hlo.Attr{
					{Key: hlo.InstructionAttr("output_to_operand_aliasing"), Value: sameState(kept)}}}
			if config := done.Attr("backend_config"); config != nil {
				update.Attrs = append(update.Attrs, hlo.Attr{Key: hlo.InstructionAttr("backend_config"), Value: config})
			}
			p.Edits = append(p.Edits, plan.Edit{Computation: c.c, New: []*hlo.Instruction{update}, After: in,
				Targets: []plan.Target{{User: done}}, Reason: plan.Reason{Rule: "a program of another unit gets its operands"}})
			p.Splits = append(p.Splits, plan.Split{Start: in, Update: update, After: o.after, State: state, Shared: kept})
		}
	}
}

// offload is what starts a program of another unit, and the instruction after which that begins.
type offload struct{ start, after *hlo.Instruction }

// offloadsOf returns the programs of another unit in a computation. The first begins after the parameters, each other
// one once the one before has its operands, or what called that has run.
func (g *graph) offloadsOf(c *hlo.Computation) (list []offload) {
	if !slices.ContainsFunc(c.Instructions, startsOffload) {
		return nil
	}
	after := c.Instructions[0]
	for _, in := range c.Instructions {
		if in.Opcode == hlo.OpParameter {
			after = in
		}
	}
	for _, in := range c.Instructions {
		if startsOffload(in) {
			list = append(list, offload{in, after})
		}
		if g.offloads(in) {
			after = in
		}
	}
	return list
}

// offloads reports whether an instruction, or one in what it calls, starts a program of another unit.
func (g *graph) offloads(in *hlo.Instruction) bool {
	return startsOffload(in) || slices.ContainsFunc(in.Sequential(), func(c *hlo.Computation) bool {
		if c == nil {
			return false
		}
		found, seen := g.offloading[c]
		if !seen {
			g.offloading[c] = false // a computation that calls itself is refused later
			found = slices.ContainsFunc(c.Instructions, g.offloads)
			g.offloading[c] = found
		}
		return found
	})
}

// idle gives a program of another unit times at which no instruction of the schedule runs: one where it begins (see
// offloadsOf), and for itself, before it has its operands, as many as it has, and one more. (So are all times in the
// compiler's log of 27 programs for v7x.)
func (g *graph) idle(at int32, program *hlo.Instruction, times int, inner bool) {
	for range times {
		g.nodes = append(g.nodes, node{in: idling, comp: at, program: program, inner: inner})
	}
}

// idling is the instruction of such times: it makes nothing.
var idling = &hlo.Instruction{Opcode: hlo.OpParameter, Parameter: none, Shape: hlo.NewTuple()}

// shown returns the instruction of a time, that of a program where it has the time to itself.
func (n *node) shown() *hlo.Instruction {
	if n.program != nil {
		return n.program
	}
	return n.in
}

// updateName returns the name of what gives a program its operands.
func updateName(start string) string {
	if base, ok := strings.CutSuffix(start, "-start"); ok {
		return base + "-update"
	}
	return start + ".update"
}

// shareBandwidth leaves copies four fifths of the time from the beginning of a program of another unit (see offloadsOf)
// until it has its operands: the compiler takes it to use the memory. (Its log has these times on v5p and v7x for all
// instructions of eight programs with constants before the parameters.)
func (e *engine) shareBandwidth(resources []float32) {
	var shared int32 // the time up to which they are shared
	begins := e.g.beginsOfOffloads()
	for t := range e.g.nodes {
		if in := e.g.nodes[t].in; startsOffload(in) {
			for i := max(shared, begins[in]); i <= int32(t); i++ {
				resources[i] *= .8
			}
			shared = int32(t) + 1
		}
	}
}

// beginsOfOffloads returns the times at which programs of another unit begin, by what starts them (see idle).
func (g *graph) beginsOfOffloads() map[*hlo.Instruction]int32 {
	begins := map[*hlo.Instruction]int32{}
	for t := range g.nodes {
		if nd := &g.nodes[t]; nd.program != nil && !nd.inner {
			begins[nd.program] = int32(t)
		}
	}
	return begins
}

// startsOffload reports whether an instruction starts a program of SparseCore.
func startsOffload(in *hlo.Instruction) bool {
	thread := in.Attr("async_execution_thread")
	return in.Opcode == hlo.OpAsyncStart && len(in.Operands) > 0 && thread != nil && thread.Text == `"sparsecore"`
}

// kept is how many elements of a program's state it has until it is done: HBM to work in, semaphores, arguments.
const kept = 7

// begunParts is how many parts that take memory, tuples among them, a program has before it has its operands;
// givenParts how many more than any asynchronous operation it has from then on.
const begunParts, givenParts = 8, 6

// state is what a program of another unit has before its operands; nil where in does not start one. The spaces are the
// compiler's; sizes are those that most programs of a kind have, of collectives those in groups of eight (which is
// wrong for other groups: with two or four the numbers are smaller).
func (w *writer) state(in *hlo.Instruction) *hlo.Shape {
	if !startsOffload(in) || !in.Shape.IsTuple() || len(in.Shape.Elems) != 2 {
		return nil
	}
	if _, has := w.a.t.Space(spaceRegisters); !has { // the program is for another generation
		return nil
	}
	of, ok := w.a.g.stateSizes(in, w.a.e.dev)
	if !ok {
		return nil
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
	return w.a.m.Intern(hlo.NewTuple(array(of.work, 0, 1024), array(of.registers, spaceRegisters, 1), array(0, 12, 1),
		array(of.semaphores, 8, 0), array(of.arguments, 10, 0), array(0, 0, 0), array(0, 0, 0), array(128, 4, 1),
		array(1, spaceSyncFlag, 0), local, sync, local, sync))
}

// spaceRegisters is a space that only generations with SparseCore have.
const spaceRegisters = 11

// stateSizes are the numbers of 32-bit words in the parts of a program's state: HBM to work in, what is in spaces 11, 8
// and 10.
type stateSizes struct{ work, registers, semaphores, arguments int64 }

// collectiveSizes are those of collectives in groups of eight; of reductions work is what it has in addition to three
// quarters of the operand.
var collectiveSizes = map[hlo.Opcode]stateSizes{
	hlo.OpAllGather:     {8192, 69, 109, 0},
	hlo.OpAllReduce:     {8192, 83, 191, 3},
	hlo.OpReduceScatter: {8192, 161, 319, 3},
}

// bytes returns how many bytes the parts of a state take.
func (s *stateSizes) bytes() int64 { return 4 * (s.work + s.registers + s.semaphores + s.arguments) }

// stateSizes returns the sizes of the state of the program that in starts.
func (g *graph) stateSizes(in *hlo.Instruction, dev *device) (s stateSizes, ok bool) {
	v := in.Attr("backend_config")
	if v == nil || !in.Shape.IsTuple() || len(in.Shape.Elems) < 2 {
		return s, false
	}
	config, result := v.Text, in.Shape.Elems[1]
	s = stateSizes{8192, 25, 12, int64(len(in.Operands))}
	switch {
	case strings.Contains(config, `"OFFLOAD_GATHER"`):
		s.work, s.arguments = dev.gatherWork, 5
		return s, true
	case strings.Contains(config, `"OFFLOAD_DATA_FORMATTING"`): // a copy into other tiles (7 of 7 of two programs, v7x)
		s.work, s.arguments = 16384, 3
		return s, true
	case strings.Contains(config, `"OFFLOAD_SCATTER"`):
		if result.IsArray() && result.DType.Class() == hlo.ClassFloat {
			s.arguments += 9
		}
		return s, true
	case strings.Contains(config, `"OFFLOAD_COLLECTIVE"`):
		op := innermost(in)
		if s, ok = collectiveSizes[op]; ok && op != hlo.OpAllGather {
			s.work += g.info(in.Operands[0].Shape).total / 4 * 3 / 4
		}
		return s, ok
	}
	return s, false
}

// innermost returns the opcode of what an asynchronous operation computes, through the calls that it is wrapped in.
func innermost(in *hlo.Instruction) hlo.Opcode {
	for depth := 0; len(in.Called()) == 1 && in.Called()[0].Root != nil && depth < maxCalls; depth++ {
		if in.Opcode != hlo.OpAsyncStart && in.Opcode != hlo.OpCall {
			break
		}
		in = in.Called()[0].Root
	}
	return in.Opcode
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
