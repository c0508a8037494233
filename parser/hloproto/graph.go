package hloproto

import (
	"cmp"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// computation is a computation of the message with its references resolved.
type computation struct {
	*hlopb.HloComputationProto
	at         int // place in the message
	name       string
	list       []*instruction // in the order of their ids
	root       int32
	parameters []int32 // by parameter number
	sequence   []int32 // the schedule; nil where there is none
	isCalled   bool    // some instruction names it
}

// instruction is an instruction of the message with its references resolved to places in its computation.
type instruction struct {
	*hlopb.HloInstructionProto
	comp               *computation
	at                 int   // place in the message
	place              int32 // in the computation's list
	name               string
	operands, controls []int32
	called             []*computation
}

func (c *computation) path() string { return element("computations", c.at) + " (" + c.name + ")" }

func (in *instruction) path() string {
	return element("computations", in.comp.at) + "." + element("instructions", in.at) + " (" + in.name + ")"
}

// sanitize returns the name as XLA takes it from a message: with `_` for what names cannot hold (XLA's
// NameUniquer::GetSanitizedName).
func sanitize(name, ifEmpty string) string {
	if name == "" {
		return ifEmpty
	}
	bad := func(i int, c byte) bool {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		return !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '.' || c == '-'))
	}
	for i := range len(name) {
		if bad(i, name[i]) {
			b := []byte(name)
			for k := i; k < len(b); k++ {
				if bad(k, b[k]) {
					b[k] = '_'
				}
			}
			name = string(b)
			break
		}
	}
	if d, ok := hlo.ParseDType(name); ok && d.String() == name {
		name += "_"
	}
	if strings.HasPrefix(name, "__") && !strings.HasPrefix(name, "__xla_") {
		name = "a" + name[1:]
	}
	return name
}

// link resolves the ids of the message.
func (w *writer) link() {
	w.byID = make(map[int64]*computation, len(w.m.Computations))
	names := map[string]int{}
	for i, p := range w.m.Computations {
		c := &computation{HloComputationProto: p, at: i, name: sanitize(p.Name, "")}
		if c.name == "" {
			failf(element("computations", i)+".name", "a computation needs a name")
		}
		if first, ok := names[c.name]; ok {
			failf(c.path(), "%s has this name too", element("computations", first))
		}
		if w.byID[p.Id] != nil {
			failf(c.path()+".id", "%s has the id %d too", element("computations", w.byID[p.Id].at), p.Id)
		}
		names[c.name] = i
		w.byID[p.Id] = c
		w.comps = append(w.comps, c)
	}
	// XLA puts computations and instructions into the order of their ids when it reads a message.
	slices.SortFunc(w.comps, func(a, b *computation) int { return cmp.Compare(a.Id, b.Id) })
	if len(w.comps) == 0 {
		failf("computations", "the module has none")
	}
	for _, c := range w.comps {
		w.linkComputation(c)
	}
	w.findEntry()
	sequences := w.m.GetSchedule().GetSequences()
	for _, c := range w.comps {
		if s := sequences[c.Id]; s != nil {
			c.schedule(s.InstructionIds)
		}
	}
}

// localID is the part of an instruction's id that tells it from others of its computation; newer XLA puts the
// computation's into the upper half, and takes ids without it too.
func localID(id int64) uint32 { return uint32(id) }

func (w *writer) linkComputation(c *computation) {
	names := make(map[string]int, len(c.Instructions))
	arena := make([]instruction, len(c.Instructions))
	for i, p := range c.Instructions {
		in := &arena[i]
		*in = instruction{HloInstructionProto: p, comp: c, at: i, name: sanitize(p.Name, "")}
		c.list = append(c.list, in)
		if in.name == "" {
			failf(in.path()+".name", "an instruction needs a name")
		}
		if first, ok := names[in.name]; ok {
			failf(in.path(), "%s has this name too", element("instructions", first))
		}
		if !isWord([]byte(p.Opcode)) || p.Opcode == "" {
			failf(in.path()+".opcode", "%q is not an opcode", p.Opcode)
		}
		names[in.name] = i
	}
	slices.SortStableFunc(c.list, func(a, b *instruction) int { return cmp.Compare(a.Id, b.Id) })
	ids := make(map[uint32]int32, len(c.list))
	for i, in := range c.list {
		if first, ok := ids[localID(in.Id)]; ok {
			failf(in.path()+".id", "%s has the id %d too", c.list[first].name, in.Id)
		}
		in.place = int32(i)
		ids[localID(in.Id)] = in.place
	}
	if len(c.list) == 0 {
		failf(c.path()+".instructions", "a computation needs an instruction")
	}
	root, ok := ids[localID(c.RootId)]
	if !ok {
		failf(c.path()+".root_id", "no instruction has the id %d", c.RootId)
	}
	c.root = root
	for _, in := range c.list {
		in.operands = in.resolve("operand_ids", in.OperandIds, ids)
		in.controls = in.resolve("control_predecessor_ids", in.ControlPredecessorIds, ids)
		for i, id := range in.CalledComputationIds {
			callee := w.byID[id]
			if callee == nil {
				failf(in.path()+"."+element("called_computation_ids", i), "no computation has the id %d", id)
			}
			callee.isCalled = true
			in.called = append(in.called, callee)
		}
		if in.Opcode == "parameter" {
			c.addParameter(in)
		}
	}
	for n, p := range c.parameters {
		if p < 0 {
			failf(c.path(), "no instruction is parameter %d of %d", n, len(c.parameters))
		}
	}
}

func (c *computation) addParameter(in *instruction) {
	n := in.ParameterNumber
	if n < 0 || n >= int64(len(c.list)) {
		failf(in.path()+".parameter_number", "%d is not a parameter number in a computation of %d instructions", n,
			len(c.list))
	}
	for int64(len(c.parameters)) <= n {
		c.parameters = append(c.parameters, -1)
	}
	if first := c.parameters[n]; first >= 0 {
		failf(in.path()+".parameter_number", "%s is parameter %d too", c.list[first].name, n)
	}
	c.parameters[n] = in.place
}

func (in *instruction) resolve(field string, ids []int64, places map[uint32]int32) []int32 {
	if len(ids) == 0 {
		return nil
	}
	out := make([]int32, len(ids))
	for i, id := range ids {
		place, ok := places[localID(id)]
		if !ok {
			failf(in.path()+"."+element(field, i), "no instruction of the computation has the id %d", id)
		}
		out[i] = place
	}
	return out
}

func (w *writer) findEntry() {
	w.entry = w.byID[w.m.EntryComputationId]
	if w.entry == nil { // messages of before 2018 have the name only
		for _, c := range w.comps {
			if c.Name == w.m.EntryComputationName {
				w.entry = c
			}
		}
	}
	if w.entry == nil {
		failf("entry_computation_id", "no computation has the id %d or the name %q", w.m.EntryComputationId,
			w.m.EntryComputationName)
	}
}

// schedule sets the order of a scheduled computation.
func (c *computation) schedule(ids []int64) {
	path := "schedule.sequences (" + c.name + ")"
	places := make(map[uint32]int32, len(c.list))
	for i, in := range c.list {
		places[localID(in.Id)] = int32(i)
	}
	if len(ids) != len(c.list) {
		failf(path, "%d instructions are scheduled, and the computation has %d", len(ids), len(c.list))
	}
	seen := make([]bool, len(c.list))
	c.sequence = make([]int32, len(ids))
	for i, id := range ids {
		place, ok := places[localID(id)]
		if !ok || seen[place] {
			failf(path+"."+element("instruction_ids", i), "%d is not the id of an instruction, or is there twice", id)
		}
		seen[place] = true
		c.sequence[i] = place
	}
}

// order returns the places of the instructions in the order in which XLA prints them: the
// schedule; without one, from each instruction without users the post-order of a depth-first search, control
// predecessors before operands and the last of them first.
func (c *computation) order() []int32 {
	order := c.sequence
	if order == nil {
		order = c.postOrder()
	}
	place := make([]int32, len(c.list))
	for i, at := range order {
		place[at] = int32(i) + 1
	}
	for _, at := range order {
		for i, o := range c.list[at].operands {
			if place[o] == 0 || place[o] >= place[at] {
				failf(c.list[at].path()+"."+element("operand_ids", i), "%s is not defined before it", c.list[o].name)
			}
		}
	}
	if len(order) < len(c.list) {
		failf(c.path()+".instructions", "%d instructions depend on themselves", len(c.list)-len(order))
	}
	return order
}

func (c *computation) postOrder() []int32 {
	used := make([]bool, len(c.list))
	for _, in := range c.list {
		for _, o := range in.operands {
			used[o] = true
		}
	}
	const (
		unseen = iota
		open
		done
	)
	state := make([]uint8, len(c.list))
	order := make([]int32, 0, len(c.list))
	var stack []int32
	for i := range c.list {
		if used[i] {
			continue
		}
		stack = append(stack, int32(i))
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			if state[top] != unseen {
				stack = stack[:len(stack)-1]
				if state[top] == open {
					order = append(order, top)
				}
				state[top] = done
				continue
			}
			state[top] = open
			in := c.list[top]
			for k := len(in.operands) - 1; k >= 0; k-- {
				stack = append(stack, in.operands[k])
			}
			stack = append(stack, in.controls...)
		}
	}
	return order
}

// asyncSuffix is what the short form of an async instruction ends in.
var asyncSuffix = map[string]string{"async-start": "-start", "async-update": "-update", "async-done": "-done"}

// wrapped returns the instruction that an async instruction runs where XLA prints the short form: when the computation
// consists of parameters and the root only. That of an update or done is its start's.
func (w *writer) wrapped(in *instruction) *instruction {
	if asyncSuffix[in.Opcode] == "" {
		return nil
	}
	for len(in.called) == 0 && in.Opcode != "async-start" && len(in.operands) > 0 && in.operands[0] < in.place {
		in = in.comp.list[in.operands[0]]
	}
	if len(in.called) != 1 {
		return nil
	}
	c := in.called[0]
	for i, inner := range c.list {
		if int32(i) != c.root && inner.Opcode != "parameter" {
			return nil
		}
	}
	return c.list[c.root]
}

// computationOrder returns the computations that are printed, in XLA's order: from each one
// that none calls, in the order of their ids, those it reaches, callees first, then itself. XLA queues all that an
// instruction calls before it looks into the first of them, so it may print one after its caller; where it would, a
// plain depth-first search takes the place of XLA's. The bodies of short async forms are left out.
func (w *writer) computationOrder() []*computation {
	order, ok := w.callOrder(true)
	if !ok {
		order, _ = w.callOrder(false)
	}
	hidden := map[*computation]bool{}
	for _, c := range w.comps {
		for _, in := range c.list {
			if inner := w.wrapped(in); inner != nil {
				hidden[inner.comp] = true
			}
		}
	}
	return slices.DeleteFunc(order, func(c *computation) bool { return hidden[c] })
}

// callOrder returns all computations by XLA's rule, or by the plain one; ok is false if one follows its caller.
func (w *writer) callOrder(xla bool) (order []*computation, ok bool) {
	const (
		unseen = iota
		queued
		open
		done
	)
	state := map[*computation]int{}
	type frame struct {
		c    *computation
		next int
	}
	ok = true
	for _, root := range w.comps {
		if root.isCalled {
			continue
		}
		stack := []frame{{c: root}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			c := top.c
			if top.next == 0 {
				if state[c] == done { // queued twice
					stack = stack[:len(stack)-1]
					continue
				}
				state[c] = open
			}
			if top.next == len(c.list) {
				state[c] = done
				order = append(order, c)
				stack = stack[:len(stack)-1]
				continue
			}
			in := c.list[top.next]
			top.next++
			for i := len(in.called) - 1; i >= 0; i-- {
				callee := in.called[i]
				switch {
				case state[callee] == open:
					failf(in.path()+"."+element("called_computation_ids", i), "%s calls itself", callee.name)
				case state[callee] == queued && xla:
					ok = false
				case state[callee] != done:
					state[callee] = queued
					stack = append(stack, frame{c: callee})
				}
			}
		}
	}
	for _, c := range w.comps {
		if state[c] != done {
			failf(c.path(), "%s calls itself", c.name)
		}
	}
	return order, ok
}
