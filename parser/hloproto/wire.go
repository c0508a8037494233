package hloproto

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// A dump may grow by this factor when it is decoded, beyond a free number of bytes: real ones grow by 20, but an empty
// instruction takes 2 bytes in a dump and a thousand in memory.
const (
	maxGrowth = 100
	freeBytes = 64 << 20
)

// checkWire looks at a binary message without decoding it: the first place where it is damaged, and whether decoding it
// would take much more memory than its size. Protobuf itself says that something is wrong, but not where.
func checkWire(data []byte, d protoreflect.MessageDescriptor) error {
	c := wireChecker{size: len(data), left: freeBytes + maxGrowth*len(data)}
	if f := c.message(data, 0, tableOf(d), 0); f != nil {
		f.path = c.where()
		return f
	}
	return nil
}

type wireChecker struct {
	size, left int    // bytes: of the dump, and that decoding may still take
	path       []step // from the inside out, filled in when an error is found
}

type step struct {
	field protoreflect.FieldDescriptor
	index int
}

// where is the path of the field in which the error was found.
func (c *wireChecker) where() string {
	var names []string
	for i := len(c.path) - 1; i >= 0; i-- {
		s := c.path[i]
		name := string(s.field.Name())
		if s.field.IsList() || s.field.IsMap() {
			name += "[" + strconv.Itoa(s.index) + "]"
		}
		names = append(names, name)
	}
	return strings.Join(names, ".")
}

func (c *wireChecker) fail(offset int, format string, args ...any) *failure {
	return &failure{code: CodeProto, msg: fmt.Sprintf(format, args...) + fmt.Sprintf(" at byte %d of %d", offset,
		c.size)}
}

// message checks one message that begins at byte offset of the dump.
func (c *wireChecker) message(b []byte, offset int, table *wireTable, depth int) *failure {
	if depth > maxDepth {
		return &failure{code: CodeLimits, msg: fmt.Sprintf("messages are nested more than %d levels deep", maxDepth)}
	}
	if c.left -= table.size; c.left < 0 {
		return &failure{code: CodeLimits, msg: "the dump holds too many empty messages for its size"}
	}
	for at := 0; at < len(b); {
		number, typ, n := protowire.ConsumeTag(b[at:])
		if n < 0 {
			return c.fail(offset+at, "the message is damaged or cut off")
		}
		start := at
		at += n
		if typ != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(number, typ, b[at:]); n < 0 {
				return c.fail(offset+at, "field %d is damaged or cut off", number)
			}
			at += n
			continue
		}
		length, n := protowire.ConsumeVarint(b[at:])
		if n < 0 {
			return c.fail(offset+at, "field %d is damaged or cut off", number)
		}
		at += n
		inner := table.inner(number)
		if length > uint64(len(b)-at) {
			name := strconv.Itoa(int(number))
			if f := table.fields.ByNumber(number); f != nil {
				name = string(f.Name())
			}
			return c.fail(offset+start, "%s should take %d bytes, and %d are left", name, length, len(b)-at)
		}
		if inner != nil {
			if f := c.message(b[at:at+int(length)], offset+at, inner, depth+1); f != nil {
				field := table.fields.ByNumber(number)
				c.path = append(c.path, step{field, occurrences(b[:start], number)})
				return f
			}
		}
		at += int(length)
	}
	return nil
}

// occurrences counts the fields of that number in a part of a message that has been checked.
func occurrences(b []byte, number protowire.Number) (count int) {
	for len(b) > 0 {
		got, _, n := protowire.ConsumeField(b)
		if n < 0 {
			break
		}
		if got == number {
			count++
		}
		b = b[n:]
	}
	return count
}

// wireTable says which fields of a message type are messages themselves, by number.
type wireTable struct {
	fields protoreflect.FieldDescriptors
	sub    []*wireTable
	size   int // bytes that an empty message takes in memory
}

func (t *wireTable) inner(number protowire.Number) *wireTable {
	if int(number) >= len(t.sub) {
		return nil
	}
	return t.sub[number]
}

var wireTables struct {
	sync.Mutex
	of map[protoreflect.FullName]*wireTable
}

func tableOf(d protoreflect.MessageDescriptor) *wireTable {
	wireTables.Lock()
	defer wireTables.Unlock()
	if wireTables.of == nil {
		wireTables.of = map[protoreflect.FullName]*wireTable{}
	}
	return buildTable(d)
}

func buildTable(d protoreflect.MessageDescriptor) *wireTable {
	if t := wireTables.of[d.FullName()]; t != nil {
		return t
	}
	t := &wireTable{fields: d.Fields()}
	if goType, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName()); err == nil { // map entries have none
		t.size = int(reflect.TypeOf(goType.Zero().Interface()).Elem().Size())
	}
	wireTables.of[d.FullName()] = t
	for i := range t.fields.Len() {
		f := t.fields.Get(i)
		if f.Message() == nil {
			continue
		}
		for len(t.sub) <= int(f.Number()) {
			t.sub = append(t.sub, nil)
		}
		t.sub[f.Number()] = buildTable(f.Message())
	}
	return t
}
