package memory

import (
	"slices"

	"hlolayout/hlo"
)

// turned returns how many bytes of a parameter of a fusion with a product are read, bytes where it stays as it is. A
// copy that lays it out anew reads it in windows of what it makes, with the numbers and the padding of that, in
// inner fusions, too; what else these make of it, in other numbers or dimensions, reads it as it is. (So it is of
// 1,028 of 1,029 parameters that become another array, in one window, in the compiler's log of 92 programs for v6e
// and v7x, of 943 when the order of dimensions decided.) Of several slices the largest counts. Of what has a sum or
// maximum of whole rows in it, as softmax, one tile of the rows is counted of what that is made of. (Of 5,288
// operands of products in one window 5,241 are so, in the log of 38 programs, 5,077 without that. With several
// slices 46 more products of 45 other programs for v7x have the log's bytes, with masks and rows 10 more of 17
// training steps for v6e and v7x.)
func (c *cost) turned(f *fusedCost, p *hlo.Instruction, bytes int64) int64 {
	full, uses := c.v.g.info(p.Shape).total, f.uses.Of(p)
	if n := c.largestSlice(uses, p); n > 0 {
		return n
	}
	if len(uses) != 1 || !p.Shape.IsArray() {
		return bytes
	}
	u, k := uses[0].User, int(uses[0].Operand)
	inner, q := c.inside(u, k)
	softmax := inner != nil && inner.spread && f.feedsProduct(u)
	switch {
	case softmax && c.spreadRows(u, k):
		return full / tileRows(p.Shape)
	case inner != nil && !softmax && inner.nested(q):
		return c.turned(inner, q, bytes)
	case bytes != full || u.Opcode != hlo.OpCopy && inner == nil || !u.Shape.IsArray():
		return bytes
	}
	to := c.v.g.info(u.Shape)
	switch {
	case to.elements() != c.v.g.info(p.Shape).elements():
		return bytes
	case u.Opcode == hlo.OpCopy:
		return to.total
	case softmax && inner.feedsSweep(q):
		return bytes / tileRows(u.Shape)
	}
	return bytes
}

// nested reports whether only slices, copies and fusions read a value.
func (f *fusedCost) nested(p *hlo.Instruction) bool {
	return len(f.uses.Of(p)) > 0 && f.onlyReadBy(p, hlo.OpSlice, hlo.OpCopy, hlo.OpFusion)
}

// feedsSweep reports whether a sum or maximum of whole rows reads a value, or what is made of it.
func (f *fusedCost) feedsSweep(p *hlo.Instruction) bool {
	return f.spreads(p) || slices.ContainsFunc(f.uses.Of(p), func(u hlo.Use) bool { return f.spreads(u.User) })
}

// feedsProduct reports whether a product takes what an instruction makes, and nothing else does.
func (f *fusedCost) feedsProduct(in *hlo.Instruction) bool {
	uses := f.uses.Of(in)
	return len(uses) == 1 && uses[0].User.Opcode == hlo.OpConvolution
}

// tileRows returns how many tiles an array has along its second-minor dimension.
func tileRows(s *hlo.Shape) int64 {
	l := s.Layout
	if l == nil || len(l.MinorToMajor) != len(s.Dims) || len(s.Dims) < 2 || len(l.Tiles) == 0 || len(l.Tiles[0]) != 2 {
		return 1
	}
	rows := max(l.Tiles[0][0], 1)
	return max(1, (s.Dims[l.MinorToMajor[1]]+rows-1)/rows)
}

func oneRow(s *hlo.Shape) bool {
	_, second := minorDims(s)
	return second >= 0 && s.Dims[second] == 1
}

// largestSlice returns the bytes of the largest of the slices that use a value, 0 if one of the users takes more.
func (c *cost) largestSlice(uses []hlo.Use, p *hlo.Instruction) (n int64) {
	for _, u := range uses {
		if u.User.Opcode != hlo.OpSlice {
			return 0
		}
		n = max(n, c.takenBy(u.User, p))
	}
	return n
}

// spreadRows reports whether a fusion, and those in it, only broadcast operand k and leave its rows rows.
func (c *cost) spreadRows(in *hlo.Instruction, k int) bool {
	inner, p := c.inside(in, k)
	if inner == nil {
		return false
	}
	uses := inner.uses.Of(p)
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(u hlo.Use) bool {
		broadcast := u.User.Opcode == hlo.OpBroadcast && keepsRows(u.User)
		return !broadcast && (u.User.Opcode != hlo.OpFusion || !c.spreadRows(u.User, int(u.Operand)))
	})
}
