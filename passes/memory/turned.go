package memory

import (
	"slices"

	"hlolayout/hlo"
)

// turned returns how many bytes of a parameter of a fusion with a product are read, bytes where it stays as it is. A
// copy or an inner fusion that lays it out anew reads it in windows of what it makes, with the padding of that. Of what
// has a sum or maximum of whole rows in it, as softmax, one tile of the rows is counted. (So it is of 5,241 of 5,288
// operands of products in one window, in the compiler's log of 38 programs for v6e and v7x, 5,077 without that; of the
// others many are of strided convolutions.)
func (c *cost) turned(f *fusedCost, p *hlo.Instruction, bytes int64) int64 {
	full := c.v.g.info(p.Shape).total
	uses := f.uses.Of(p)
	if len(uses) != 1 || !p.Shape.IsArray() {
		return bytes
	}
	u := uses[0].User
	if n := c.largestSlice(u, int(uses[0].Operand)); n > 0 {
		return n
	}
	if bytes != full {
		return bytes
	}
	if u.Opcode != hlo.OpCopy && u.Opcode != hlo.OpFusion || !u.Shape.IsArray() {
		return bytes
	}
	to := c.v.g.info(u.Shape)
	if inner := c.fusion(u); inner != nil && inner.spread && f.feedsProduct(u) && c.spreadRows(u, int(uses[0].Operand)) {
		return bytes / tileRows(p.Shape)
	}
	if to.elements() != c.v.g.info(p.Shape).elements() {
		return bytes
	}
	if slices.Equal(inOrder(u.Shape), inOrder(p.Shape)) {
		if inner := c.fusion(u); inner != nil && inner.spread && f.feedsProduct(u) {
			return bytes / tileRows(u.Shape)
		}
		return to.total / int64(max(u.Shape.DType.Bits(), 8)) * int64(max(p.Shape.DType.Bits(), 8))
	}
	return to.total
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

// inOrder returns the sizes of an array's dimensions, the minor one first; those of one element are left out.
func inOrder(s *hlo.Shape) (dims []int64) {
	if s.Layout == nil || len(s.Layout.MinorToMajor) != len(s.Dims) {
		return nil
	}
	for _, d := range s.Layout.MinorToMajor {
		if n := s.Dims[d]; n != 1 {
			dims = append(dims, n)
		}
	}
	return dims
}

// largestSlice returns the bytes of the largest of the slices that a fusion takes of operand k, 0 if it takes more.
func (c *cost) largestSlice(in *hlo.Instruction, k int) (n int64) {
	inner, p := c.inside(in, k)
	if inner == nil {
		return 0
	}
	for _, u := range inner.uses.Of(p) {
		if u.User.Opcode != hlo.OpSlice {
			return 0
		}
		n = max(n, c.takenBy(u.User, p))
	}
	return n
}

// spreadRows reports whether a fusion, or one in it, broadcasts operand k and leaves its rows rows.
func (c *cost) spreadRows(in *hlo.Instruction, k int) bool {
	inner, p := c.inside(in, k)
	if inner == nil {
		return false
	}
	uses := inner.uses.Of(p)
	if len(uses) != 1 {
		return false
	}
	u := uses[0].User
	return u.Opcode == hlo.OpBroadcast && keepsRows(u) || u.Opcode == hlo.OpFusion && c.spreadRows(u, int(uses[0].Operand))
}
