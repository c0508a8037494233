package hloproto

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"hlolayout/hlo"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// TestErrors changes one field of a good message; the error names it.
func TestErrors(t *testing.T) {
	hlopb.Register()
	type M = *hlopb.HloModuleProto
	in := func(m M, opcode string) *hlopb.HloInstructionProto {
		for _, c := range m.Computations {
			for _, in := range c.Instructions {
				if in.Opcode == opcode {
					return in
				}
			}
		}
		t.Fatal("no " + opcode)
		return nil
	}
	for _, c := range []struct {
		change func(m M)
		want   string
	}{
		{func(m M) { m.Computations[1].Name = "" }, "computations[1].name: a computation needs a name"},
		{func(m M) {
			m.Computations[1].Name = m.Computations[0].Name
		}, "computations[1] (add): computations[0] has this name too"},
		{func(m M) {
			m.Computations[1].Id = m.Computations[0].Id
		}, "computations[1] (comp).id: computations[0] has the id 0 too"},
		{func(m M) { m.Computations[0].RootId = 77 }, "computations[0] (add).root_id: no instruction has the id 77"},
		{func(m M) {
			m.Computations[1].Instructions = nil
		}, "computations[1] (comp).instructions: a computation needs an instruction"},
		{func(m M) {
			m.EntryComputationId, m.EntryComputationName = 99, "x"
		}, `entry_computation_id: no computation has the id 99 or the name "x"`},
		{func(m M) {
			in(m, "negate").OperandIds[0] = 55
		}, "computations[1].instructions[1] (n).operand_ids[0]: no instruction of the computation has the id 55"},
		{func(m M) {
			in(m, "negate").OperandIds[0] = in(m, "negate").Id
		}, "computations[1] (comp).instructions: 1 instructions depend on themselves"},
		{func(m M) {
			in(m, "negate").Name = ""
		}, "computations[1].instructions[1] ().name: an instruction needs a name"},
		{func(m M) {
			in(m, "negate").Opcode = "a b"
		}, `computations[1].instructions[1] (n).opcode: "a b" is not an opcode`},
		{func(m M) {
			in(m, "negate").Id = m.Computations[1].Instructions[0].Id
		}, "computations[1].instructions[1] (n).id: x.1 has the id 4294967296 too"},
		{func(m M) {
			in(m, "negate").Name = "x.1"
		}, "computations[1].instructions[1] (x.1): instructions[0] has this name too"},
		{func(m M) {
			in(m, "parameter").OperandIds = []int64{1}
		}, "computations[0].instructions[0] (x).operand_ids: a parameter has no operands"},
		{func(m M) {
			in(m, "parameter").ParameterNumber = 9
		}, "computations[0].instructions[0] (x).parameter_number: 9 is not a parameter number in a computation of 3 " +
			"instructions"},
		{func(m M) {
			in(m, "parameter").ParameterNumber = 1
		}, "computations[0].instructions[1] (y).parameter_number: x is parameter 1 too"},
		{func(m M) {
			m.Computations[0].Instructions[1].ParameterNumber = 2
		}, "computations[0] (add): no instruction is parameter 1 of 3"},
		{func(m M) {
			in(m, "call").CalledComputationIds = nil
		}, "(c).called_computation_ids: call calls 1 computations, and the message has 0"},
		{func(m M) {
			in(m, "call").CalledComputationIds[0] = 44
		}, "(c).called_computation_ids[0]: no computation has the id 44"},
		{func(m M) { in(m, "call").CalledComputationIds[0] = m.EntryComputationId }, "calls itself"},
		{func(m M) {
			in(m, "convolution").Shape.ElementType = 99
		}, "(bgc).shape.element_type: 99 is not an element type"},
		{func(m M) { in(m, "convolution").Shape.Dimensions[2] = -4 }, "(bgc).shape.dimensions[2]: -4 is not a size"},
		{func(m M) {
			in(m, "convolution").Shape.Layout.MinorToMajor = []int64{0}
		}, "(bgc).shape.layout.minor_to_major: it has 1 entries, and the array 4 dimensions"},
		{func(m M) { in(m, "convolution").Shape.Layout.Tiles = []*hlopb.TileProto{{Dimensions: []int64{-3}}} },
			"(bgc).shape.layout.tiles: -3 is not a size"},
		{func(m M) {
			in(m, "convolution").ConvolutionDimensionNumbers = nil
		}, "(bgc).convolution_dimension_numbers: a convolution needs them"},
		{func(m M) { in(m, "convolution").ConvolutionDimensionNumbers.InputBatchDimension = 1 << 40 },
			"(bgc).convolution_dimension_numbers: 1099511627776 is not a dimension"},
		{func(m M) { in(m, "constant").Literal.S32S = nil }, "(z).literal: 0 values do not make a constant s32[]"},
		{func(m M) { in(m, "constant").Literal.Shape = nil }, "(z).literal.element_type: 0 is not an element type"},
		{func(m M) {
			m.HostProgramShape.Result = nil
		}, "host_program_shape.result.element_type: 0 is not an element type"},
		{func(m M) {
			m.HostProgramShape.Parameters[1].Dimensions[0] = -9
		}, "host_program_shape.parameters[1].dimensions[0]: -9 is not a size"},
		{func(m M) {
			in(m, "negate").BackendConfigPayload = &hlopb.Payload{PayloadSource: &hlopb.Payload_Id{Id: 3}}
		}, "(n).backend_config_payload.id: the module has 0 payloads, and none has the number 3"},
		{func(m M) {
			m.Schedule = schedule(0, 1)
		}, "schedule.sequences (add): 2 instructions are scheduled, and the computation has 3"},
		{func(m M) {
			m.Schedule = schedule(2, 0, 1)
		}, "computations[0].instructions[2] (s).operand_ids[0]: x is not defined before it"},
		{func(m M) {
			in(m, "negate").Sharding = &hlopb.OpSharding{Type: hlopb.OpSharding_MAXIMAL}
		}, "(n).sharding.tile_assignment_devices: a maximal sharding has one device, not 0"},
		{func(m M) {
			axes := []*hlopb.AxisRefProto{{MeshAxisIndex: 2}}
			in(m, "negate").Sharding = &hlopb.OpSharding{NamedSharding: &hlopb.NamedShardingProto{ManualAxes: axes}}
		}, "(n): the mesh has 0 axes, and none has the number 2"},
		{func(m M) {
			m.Computations = nil
		}, "not an HLO protobuf: neither HloProto, HloModuleProto nor HloSnapshot, binary or text"},
	} {
		m := module(t, "made_ops")
		c.change(m)
		_, err := Parse("in.pb", marshal(t, m))
		require.Error(t, err, c.want)
		require.IsType(t, hlo.ErrorList{}, err)
		assert.Contains(t, err.Error(), c.want)
		assert.Contains(t, err.Error(), "in.pb: ")
	}
}

// TestDamaged: a dump that was cut off, or of which a byte was changed, gives a module or an error that says where.
func TestDamaged(t *testing.T) {
	cut := marshal(t, module(t, "made_ops"))
	_, err := Parse("in.pb", cut[:len(cut)/2])
	require.Error(t, err)
	assert.Regexp(t,
		`^in.pb: (computations\[\d\]: )?\w+ should take \d+ bytes, and \d+ are left at byte \d+ of \d+ \[HLO060\]$`,
		err.Error())

	deep := marshal(t, module(t, "made_ops"))
	at := bytes.Index(deep, []byte("convolution")) + len("convolution")
	deep[at+1] = 0xff // the length of the shape after the opcode
	_, err = Parse("in.pb", deep)
	require.Error(t, err)
	assert.Regexp(t, `^in.pb: computations\[5\]\.instructions\[4\]: shape should take \d+ bytes, and \d+ are left`,
		err.Error())

	read := 0
	for _, p := range pairs(t, testdata) {
		step := max(1, len(p.pb)/200)
		for n := 0; n < len(p.pb); n += step {
			if _, err := Parse(p.name, p.pb[:n]); err == nil {
				read++
			}
		}
		r := rand.New(rand.NewSource(1))
		for range 200 {
			b := bytes.Clone(p.pb)
			b[r.Intn(len(b))] ^= byte(1 << r.Intn(8))
			if _, err := Parse(p.name, b); err != nil {
				require.IsType(t, hlo.ErrorList{}, err)
			} else {
				read++
			}
		}
	}
	t.Logf("%d damaged dumps are modules", read)
}

// TestLimits: small dumps that request much memory or a long text are refused.
func TestLimits(t *testing.T) {
	head := marshal(t, module(t, "made_ops"))
	add := func(field protowire.Number, content []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), content)
	}
	empty := bytes.Repeat([]byte{0x12, 0}, 500_000) // instructions
	_, err := Parse("in.pb", append(bytes.Clone(head), add(3, empty)...))
	require.Error(t, err)
	assert.Contains(t, err.Error(), "computations[6].instructions[")
	assert.Contains(t, err.Error(), "the dump holds too many empty messages for its size [HLO062]")

	shape := []byte{0x10, 13}
	for range 300 { // a tuple in a tuple in a tuple...
		shape = append([]byte{0x10, 13}, add(4, shape)...)
	}
	m := module(t, "made_ops")
	m.Computations[0].Instructions[0].Shape = nil
	m.Computations[0].Instructions[0].ProtoReflect().SetUnknown(add(3, shape))
	_, err = Parse("in.pb", marshal(t, m))
	require.Error(t, err)
	assert.Contains(t, err.Error(), "computations[0].instructions[0].shape.tuple_shapes[0].tuple_shapes[0]")
	assert.Contains(t, err.Error(), "messages are nested more than 200 levels deep [HLO062]")

	m = module(t, "made_literals")
	for _, in := range m.Computations[0].Instructions {
		if in.Name == "rows" {
			in.Literal.Shape.Dimensions = []int64{math.MaxInt64, 0}
		}
	}
	_, err = Parse("in.pb", marshal(t, m))
	require.Error(t, err)
	assert.Contains(t, err.Error(), "(rows).literal: ")

	m = module(t, "made_ops") // a payload that many instructions share
	m.Payloads = [][]byte{bytes.Repeat([]byte{'x'}, 1<<20)}
	c := m.Computations[0]
	for i := range 300 {
		c.Instructions = append(c.Instructions, &hlopb.HloInstructionProto{
			Name: "y." + string(binary.AppendUvarint(nil, uint64(i+1000))), Opcode: "negate", Id: int64(100 + i),
			Shape:      c.Instructions[0].Shape,
			OperandIds: []int64{0}, BackendConfigPayload: &hlopb.Payload{PayloadSource: &hlopb.Payload_Id{}}})
	}
	for i, in := range c.Instructions[3:] {
		in.Name = strings.Repeat("n", i+1)
	}
	_, err = Parse("in.pb", marshal(t, m))
	require.Error(t, err)
	assert.Contains(t, err.Error(), "computations[0] (add): the module's text would be more than")
}

// TestUnknownFields: what a newer XLA adds is passed over.
func TestUnknownFields(t *testing.T) {
	m := module(t, "made_ops")
	unknown := protowire.AppendVarint(protowire.AppendTag(nil, 999, protowire.VarintType), 5)
	unknown = protowire.AppendBytes(protowire.AppendTag(unknown, 998, protowire.BytesType), []byte("\xff\xff\xff"))
	m.ProtoReflect().SetUnknown(unknown)
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			in.ProtoReflect().SetUnknown(unknown)
			in.Shape.ProtoReflect().SetUnknown(unknown)
		}
	}
	want, err := Text("", marshal(t, module(t, "made_ops")))
	require.NoError(t, err)
	got, err := Text("", marshal(t, m))
	require.NoError(t, err)
	assert.Empty(t, difference(want, got))
}

// TestUnknownOpcode: an instruction of a newer XLA keeps what can be said of it.
func TestUnknownOpcode(t *testing.T) {
	m := module(t, "made_ops")
	for _, in := range m.Computations[5].Instructions {
		if in.Opcode == "map" {
			in.Opcode = "frobnicate"
		}
	}
	text, err := Text("", marshal(t, m))
	require.NoError(t, err)
	assert.Contains(t, text, "  %m = f32[8,8]{1,0} frobnicate(%a, %c), dimensions={0,1}, calls=%add\n")
	_, err = Parse("", marshal(t, m))
	assert.NoError(t, err)
}

// TestNames: names are made what HLO text can hold, as XLA does on reading.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"": "none", "add.1": "add.1", "a-b": "a-b", "1a": "_a", "a b/c": "a_b_c", "f32": "f32_", "tuple": "tuple",
		"__x": "a_x", "__xla_x": "__xla_x", "é": "__",
	} {
		if want == "__" { // two bytes, two underscores, and then the rule for names that begin with two
			want = "a_"
		}
		assert.Equal(t, want, sanitize(in, "none"), in)
	}
}

// FuzzParse: any bytes give an error or a module, and one that is written back unchanged reads as the same text.
func FuzzParse(f *testing.F) {
	for _, p := range pairs(f, testdata) {
		f.Add(p.pb)
	}
	f.Add([]byte("hlo_module { name: \"m\" computations { name: \"e\" instructions { name: \"p\" opcode: " +
		"\"parameter\" shape { element_type: F32 } } } entry_computation_name: \"e\" }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse("in.pb", data)
		if err != nil {
			require.IsType(t, hlo.ErrorList{}, err)
			return
		}
		out, err := Update(data, m)
		require.NoError(t, err)
		text, err := Text("in.pb", out)
		require.NoError(t, err)
		require.Empty(t, difference(m.Source, text))
	})
}

func BenchmarkParse(b *testing.B) {
	m := module(b, "v5e_heat_stencil_unoptimized")
	data, err := proto.Marshal(m)
	require.NoError(b, err)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Parse("in.pb", data); err != nil {
			b.Fatal(err)
		}
	}
}

// schedule is the schedule of computation 0 in the given order.
func schedule(ids ...int64) *hlopb.HloScheduleProto {
	of := map[int64]*hlopb.HloScheduleProto_InstructionSequence{0: {InstructionIds: ids}}
	return &hlopb.HloScheduleProto{Sequences: of}
}
