// Package hloproto reads the protobuf dumps of XLA (--xla_dump_hlo_as_proto, --xla_dump_hlo_snapshots): HloProto,
// HloModuleProto, HloSnapshot and HloUnoptimizedSnapshot, binary or as text protobuf. A dump is first printed as the text
// that XLA prints for the same module, and the text parser reads that, so a module from a dump is in no way different from
// one read from text: its Source is that text, and positions are positions in it.
//
// The schema is hlo.proto; the field numbers and what each field means for the text are docs/hlo-proto.md and
// hlo-text.md sections 2 to 9.
package hloproto

//go:generate go run ./internal/gen -proto hlo.proto -name hlolayout/parser/hloproto/hlo.proto -out internal/hlopb/hlo.pb.go

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// Codes of this package's findings.
const (
	CodeProto  = "HLO060"
	CodeField  = "HLO061"
	CodeLimits = "HLO062"
)

// Codes describes the codes, in order. Their examples are bytes, so the tests have them.
var Codes = []hlo.Code{
	{Name: CodeProto, Meaning: "the file is no protobuf dump of a module, or it is damaged or cut off: the message says in which field and at which byte"},
	{Name: CodeField, Meaning: "a field of a protobuf dump has a value that no module has: an id that is not there, a size below zero, a name twice"},
	{Name: CodeLimits, Meaning: "a protobuf dump is longer than 2 GiB, nested more than 200 levels deep, or asks for far more memory or text than its own size"},
}

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
	m, err := read(data)
	if err == nil {
		var text []byte
		if text, err = print(m, len(data)); err == nil {
			return string(text), nil
		}
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{code: CodeProto, msg: err.Error()}
	}
	msg := f.msg
	if f.path != "" {
		msg = f.path + ": " + msg
	}
	return "", hlo.ErrorList{{File: file, Code: f.code, Msg: msg}}
}

// failure is an error with the field it is about.
type failure struct{ path, code, msg string }

func (f *failure) Error() string { return f.path + ": " + f.msg }

// read decodes the module of a dump.
func read(data []byte) (*hlopb.HloModuleProto, error) {
	if len(data) > MaxBytes {
		return nil, &failure{code: CodeLimits, msg: "the dump is longer than 2 GiB"}
	}
	kind, ok := Detect(data)
	if !ok {
		return nil, &failure{code: CodeProto, msg: "is no HLO protobuf: neither HloProto, HloModuleProto nor HloSnapshot, binary or text"}
	}
	msg := kind.Message.empty()
	if kind.Text {
		opts := prototext.UnmarshalOptions{DiscardUnknown: true, AllowPartial: true}
		if err := opts.Unmarshal(data, msg); err != nil {
			return nil, &failure{code: CodeProto, msg: "the text protobuf cannot be read: " + reason(err)}
		}
	} else {
		if err := checkWire(data, msg.ProtoReflect().Descriptor()); err != nil {
			return nil, err
		}
		opts := proto.UnmarshalOptions{RecursionLimit: maxDepth + 1, AllowPartial: true}
		if err := opts.Unmarshal(data, msg); err != nil {
			return nil, &failure{code: CodeProto, msg: reason(err)}
		}
	}
	var m *hlopb.HloModuleProto
	switch msg := msg.(type) {
	case *hlopb.HloModuleProto:
		m = msg
	case *hlopb.HloProto:
		m = msg.HloModule
	case *hlopb.HloSnapshot:
		m = msg.GetHlo().GetHloModule()
	case *hlopb.HloUnoptimizedSnapshot:
		m = msg.HloModule
	}
	if kind.Text {
		plainNaNs(m)
	}
	if m == nil {
		return nil, &failure{code: CodeField, msg: "the " + kind.Message.String() + " holds no module"}
	}
	return m, nil
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

// reason is a protobuf error's text without the "proto:" in front, whose blank differs from run to run.
func reason(err error) string {
	s := err.Error()
	if len(s) > 6 && s[:6] == "proto:" {
		s = s[6:]
		for len(s) > 0 && (s[0] == ' ' || s[0] == 0xc2 || s[0] == 0xa0) {
			s = s[1:]
		}
	}
	return s
}

// element names an element of a repeated field: `operand_ids[3]`.
func element(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

// failf ends the reading with an error about a field.
func failf(path, format string, args ...any) {
	panic(&failure{path, CodeField, fmt.Sprintf(format, args...)})
}
