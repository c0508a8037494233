// Package hloproto reads the protobuf dumps of XLA (--xla_dump_hlo_as_proto, --xla_dump_hlo_snapshots): HloProto,
// HloModuleProto, HloSnapshot and HloUnoptimizedSnapshot, binary or as text protobuf. A dump is first printed as the
// text that XLA prints for the same module, and the text parser reads that, so a module from a dump is in no way
// different from one read from text: its Source is that text, and positions are positions in it.
//
// The schema is hlo.proto: the fields that the text shows, with XLA's numbers.
package hloproto

//go:generate go run ./internal/gen -proto hlo.proto -name hlolayout/parser/hloproto/hlo.proto -out internal/hlopb/hlo.pb.go
//go:generate go run ./internal/gen -proto xplane.proto -name hlolayout/parser/hloproto/xplane.proto -out internal/hlopb/xplane.pb.go

import (
	"math"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// MaxBytes is the greatest length of a dump, protobuf's own limit for a message.
const MaxBytes = 1<<31 - 1

// maxDepth limits the nesting of messages; protobuf's C++ library reads no more than 100 levels.
const maxDepth = 200

// Parse reads the module of a dump. File is the name for messages. Where the content is not what Detect knows, or does
// not make a module, the error is an hlo.ErrorList that names the field, such as
// `computations[2].instructions[7] (add.3): operand_ids[1]: ...`.
func Parse(file string, data []byte) (*hlo.Module, error) {
	text, err := Text(file, data)
	if err != nil {
		return nil, err
	}
	return parser.Parse(file, text)
}

// Text returns the module of a dump as XLA prints it, all constants in full.
func Text(file string, data []byte) (string, error) {
	dump, err := readDump(data)
	if err == nil {
		var text []byte
		if text, err = textOf(dump.module, len(data)); err == nil {
			return string(text), nil
		}
	}
	return "", findings(file, err)
}

// dump is a decoded dump and the module in it.
type dump struct {
	kind   Kind
	msg    proto.Message
	module *hlopb.HloModuleProto
}

func readDump(data []byte) (*dump, error) {
	if len(data) > MaxBytes {
		return nil, &failure{code: CodeLimits, msg: "the dump is longer than 2 GiB"}
	}
	kind, ok := Detect(data)
	if !ok {
		return nil, &failure{code: CodeProto, msg: "not an HLO protobuf: neither HloProto, HloModuleProto nor " +
			"HloSnapshot, binary or text"}
	}
	d := &dump{kind: kind, msg: kind.Message.empty()}
	if kind.Text {
		opts := prototext.UnmarshalOptions{DiscardUnknown: true, AllowPartial: true}
		if err := opts.Unmarshal(data, d.msg); err != nil {
			return nil, &failure{code: CodeProto, msg: "the text protobuf cannot be read: " + reason(err)}
		}
	} else {
		if err := checkWire(data, d.msg.ProtoReflect().Descriptor()); err != nil {
			return nil, err
		}
		opts := proto.UnmarshalOptions{RecursionLimit: maxDepth + 1, AllowPartial: true}
		if err := opts.Unmarshal(data, d.msg); err != nil {
			return nil, err
		}
	}
	switch msg := d.msg.(type) {
	case *hlopb.HloModuleProto:
		d.module = msg
	case *hlopb.HloProto:
		d.module = msg.HloModule
	case *hlopb.HloSnapshot:
		d.module = msg.GetHlo().GetHloModule()
	case *hlopb.HloUnoptimizedSnapshot:
		d.module = msg.HloModule
	}
	if d.module == nil {
		return nil, &failure{code: CodeField, msg: "the " + kind.Message.String() + " holds no module"}
	}
	if kind.Text {
		plainNaNs(d.module)
	}
	return d, nil
}

// plainNaNs replaces the NaN that Go reads from a text, which has a payload, by the usual one.
func plainNaNs(m *hlopb.HloModuleProto) {
	usual := math.Float64frombits(0x7ff8 << 48)
	var fix func(l *hlopb.LiteralProto)
	fix = func(l *hlopb.LiteralProto) {
		for _, list := range [][]float64{l.GetF64S(), l.GetC128S()} {
			for i, v := range list {
				if math.IsNaN(v) {
					list[i] = usual
				}
			}
		}
		for _, part := range l.GetTupleLiterals() {
			fix(part)
		}
	}
	for _, c := range m.GetComputations() {
		for _, in := range c.Instructions {
			fix(in.Literal)
		}
	}
}
