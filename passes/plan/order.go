package plan

import (
	"slices"

	"hlolayout/hlo"
)

// edit applies the edits of one computation: it rewires the targets, lets loops carry more, drops tuples and elements
// that nothing uses any more, and puts the new instructions into the text.
func edit(c *hlo.Computation, edits []*Edit, carries []*Carry, splits []*Split, drops []*hlo.Instruction,
	scheduled bool) {
	unused := unusedBefore(c)
	old := c.Instructions
	size := len(old)
	for _, e := range edits {
		size += len(e.New)
	}
	order := make([]*hlo.Instruction, 0, size)
	inOrder := !scheduled && slices.Equal(postOrder(order, old, sources(c.Root, old, unused)), old)
	all := append(make([]*hlo.Instruction, 0, size), old...) // new instructions are numbered after the old ones
	var replaced []*hlo.Instruction
	root := c.Root
	for _, e := range edits {
		for _, n := range e.New {
			n.Computation, n.Index = c, int32(len(all))
			all = append(all, n)
		}
		last := e.Existing
		if len(e.New) > 0 {
			last = e.New[len(e.New)-1]
		}
		for _, t := range e.Targets {
			if t.User == nil {
				replaced = append(replaced, c.Root)
				c.Root = last
				continue
			}
			replaced = append(replaced, t.User.Operands[t.Operand])
			t.User.Operands = slices.Clone(t.User.Operands)
			t.User.Operands[t.Operand] = last
		}
	}
	for _, l := range carries {
		l.append(c)
	}
	for _, s := range splits {
		s.apply(c.Module)
	}
	alive := dropUnused(c, all, replaced, drops)

	isOrdered := false
	if !scheduled {
		roots := sources(nil, old, unused)
		if root == c.Root {
			// The root keeps its place among the instructions without users.
			roots = sources(root, old, unused)
		} else {
			roots = append(slices.DeleteFunc(roots, func(in *hlo.Instruction) bool { return in == root }), c.Root)
		}
		roots = slices.DeleteFunc(roots, func(in *hlo.Instruction) bool { return !alive[in.Index] })
		order = postOrder(order, all, roots)
		isOrdered = inOrder || keepsOrder(order, old, alive)
	}
	if !isOrdered {
		order = beforeUsers(order, all, old, alive, edits, splits)
	}
	c.Instructions = order
	c.Renumber()
}

// sources lists the instructions without users, and the root, in the order of the text.
func sources(root *hlo.Instruction, list []*hlo.Instruction, unused []bool) (out []*hlo.Instruction) {
	for _, in := range list {
		if unused[in.Index] || in == root {
			out = append(out, in)
		}
	}
	return out
}

func unusedBefore(c *hlo.Computation) []bool {
	out := make([]bool, len(c.Instructions))
	for i := range out {
		out[i] = true
	}
	for _, in := range c.Instructions {
		for _, o := range in.Operands {
			out[o.Index] = false
		}
	}
	return out
}

// dropUnused says which instructions stay: all but the tuples, elements, bitcasts, barriers and drops that lost their
// last use. What control-predecessors name stays, as in XLA, which removes nothing that has control dependencies.
func dropUnused(c *hlo.Computation, all, replaced, drops []*hlo.Instruction) (alive []bool) {
	alive = make([]bool, len(all))
	uses := make([]int32, len(all))
	awaited := map[string]bool{}
	for i, in := range all {
		alive[i] = true
		for _, o := range in.Operands {
			uses[o.Index]++
		}
		for name := range in.Attr("control-predecessors").Names() {
			awaited[name] = true
		}
	}
	for len(replaced) > 0 {
		in := replaced[len(replaced)-1]
		replaced = replaced[:len(replaced)-1]
		if uses[in.Index] > 0 || in == c.Root || !alive[in.Index] || awaited[in.Name] ||
			in.Opcode != hlo.OpTuple && in.Opcode != hlo.OpGetTupleElement && in.Opcode != hlo.OpBitcast &&
				in.Opcode != hlo.OpOptBarrier && !slices.Contains(drops, in) {
			continue
		}
		alive[in.Index] = false
		for _, o := range in.Operands {
			uses[o.Index]--
			replaced = append(replaced, o)
		}
	}
	return alive
}

// postOrder returns the instructions that roots reach, operands first, depth first (as XLA prints a computation), in
// out's room.
func postOrder(out, all, roots []*hlo.Instruction) []*hlo.Instruction {
	out = out[:0]
	done := make([]bool, len(all))
	type frame struct {
		in   *hlo.Instruction
		next int
	}
	var stack []frame
	for _, r := range roots {
		if done[r.Index] {
			continue
		}
		done[r.Index] = true
		stack = append(stack, frame{in: r})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.next == len(f.in.Operands) {
				out = append(out, f.in)
				stack = stack[:len(stack)-1]
				continue
			}
			o := f.in.Operands[f.next]
			f.next++
			if !done[o.Index] {
				done[o.Index] = true
				stack = append(stack, frame{in: o})
			}
		}
	}
	return out
}

// keepsOrder reports whether all old instructions that stay are there, in their old order.
func keepsOrder(order, old []*hlo.Instruction, alive []bool) bool {
	want := int32(0)
	for _, in := range order {
		if int(in.Index) >= len(old) {
			continue
		}
		for int(want) < len(old) && !alive[want] {
			want++
		}
		if in.Index != want {
			return false
		}
		want++
	}
	for int(want) < len(old) && !alive[want] {
		want++
	}
	return int(want) == len(old)
}

// beforeUsers keeps the old order and puts each new instruction where its edit says or directly before its first user,
// a new root last. It uses out's room.
func beforeUsers(out, all, old []*hlo.Instruction, alive []bool, edits []*Edit, splits []*Split) []*hlo.Instruction {
	behind := map[*hlo.Instruction][]*hlo.Instruction{}
	for _, e := range edits {
		if e.After != nil {
			behind[e.After] = append(behind[e.After], e.New...)
		}
	}
	for _, s := range splits {
		behind[s.After] = append(behind[s.After], s.Start)
	}
	out = out[:0]
	placed := make([]bool, len(all))
	var put func(in *hlo.Instruction)
	put = func(in *hlo.Instruction) { // recursion is as deep as an edit's chain of new instructions
		if placed[in.Index] {
			return
		}
		placed[in.Index] = true
		for _, o := range in.Operands {
			put(o)
		}
		out = append(out, in)
	}
	for i, in := range old {
		if alive[i] {
			put(in)
		}
		for _, n := range behind[in] {
			put(n)
		}
	}
	for _, in := range all[len(old):] {
		if alive[in.Index] {
			put(in)
		}
	}
	return out
}
