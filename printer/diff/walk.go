package diff

import (
	"encoding/json"
	"slices"
	"strings"

	"hlolayout/hlo"
)

// computation compares the pairs of one computation of New, or adds all of it.
func (c *comparison) computation(comp *hlo.Computation) {
	p := c.toOld[comp]
	if p == nil && c.uncompared(1, comp) {
		return
	}
	for i, n := range comp.Instructions {
		if p == nil || p.toOld[i] < 0 {
			c.alone(0, n, p)
			continue
		}
		c.pair(p.Old.Instructions[p.toOld[i]], n)
	}
}

func (c *comparison) removed() {
	for _, comp := range c.Old.Computations {
		p := c.toNew[comp]
		if p == nil && c.uncompared(0, comp) {
			continue
		}
		for i, o := range comp.Instructions {
			if p == nil || p.toNew[i] < 0 {
				c.alone(1, o, p)
			}
		}
	}
}

// uncompared counts a computation without a partner where a text is cut: it may come after the end of the other.
func (c *comparison) uncompared(side int, comp *hlo.Computation) bool {
	if !c.partial() {
		return false
	}
	c.r.Uncompared[side]++
	return true
}

// alone notes an instruction that one side (0 new, 1 old) has; p is the pair of its computation, nil for none.
func (c *comparison) alone(side int, in *hlo.Instruction, p *ComputationPair) {
	list := [2]*[]OpGroup{&c.r.Added, &c.r.Removed}[side]
	k := opKey{in.OpName(), in.Shape, !c.memory[in.Computation]}
	at, ok := c.ops[side][k]
	if !ok {
		at = len(*list)
		c.ops[side][k] = at
		*list = append(*list, OpGroup{Op: k.op, Shape: in.Shape, Inside: k.inside})
	}
	(*list)[at].Values = append((*list)[at].Values, in)
	if b := c.body(p); b != nil {
		if side == 0 {
			b.Added = append(b.Added, in)
		} else {
			b.Removed = append(b.Removed, in)
		}
	}
}

func (c *comparison) pair(o, n *hlo.Instruction) {
	c.r.Pairs++
	c.names(o, n)
	c.leaves(o, n)
	if what := c.differences(o, n); len(what) > 0 {
		c.pending = append(c.pending, difference{o, n, what})
	}
}

// changedPair notes a pair that differs in more than its layouts.
func (c *comparison) changedPair(d difference) {
	if slices.Equal(d.what, []string{"kernel"}) {
		return // Kernels has it
	}
	// its type is the interface's
	if n := d.new; n == c.entries[1].root || n.Opcode == hlo.OpParameter && n.Computation.IsEntry() {
		d.what = slices.DeleteFunc(slices.Clone(d.what), func(w string) bool { return w == "type" })
		if len(d.what) == 0 {
			return
		}
	}
	var settings []string
	if slices.Contains(d.what, "backend_config") {
		settings = settingsOf(d.old.Attr("backend_config"), d.new.Attr("backend_config"))
	}
	text := strings.Join(append(slices.Clone(settings), d.what...), ",")
	k := changeKey{d.new.OpName(), text, !c.memory[d.new.Computation]}
	at, ok := c.changed[k]
	if !ok {
		at = len(c.r.Changed)
		c.changed[k] = at
		c.r.Changed = append(c.r.Changed, ChangeGroup{Op: k.op, What: d.what, Settings: settings, Inside: k.inside})
	}
	g := &c.r.Changed[at]
	g.Old, g.New = append(g.Old, d.old), append(g.New, d.new)
	if b := c.body(c.toOld[d.new.Computation]); b != nil {
		if g.Compiled() {
			b.Compiled = append(b.Compiled, d.new)
		} else {
			b.Changed = append(b.Changed, d.new)
		}
	}
}

// settingsOf returns the outermost keys of two JSON texts whose values differ, sorted; nil if one is not JSON.
func settingsOf(old, new *hlo.Value) (out []string) {
	if old == nil || new == nil {
		return nil
	}
	var a, b map[string]json.RawMessage
	if json.Unmarshal([]byte(old.Text), &a) != nil || json.Unmarshal([]byte(new.Text), &b) != nil {
		return nil
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || string(v) != string(w) {
			out = append(out, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}
