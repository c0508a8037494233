package hloproto

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"hlolayout/hlo"
	"hlolayout/parser/hloproto/internal/hlopb"
	"hlolayout/printer"
)

// TestUpdateOfNothing: a module written back as it was read prints as before.
func TestUpdateOfNothing(t *testing.T) {
	for _, p := range pairs(t, testdata) {
		m, err := Parse(p.name, p.pb)
		require.NoError(t, err)
		out, err := Update(p.pb, m)
		require.NoError(t, err, p.name)
		got, err := Text(p.name, out)
		require.NoError(t, err, p.name)
		assert.Empty(t, difference(p.want, got), p.name)
	}
}

// reversed returns the shape with every array's dimension order reversed and a tile.
func reversed(s *hlo.Shape) *hlo.Shape {
	return s.WithLeaves(func(_ hlo.Index, leaf *hlo.Shape) *hlo.Shape {
		if !leaf.IsArray() || leaf.Rank() < 2 {
			return leaf
		}
		l := *leaf.Layout
		l.MinorToMajor = slices.Clone(l.MinorToMajor)
		slices.Reverse(l.MinorToMajor)
		l.Tiles = []hlo.Tile{{8, hlo.Combined}, {2, 1}}
		l.MemorySpace = 1
		return leaf.WithLayout(&l)
	})
}

// TestUpdateLayouts gives every array another layout: the text of the new dump is that of the module, and constants
// keep their values, whose order of elements in the dump changes.
func TestUpdateLayouts(t *testing.T) {
	changed, skipped := 0, 0
	for _, p := range pairs(t, testdata) {
		m, err := Parse(p.name, p.pb)
		require.NoError(t, err)
		if printer.Print(m) != p.want {
			skipped++ // the preserving print of the module as read is not XLA's text
			continue
		}
		for _, c := range m.Computations {
			for _, in := range c.Instructions {
				s := m.Intern(reversed(in.Shape))
				if s != in.Shape {
					changed++
				}
				in.Shape = s
			}
		}
		params, result, ok := m.EntryLayout()
		require.True(t, ok)
		params = slices.Clone(params)
		for i := range params {
			params[i] = reversed(params[i])
		}
		m.SetEntryLayout(params, reversed(result))
		out, err := Update(p.pb, m)
		require.NoError(t, err, p.name)
		got, err := Text(p.name, out)
		require.NoError(t, err, p.name)
		assert.Empty(t, difference(printer.Print(m), got), p.name)
	}
	assert.Greater(t, changed, 200)
	assert.Less(t, skipped, 3)
}

func TestUpdateInsertsAndKeeps(t *testing.T) {
	p := module(t, "made_ops")
	unknown := protowire.AppendVarint(protowire.AppendTag(nil, 999, protowire.VarintType), 5)
	for _, c := range p.Computations {
		c.ProtoReflect().SetUnknown(unknown)
		for _, in := range c.Instructions {
			in.ProtoReflect().SetUnknown(unknown)
			in.Shape.ProtoReflect().SetUnknown(unknown)
		}
	}
	data := marshal(t,
		&hlopb.HloProto{HloModule: p,
			BufferAssignment: &hlopb.BufferAssignmentProto{
				PeakBuffers: []*hlopb.BufferAssignmentProto_PeakBuffers{{Index: 1}},
			}})
	m, err := Parse("in.pb", data)
	require.NoError(t, err)
	e := m.Entry
	call, first := e.Instruction("c"), e.Instructions[0]
	add := func(before *hlo.Instruction, in *hlo.Instruction) *hlo.Instruction {
		e.Instructions = slices.Insert(e.Instructions, int(before.Index), in)
		e.Renumber()
		return in
	}
	shape := m.Intern(reversed(call.Shape))
	copied := add(e.Instruction("m"), &hlo.Instruction{Name: "copy.9", Opcode: hlo.OpCopy, Shape: shape,
		Operands: []*hlo.Instruction{call}, Pos: -1,
		Attrs: []hlo.Attr{{Key: hlo.InstructionAttr("frontend_attributes"), Value: call.Attr("frontend_attributes")}}})
	tuple := add(e.Instruction("m"), &hlo.Instruction{Name: "tuple.9", Opcode: hlo.OpTuple,
		Shape: m.Intern(hlo.NewTuple(shape, first.Shape)), Operands: []*hlo.Instruction{copied, first}, Pos: -1})
	part := add(e.Instruction("m"), &hlo.Instruction{Name: "part", Opcode: hlo.OpGetTupleElement, Shape: first.Shape,
		Operands: []*hlo.Instruction{tuple}, Pos: -1,
		Attrs: []hlo.Attr{{Key: hlo.InstructionAttr("index"), Value: &hlo.Value{Kind: hlo.IntValue, Text: "1"}}}})
	e.Instruction("m").Operands[0] = part
	call.Attrs = slices.DeleteFunc(call.Attrs, func(a hlo.Attr) bool { return a.Key.Name == "frontend_attributes" })

	out, err := Update(data, m)
	require.NoError(t, err)
	kind, _ := Detect(out)
	assert.Equal(t, Kind{Message: HloProto}, kind)
	got, err := Text("out.pb", out)
	require.NoError(t, err)
	assert.Empty(t, difference(printer.Print(m), got))
	assert.Contains(t, got, `copy(%c), frontend_attributes={composite.attributes={n = 1 : i32},`)
	assert.Contains(t, got, "%part = f32[8,8]{1,0} get-tuple-element(%tuple.9), index=1\n")

	back := &hlopb.HloProto{}
	require.NoError(t, proto.Unmarshal(out, back))
	assert.Nil(t, back.BufferAssignment)
	kept := 0
	for _, c := range back.HloModule.Computations {
		assert.Equal(t, unknown, []byte(c.ProtoReflect().GetUnknown()))
		for _, in := range c.Instructions {
			if len(in.Shape.ProtoReflect().GetUnknown()) > 0 && len(in.ProtoReflect().GetUnknown()) > 0 {
				kept++
			}
		}
	}
	assert.Greater(t, kept, 30)
	again, err := Update(data, m)
	require.NoError(t, err)
	assert.Equal(t, out, again, "the same bytes each time")
}

// TestUpdateText: a text dump stays one.
func TestUpdateText(t *testing.T) {
	data, err := prototext.Marshal(&hlopb.HloProto{HloModule: module(t, "made_ops")})
	require.NoError(t, err)
	m, err := Parse("in.pbtxt", data)
	require.NoError(t, err)
	out, err := Update(data, m)
	require.NoError(t, err)
	kind, ok := Detect(out)
	assert.True(t, ok && kind.Text)
	got, err := Text("out.pbtxt", out)
	require.NoError(t, err)
	assert.Empty(t, difference(m.Source, got))
}

func TestUpdateRefuses(t *testing.T) {
	for _, c := range []struct {
		change func(m *hlo.Module, in *hlo.Instruction)
		want   string
	}{
		{func(m *hlo.Module, in *hlo.Instruction) {
			in.Opcode = hlo.OpAbs
		}, "n: it was a negate and is a abs, which cannot be written as a protobuf; write text"},
		{func(m *hlo.Module, in *hlo.Instruction) {
			in.Name = "new"
		}, "new: a new negate cannot be written as a protobuf; write text"},
		{func(m *hlo.Module, in *hlo.Instruction) {
			in.Attrs = []hlo.Attr{{Key: hlo.InstructionAttr("sharding"), Value: hlo.WordOf("{manual}")}}
		}, "n: the attribute sharding={manual} cannot be written as a protobuf, as no instruction of the dump has " +
			"it; write text"},
		{func(m *hlo.Module, in *hlo.Instruction) {
			in.Computation.Name = "other"
		}, "other: the computation is not in the dump, and new ones cannot be written as a protobuf; write text"},
		{func(m *hlo.Module, in *hlo.Instruction) {
			m.Entry.Instruction("sc").Opcode = hlo.OpAbs
		}, "sc: it was a stochastic-convert and is a abs"},
		{func(m *hlo.Module, in *hlo.Instruction) {
			m.Entry.Instruction("cb").Attrs = nil
		}, "cb: it has no channel_id any more"},
		{func(m *hlo.Module, in *hlo.Instruction) {
			z := m.Entry.Instruction("z")
			z.Shape = m.Intern(hlo.NewArray(hlo.S32, []int64{2, 2}, &hlo.Layout{MinorToMajor: []int{0, 1}}))
		}, "z.literal.shape: the value is s32[] and the constant s32[2,2]{0,1}"},
	} {
		data := marshal(t, module(t, "made_ops"))
		m, err := Parse("in.pb", data)
		require.NoError(t, err)
		c.change(m, m.Computation("comp").Instruction("n"))
		_, err = Update(data, m)
		require.Error(t, err, c.want)
		assert.Contains(t, err.Error(), "in.pb: "+c.want)
	}
	_, err := Update([]byte("HloModule m"), &hlo.Module{File: "in.hlo"})
	assert.ErrorContains(t, err, "in.hlo: not an HLO protobuf")
}
