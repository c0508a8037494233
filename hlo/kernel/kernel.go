// Package kernel reads the kernels that Mosaic puts into custom calls: MLIR modules in bytecode. Two builds of one
// kernel differ in source positions, in the numbers of strings and attributes that follow from them, and in the
// producer's version: what Read returns has none of these.
package kernel

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnknown says that a module holds something that this package has no rule for: nothing is known of it then.
var ErrUnknown = errors.New("a form of MLIR bytecode that is not known")

// Read returns the operations of a module in MLIR bytecode (mlir.llvm.org/docs/BytecodeFormat), a line each, indented
// by regions: name, operands by number, attributes, types of the results. Locations and the producer are left out. Two
// modules with equal lines compute the same; nothing but locations makes no difference.
func Read(data []byte) (lines []string, err error) {
	m := &module{reader: reader{data: data}, budget: 1<<20 + 256*len(data)}
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(fault)
			if !ok {
				panic(r)
			}
			lines, err = nil, fault.error
		}
	}()
	m.read()
	return m.lines, nil
}

// fault is how a reader leaves what it reads.
type fault struct{ error }

func fail(format string, args ...any) {
	panic(fault{fmt.Errorf("%w: "+format, append([]any{ErrUnknown}, args...)...)})
}

// Sections of the bytecode by number.
const (
	stringSection = iota
	dialectSection
	attrTypeSection
	offsetSection
	irSection
	resourceSection
	resourceOffsets
	dialectVersions
	propertySection
	sectionCount
)

// module is one that is read. Properties came with version 5; Mosaic writes version 0.
type module struct {
	reader
	version           uint64
	strings, dialects []string
	ops               []string
	attrs, types      []entry
	lines             []string
	depth             int // of attributes in attributes
	budget            int // bytes of text that are left: a hostile module could make 2^n of n
}

const maxVersion = 4

func (m *module) read() {
	if string(m.take(4)) != "ML\xefR" {
		fail("no magic number")
	}
	if m.version = m.varint(); m.version > maxVersion {
		fail("version %d", m.version)
	}
	for m.byte() != 0 { // the producer
	}
	var sections [sectionCount]*reader
	for len(m.data) > m.at {
		id, body := m.section()
		if id >= sectionCount || sections[id] != nil {
			fail("section %d", id)
		}
		sections[id] = &reader{data: body}
	}
	for _, id := range []int{stringSection, dialectSection, attrTypeSection, offsetSection, irSection} {
		if sections[id] == nil {
			fail("no section %d", id)
		}
	}
	if r := sections[resourceSection]; r != nil && len(r.data) > 0 {
		fail("resources")
	}
	m.readStrings(sections[stringSection])
	m.readDialects(sections[dialectSection])
	m.readOffsets(sections[attrTypeSection], sections[offsetSection])
	m.block(sections[irSection], 0)
}

// readStrings reads the table of strings: their lengths with the zero byte after them, the last first, then their
// bytes.
func (m *module) readStrings(r *reader) {
	lengths := make([]int, r.count())
	for i := range lengths {
		lengths[i] = int(r.varint())
	}
	for i := len(lengths) - 1; i >= 0; i-- {
		text := r.take(lengths[i])
		if len(text) == 0 {
			fail("a string without an end")
		}
		m.strings = append(m.strings, string(text[:len(text)-1]))
	}
}

func (m *module) readDialects(r *reader) {
	n := r.count()
	for range n {
		if m.version == 0 {
			m.dialects = append(m.dialects, pick(m.strings, r.varint()))
			continue
		}
		name, versioned := r.flagged()
		m.dialects = append(m.dialects, pick(m.strings, name))
		if versioned {
			r.section()
		}
	}
	if m.version >= 4 {
		r.varint() // the number of operation names
	}
	for !r.empty() {
		dialect := pick(m.dialects, r.varint())
		for range r.count() {
			m.ops = append(m.ops, strings.TrimSuffix(dialect+"."+pick(m.strings, r.varint()), "."))
		}
	}
}

// entry is one attribute or type: its bytes, and its text once that is known.
type entry struct {
	data    []byte
	dialect string
	custom  bool // in the dialect's own encoding, else as text
	text    string
	state   byte // 1: being read, 2: read
}

func (m *module) readOffsets(data, r *reader) {
	counts := [2]int{r.count(), r.count()}
	for k, list := range []*[]entry{&m.attrs, &m.types} {
		for len(*list) < counts[k] {
			dialect := pick(m.dialects, r.varint())
			for range r.count() {
				size, custom := r.flagged()
				*list = append(*list, entry{data: data.take(int(min(size, 1<<30))), dialect: dialect, custom: custom})
			}
		}
	}
}

// block reads a block: its arguments and operations.
func (m *module) block(r *reader, depth int) {
	if depth > 64 {
		fail("regions in regions")
	}
	ops, hasArguments := r.flagged()
	if hasArguments {
		n := r.count()
		var types []string
		for range n {
			t, located := r.varint(), true
			if m.version >= 4 {
				t, located = t>>1, t&1 != 0
			}
			if located {
				r.varint()
			}
			types = append(types, m.typeText(t))
		}
		if m.version >= 3 && r.byte() != 0 {
			useLists(r, n)
		}
		m.line(depth, "("+strings.Join(types, ", ")+")")
	} else {
		m.line(depth, "()")
	}
	for range ops {
		m.op(r, depth)
	}
}

// Parts that an operation has.
const (
	hasAttrs = 1 << iota
	hasResults
	hasOperands
	hasSuccessors
	hasRegions
	hasUseLists
	hasProperties
)

func (m *module) op(r *reader, depth int) {
	var b strings.Builder
	b.WriteString(pick(m.ops, r.varint()))
	parts := r.byte()
	if parts >= hasProperties || parts >= hasUseLists && m.version < 3 {
		fail("parts %x of an operation", parts)
	}
	r.varint() // the location
	attrs := ""
	if parts&hasAttrs != 0 {
		attrs = m.attrText(r.varint())
	}
	var types []string
	if parts&hasResults != 0 {
		for range r.count() {
			types = append(types, m.typeText(r.varint()))
		}
	}
	for _, k := range []byte{hasOperands, hasSuccessors} {
		var numbers []string
		if parts&k != 0 {
			for range r.count() {
				numbers = append(numbers, fmt.Sprint(r.varint()))
			}
		}
		if k == hasOperands || numbers != nil {
			b.WriteString("(" + strings.Join(numbers, ", ") + ")")
		}
	}
	if parts&hasUseLists != 0 {
		useLists(r, len(types))
	}
	m.line(depth, b.String()+" "+attrs+" : "+strings.Join(types, ", "))
	if parts&hasRegions == 0 {
		return
	}
	n, isolated := r.flagged()
	for range n {
		region := r
		if isolated && m.version >= 2 {
			_, body := r.section()
			region = &reader{data: body}
		}
		blocks := region.count()
		m.line(depth, "{")
		if blocks > 0 {
			region.varint() // the number of values
		}
		for range blocks {
			m.block(region, depth+1)
		}
		m.line(depth, "}")
	}
}

// useLists skips the orders of uses, which say how lists in memory were linked.
func useLists(r *reader, values int) {
	lists := 1
	if values > 1 {
		lists = r.count()
	}
	for range lists {
		if values > 1 {
			r.varint()
		}
		n, _ := r.flagged()
		for range n {
			r.varint()
		}
	}
}

func (m *module) line(depth int, text string) {
	line := strings.Repeat(" ", depth) + text
	m.spend(len(line))
	m.lines = append(m.lines, line)
}

func (m *module) spend(n int) {
	if m.budget -= n; m.budget < 0 {
		fail("too long")
	}
}

func pick(list []string, i uint64) string {
	if i >= uint64(len(list)) {
		fail("number %d of %d", i, len(list))
	}
	return list[i]
}
