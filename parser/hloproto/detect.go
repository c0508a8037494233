package hloproto

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"hlolayout/parser/hloproto/internal/hlopb"
)

// Message is the type of the outermost message of a dump.
type Message uint8

// The messages that hold a module.
const (
	HloModuleProto Message = iota
	HloProto
	HloSnapshot
	HloUnoptimizedSnapshot
)

var messages = [...]struct {
	name  string
	empty func() proto.Message
}{
	HloModuleProto:         {"HloModuleProto", func() proto.Message { return &hlopb.HloModuleProto{} }},
	HloProto:               {"HloProto", func() proto.Message { return &hlopb.HloProto{} }},
	HloSnapshot:            {"HloSnapshot", func() proto.Message { return &hlopb.HloSnapshot{} }},
	HloUnoptimizedSnapshot: {"HloUnoptimizedSnapshot", func() proto.Message { return &hlopb.HloUnoptimizedSnapshot{} }},
}

// String returns the name of the message type.
func (m Message) String() string { return messages[m].name }

// empty returns a message of the type. All others that are read or written are parts of one.
func (m Message) empty() proto.Message {
	hlopb.Register()
	return messages[m].empty()
}

// Kind says what a dump is: its outermost message, and whether it is text protobuf.
type Kind struct {
	Message Message
	Text    bool
}

// String returns the kind in words, such as "text HloProto".
func (k Kind) String() string {
	if k.Text {
		return "text " + k.Message.String()
	}
	return "binary " + k.Message.String()
}

// Detect says from the content whether data is a dump, and which kind. HLO text is never one. A binary dump is known by
// its first instruction, so one that was cut off after it is still recognized, and Parse says where it ends.
func Detect(data []byte) (Kind, bool) {
	if m, ok := detectText(data); ok {
		return Kind{m, true}, true
	}
	if isModule(data) {
		return Kind{Message: HloModuleProto}, true
	}
	inner, rest := field(data, 1)
	if isModule(inner) {
		// What follows the module tells the two apart: buffer_assignment = 3 is a message, version = 3 a number.
		for len(rest) > 0 {
			number, typ, n := protowire.ConsumeTag(rest)
			if n < 0 {
				break
			}
			if number == 2 || number == 3 && typ == protowire.VarintType {
				return Kind{Message: HloUnoptimizedSnapshot}, true
			}
			if n += protowire.ConsumeFieldValue(number, typ, rest[n:]); n <= 0 || n > len(rest) {
				break
			}
			rest = rest[n:]
		}
		return Kind{Message: HloProto}, true
	}
	if module, _ := field(inner, 1); isModule(module) {
		return Kind{Message: HloSnapshot}, true
	}
	return Kind{}, false
}

// isModule reports whether b begins as a binary HloModuleProto: down to an instruction with an opcode.
func isModule(b []byte) bool {
	computation, _ := field(b, 3)
	instruction, _ := field(computation, 2)
	opcode, _ := field(instruction, 2)
	return len(opcode) > 0 && len(opcode) < 64 && isWord(opcode)
}

// field returns the content of the first length-delimited field of that number, as far as it is there, and what
// follows it. It gives up where b is not a message.
func field(b []byte, number protowire.Number) (content, rest []byte) {
	for len(b) > 0 {
		got, typ, n := protowire.ConsumeTag(b)
		if n < 0 || got > 1000 { // the highest number in use is 100
			return nil, nil
		}
		b = b[n:]
		if typ == protowire.BytesType {
			length, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return nil, nil
			}
			b = b[n:]
			end := int(min(length, uint64(len(b))))
			if got == number {
				return b[:end], b[end:]
			}
			b = b[end:]
			continue
		}
		if got == number || typ == protowire.StartGroupType {
			return nil, nil
		}
		if n = protowire.ConsumeFieldValue(got, typ, b); n < 0 {
			return nil, nil
		}
		b = b[n:]
	}
	return nil, nil
}

func isWord(b []byte) bool {
	for i, c := range b {
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.')) {
			return false
		}
	}
	return true
}

// detectText knows text protobuf by its first field: a name of one of the messages, then `:` or `{`. In HLO text `:`
// never follows the first word, and `{` is the body of a computation, whose first word `=` follows. A text
// HloUnoptimizedSnapshot begins as a HloProto does and is read as one.
func detectText(data []byte) (Message, bool) {
	name, rest := textWord(data)
	sign, rest := textSign(rest)
	if name == "" || sign != ':' && sign != '{' {
		return 0, false
	}
	if sign == ':' {
		if next, inner := textSign(rest); next == '{' {
			sign, rest = next, inner
		}
	}
	if sign == '{' {
		inner, behind := textWord(rest)
		next, _ := textSign(behind)
		if inner == "" && next != '}' || inner != "" && next != ':' && next != '{' {
			return 0, false
		}
	}
	// the order matters for no name: they differ
	for _, m := range [...]Message{HloSnapshot, HloProto, HloModuleProto} {
		f := m.empty().ProtoReflect().Descriptor().Fields().ByTextName(name)
		if f != nil && (sign == '{' || f.Message() == nil) { // `hlo: |` is YAML
			return m, true
		}
	}
	return 0, false
}

// textSign returns the first byte of a text protobuf, after blanks and comments, and what follows it; 0 at the end.
func textSign(b []byte) (byte, []byte) {
	if b = skipText(b); len(b) == 0 {
		return 0, nil
	}
	return b[0], b[1:]
}

// textWord returns the identifier that a text protobuf begins with, after blanks and comments.
func textWord(b []byte) (string, []byte) {
	b = skipText(b)
	n := 0
	for n < len(b) && (b[n]|0x20 >= 'a' && b[n]|0x20 <= 'z' || b[n] == '_' || n > 0 && b[n] >= '0' && b[n] <= '9') {
		n++
	}
	return string(b[:n]), b[n:]
}

func skipText(b []byte) []byte {
	for {
		b = bytes.TrimLeft(b, " \t\r\n\v\f")
		if len(b) == 0 || b[0] != '#' {
			return b
		}
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			return nil
		}
		b = b[end:]
	}
}
