// Package oom reads what the TPU compiler and its runtime say about a program that does not fit: the messages E1000 and
// E1001 (openxla.org/xla/errors), the older ones without a code, and the lists of largest allocations in them.
package oom

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/forms"
)

// Message is what one text says. Sizes are bytes as far as the message's rounding goes, two digits after the point; 0
// where it says none.
type Message struct {
	// Code is the error's code, such as "E1000", "" in older messages.
	Code string
	// Space is the memory that does not suffice: "hbm", "vmem", "smem", "" where the message does not say.
	Space string
	// Module is the program's name, "" where the message does not say.
	Module string
	// Used is what the program takes of the memory, Limit what there is.
	Used, Limit int64
	// Scoped says that the memory is the part of VMEM that one kernel may take for itself; Instruction is the line of
	// that kernel.
	Scoped      bool
	Instruction string
	// Requested is an allocation that the runtime could not make, of which Limit bytes were free.
	Requested int64
	exceeded  int64
	// Parts are what the memory holds, by the message's names.
	Parts []Part
	// Allocations are the largest ones, in the message's order.
	Allocations []Allocation
}

// Part is a row of a message's account, such as "HLO temp".
type Part struct {
	Name  string
	Bytes int64
}

// Allocation is one of the largest allocations.
type Allocation struct {
	// Space is the memory of its list, Type what the message calls its kind ("HLO temp"). Size and
	// Unpadded are the message's bytes.
	Space, Type    string
	Size, Unpadded int64
	// Shape is nil where the message has none that can be read.
	Shape *hlo.Shape
	// Label is the instruction, as far as the message has it; Op and Source are the operation of the program and its
	// line.
	Label, Op, Source string
}

// Over returns by how many bytes the program is too large; 0 where the message does not say.
func (m *Message) Over() int64 {
	if m.Requested > 0 {
		return m.Requested - m.Limit
	}
	return max(0, m.Used-m.Limit)
}

const size = `(\d+(?:\.\d+)?\s?(?:[KMGTPE]i?)?B?|\d+ bytes)`

// fact is what one phrase of a message says.
type fact struct {
	phrase string
	note   func(m *Message, s []string)
}

// facts are the phrases, the more exact ones first: what is known is not overwritten.
var facts = []fact{
	{`\b(E\d{4}):`, func(m *Message, s []string) { m.Code = s[1] }},
	{`HLO module: ([\w.\-<>]+?)\.?(?:\s|$)`, func(m *Message, s []string) { m.Module = s[1] }},
	{`Ran out of memory (?:in memory space|on) (\w+)`, func(m *Message, s []string) {
		m.Space = strings.ToLower(s[1])
	}},
	{`allocating on stack for (.+?)\. Scoped allocation`, func(m *Message, s []string) {
		m.Scoped, m.Instruction = true, s[1]
	}},
	{`Scoped allocation with size ` + size + ` and limit ` + size, func(m *Message, s []string) {
		m.Scoped, m.Used, m.Limit = true, Bytes(s[1]), Bytes(s[2])
	}},
	{`Used ` + size + ` of ` + size, func(m *Message, s []string) { m.Used, m.Limit = Bytes(s[1]), Bytes(s[2]) }},
	{`Exceeded \w+ capacity by ` + size, func(m *Message, s []string) { m.exceeded = Bytes(s[1]) }},
	{`\(` + size + `\) exceeds (?:the )?available (\w+) \(` + size, func(m *Message, s []string) {
		m.Used, m.Space, m.Limit = Bytes(s[1]), strings.ToLower(s[2]), Bytes(s[3])
	}},
	{`unlikely to have enough memory. Requires ` + size + `, has ` + size, func(m *Message, s []string) {
		m.Space, m.Used, m.Limit = "hbm", Bytes(s[1]), Bytes(s[2])
	}},
	{`(?:[Aa]ttempting to (?:allocate|reserve)|trying to allocate) ` + size, func(m *Message, s []string) {
		m.Requested = Bytes(s[1])
	}},
	{`There (?:are|is) ` + size + ` free`, func(m *Message, s []string) { m.Limit = Bytes(s[1]) }},
	{`_(HBM)\d`, func(m *Message, s []string) { m.Space = strings.ToLower(s[1]) }},
	{`Total (\w+) usage >= ` + size, func(m *Message, s []string) {
		m.Space, m.Used = strings.ToLower(s[1]), Bytes(s[2])
	}},
}

var phrases = sync.OnceValue(func() (out []*regexp.Regexp) {
	for _, f := range facts {
		out = append(out, regexp.MustCompile(f.phrase))
	}
	return out
})

var (
	// part is a row of an account: "    HLO temp         15.45G (60.9% utilization: ...)".
	part = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s+([A-Za-z][A-Za-z ]*?)\s{2,}` + size + `(?:\s|$)`)
	})
	// around is what precedes each line, but for its numbers, where another program prints the message:
	// "(EngineCore_DP0 pid=17) ERROR 11-23 10:00:01 [core.py:7]".
	around = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^(.*\S)\s+(?:Total \w+ usage >=|Program \w+ requirement|Largest .*allocations in)`)
	})
	list  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`Largest .*allocations in (\w+)`) })
	first = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\d+\. Size: ` + size) })
	field = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`^\s*(Operator|Shape|Unpadded size|Extra memory due to padding|XLA label|Allocation type): (.*)$`)
	})
	named = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(op_name|source_file|source_line)=(?:"([^"]*)"|(\d+))`)
	})
)

// Parse reads a message; ok is false where the text is none.
func Parse(text string) (m *Message, ok bool) {
	m = &Message{}
	for i, p := range phrases() {
		if f := p.FindStringSubmatch(text); f != nil {
			known := *m
			facts[i].note(m, f)
			m.keep(&known)
		}
	}
	if m.exceeded > 0 && m.Limit > 0 {
		m.Used = m.Limit + m.exceeded // it has more digits
	}
	space := m.Space
	if a := around().FindStringSubmatch(text); a != nil {
		text = forms.Unprefixed(text, a[1])
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case list().MatchString(line):
			space = strings.ToLower(list().FindStringSubmatch(line)[1])
		case first().MatchString(line):
			m.Allocations = append(m.Allocations,
				Allocation{Space: space, Size: Bytes(first().FindStringSubmatch(line)[1])})
		case field().MatchString(line) && len(m.Allocations) > 0:
			f := field().FindStringSubmatch(line)
			m.Allocations[len(m.Allocations)-1].set(f[1], f[2])
		case part().MatchString(line) && len(m.Allocations) == 0:
			p := part().FindStringSubmatch(line)
			m.Parts = append(m.Parts, Part{p[1], Bytes(p[2])})
		}
	}
	return m, m.Code != "" || m.Space != "" || m.Used > 0 || m.Requested > 0 || len(m.Allocations) > 0
}

// keep puts back what was known before a fact.
func (m *Message) keep(known *Message) {
	if known.Used > 0 || known.Limit > 0 {
		m.Used, m.Limit = known.Used, known.Limit
	}
	if known.Space != "" {
		m.Space = known.Space
	}
}

// set notes a field of an allocation.
func (a *Allocation) set(name, text string) {
	switch text = strings.TrimSpace(text); name {
	case "Operator":
		values := map[string]string{}
		for _, v := range named().FindAllStringSubmatch(text, -1) {
			values[v[1]] = v[2] + v[3]
		}
		if a.Op, a.Source = values["op_name"], values["source_file"]; a.Source != "" && values["source_line"] != "" {
			a.Source += ":" + values["source_line"]
		}
	case "Shape":
		if s, err := parser.ParseShape(text); err == nil {
			a.Shape = s
		}
	case "Unpadded size":
		a.Unpadded = Bytes(text)
	case "XLA label":
		a.Label = text
	case "Allocation type":
		a.Type = text
	}
}

// Bytes reads a size as XLA writes it, such as 15.45G, 530.00M, 2.5KiB, 512B or 1024 bytes: units of 1024. It returns 0
// for what is none.
func Bytes(text string) int64 {
	t := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "bytes"))
	t = strings.TrimSuffix(strings.TrimSuffix(t, "B"), "i")
	shift := 0
	if n := len(t); n > 0 {
		if k := strings.IndexByte("KMGTPE", t[n-1]); k >= 0 {
			shift, t = 10*(k+1), strings.TrimSpace(t[:n-1])
		}
	}
	x, err := strconv.ParseFloat(t, 64)
	if err != nil || x < 0 || x*float64(int64(1)<<shift) >= math.MaxInt64 {
		return 0
	}
	return int64(math.Round(x * float64(int64(1)<<shift)))
}
