package verify

import (
	"strings"

	"hlolayout/hlo"
)

// origin fails unless the origin tree of in has the tuples of its shape (HloVerifier's VerifyOriginalValue).
func (c *checker) origin(in *hlo.Instruction) {
	v := in.Attr("origin")
	if v == nil || strings.Contains(v.Text, "synthetic_call") {
		return
	}
	tree := &hlo.Value{Kind: hlo.ListValue, Open: '('} // origin={} stands for {()}
	if len(v.Elems) > 0 {
		tree = &v.Elems[0]
	}
	if tree.Kind == hlo.ListValue && !sameTuples(tree, in.Shape) {
		c.add(in, VER410, "origin=%s does not have the tuple structure of its shape, %s", v.Text, bare(in.Shape))
	}
}

func sameTuples(tree *hlo.Value, s *hlo.Shape) bool {
	if tree.Open != '(' || !s.IsTuple() {
		return (tree.Open == '(') == s.IsTuple()
	}
	if len(tree.Elems) != len(s.Elems) {
		return false
	}
	for i, e := range s.Elems {
		if !sameTuples(&tree.Elems[i], e) {
			return false
		}
	}
	return true
}

// shardings fails unless a loop or conditional and its roots and parameters are sharded alike, where they
// are sharded (HloVerifier's VerifyConsistentSharding).
func (c *checker) shardings(in *hlo.Instruction) {
	group := []*hlo.Instruction{in}
	for _, comp := range in.Called() {
		if comp.Root != nil && (in.Opcode == hlo.OpConditional || comp == in.CalledBy("body")) {
			group = append(group, comp.Root)
		}
		if ps := comp.Parameters(); in.Opcode == hlo.OpWhile && len(ps) == 1 && ps[0] != nil {
			group = append(group, ps[0])
		}
	}
	var first *hlo.Instruction
	for _, g := range group {
		v := g.Attr("sharding")
		switch {
		case v == nil:
		case first == nil:
			first = g
		case !shardedAlike(v, first.Attr("sharding")):
			c.add(in, VER403, "%%%s has sharding=%s, but %%%s has sharding=%s", first.Name, first.Attr("sharding").Text,
				g.Name, v.Text)
			return
		}
	}
}

// shardedAlike compares what two shardings say without spelling: the kind, and the device of a maximal one. The tiled
// ones are taken for equal, as there are many ways to write one.
func shardedAlike(a, b *hlo.Value) bool {
	x, y := shardingKind(a), shardingKind(b)
	return x == "" || y == "" || x == y
}

func shardingKind(v *hlo.Value) string {
	if len(v.Elems) > 0 && v.Elems[0].Kind == hlo.ListValue {
		kind := shardingKind(&v.Elems[0])
		for i := 1; i < len(v.Elems); i++ {
			if shardingKind(&v.Elems[i]) != kind {
				return ""
			}
		}
		return kind
	}
	for i := range v.Elems {
		switch t := v.Elems[i].Text; t {
		case "replicated", "manual", "unknown", "unreduced":
			return t
		case "maximal":
			if d := v.Get("device"); d != nil {
				return "maximal " + d.Text
			}
		case "devices":
			return "tiled"
		case "mesh", "last_tile_dim_replicate":
			return ""
		}
	}
	return ""
}
