package folding

import (
	"slices"

	"hlolayout/hlo"
	"hlolayout/hlo/tiled"
)

// move says how an instruction changes the order of an array.
type move uint8

const (
	none  move = iota
	tiles      // other tiles, or a reshape
	rows       // the minor dimension stays
	swap       // the two minor dimensions are exchanged
	other
)

// free is the table of the moves that fusion takes into the user of a copy, by the user's opcode; all others stay
// copies. Counted are copies with one user in 690 modules that left layout assignment for v5e, against the compiled
// ones.
var free = map[hlo.Opcode]map[move]bool{
	hlo.OpDot:         {tiles: true, rows: true, swap: true},              // 244 of 244; other: 27 of 68
	hlo.OpConvolution: {tiles: true, rows: true},                          // 39 of 39; swap and other: 6 of 35
	hlo.OpAllToAll:    {rows: true},                                       // 13 of 13
	hlo.OpSlice:       {tiles: true, rows: true, other: true},             // 28 of 28; swap: 6 of 12
	hlo.OpTranspose:   {tiles: true, rows: true},                          // 12 of 13; swap and other: 4 of 26
	hlo.OpConcatenate: {tiles: true},                                      // 16 of 18
	hlo.OpReduce:      {tiles: true, rows: true, swap: true, other: true}, // 253 of 254, in the modules of turns
}

// folds reports whether a copy of this kind is part of its user. Elementwise users take copies that keep the minor
// dimension (31 of 32; that exchange the two minor ones: 22 of 47).
func (k move) folds(in, user *hlo.Instruction) bool {
	if in.Operands[0].Opcode == hlo.OpBroadcast && in.Operands[0].Operands[0].Shape.IsScalar() {
		return true // every order of it is the same
	}
	if kinds, ok := free[user.Opcode]; ok {
		return kinds[k]
	}
	return user.Opcode.Elementwise() && (k == rows || k == tiles)
}

// moves reports whether an instruction may do nothing but move an array.
func moves(in *hlo.Instruction) bool {
	return in.Opcode == hlo.OpCopy || in.Opcode == hlo.OpTranspose || in.Opcode == hlo.OpReshape
}

// movement returns how a copy changes the order of its operand, none where it moves nothing.
func movement(in *hlo.Instruction) move {
	if sameBytes(in) {
		return none
	}
	a, b := in.Operands[0].Shape.WideOrder(), in.Shape.WideOrder()
	switch {
	case len(a) != len(b) || slices.Equal(a, b):
		return tiles
	case a[0] == b[0]:
		return rows
	case len(a) > 1 && a[0] == b[1] && a[1] == b[0]:
		return swap
	}
	return other
}

// sameBytes reports whether a reshape, copy or transpose moves nothing, so that it is a bitcast.
func sameBytes(in *hlo.Instruction) bool {
	a, err := tiled.New(in.Operands[0].Shape)
	if err != nil {
		return false
	}
	b, err := tiled.New(in.Shape)
	if err != nil {
		return false
	}
	var match tiled.Match
	switch in.Opcode {
	case hlo.OpTranspose:
		match, err = tiled.TransposeBitcast(a, in.Ints("dimensions"), b)
	case hlo.OpReshape:
		match, err = tiled.ReshapeBitcast(a, b)
	default:
		match, err = tiled.Bitcast(a, b)
	}
	return err == nil && match != tiled.Different
}
