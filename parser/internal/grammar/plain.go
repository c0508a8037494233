package grammar

import (
	"strings"

	"hlolayout/parser/internal/build"
)

// Plain reads the instructions that follow as long as they are written as XLA prints them, each on a line of its own:
//
//	%name = f32[2,3]{1,0} opcode(%operand, /*index=5*/%operand), key={...}, key=word
//
// It reports to the builder what the generated parser would report, from the same places. The grammar takes these lines
// as well, and reads every other one. From token to token through the automaton and the generated code a parse spends
// two fifths of its time there, this way a sixth (alphafold3).
func (p *Base) Plain() {
	l := &p.stream.lexer
	if p.B.Strict() || l.token != HLOParserNAME && l.token != HLOParserROOT || l.mode != modeDEFAULT_MODE ||
		len(l.stack) > 0 {
		return
	}
	at := int(l.cur.Off)
	for {
		next, ok := p.line.scan(l, at)
		if !ok {
			break
		}
		at = next
		p.line.report(p.B)
	}
	if at > int(l.cur.Off) {
		l.cur, l.token, l.pos = build.Text{Off: uint32(at), End: uint32(at)}, HLOParserRPAREN, at
		l.advance()
	}
}

// NotEmpty refuses a body without an instruction: from is where it began.
func (p *HLOParser) NotEmpty(from uint32) {
	if p.Next() == from {
		p.NoInstruction()
	}
}

// plainLine is an instruction whose line has been scanned.
type plainLine struct {
	root, constant, number bool
	name, shape, opcode    build.Text
	literal, end           build.Text // of a constant; of the operand list
	operands               []operand
	attrs                  []attribute
}

// operand is a name, or the number of a parameter, with the shape before it and the comma behind it, if there are any.
type operand struct{ shape, text, comma build.Text }

type attribute struct {
	key, value build.Text
	kind       build.Kind
}

// report tells the builder about the instruction.
func (n *plainLine) report(b *build.Builder) {
	if n.root {
		b.Instruction(n.name.Off - uint32(len("ROOT ")))
		b.Root()
	} else {
		b.Instruction(n.name.Off)
	}
	b.Name(n.name)
	b.Shape(n.shape)
	b.Opcode(n.opcode)
	if n.constant {
		b.Literal(n.literal)
	} else {
		for i := range n.operands {
			o := &n.operands[i]
			if o.shape.End > 0 {
				b.OperandShape(o.shape)
			}
			if n.number {
				b.OperandText(o.text)
			} else {
				b.Operand(o.text)
			}
			if o.comma.End > 0 {
				b.OperandComma(o.comma)
			}
		}
		b.OperandsEnd(n.end)
	}
	for i := range n.attrs {
		a := &n.attrs[i]
		b.Key(a.key)
		b.Value(a.kind, a.value)
	}
	b.InstructionEnd()
}

// What a byte is in a plain line.
const (
	inWord   = 1 << iota // a byte of a name or a key
	letter               // the first byte of one
	inType               // a byte of an element type
	inDims               // between the brackets of a shape
	inLayout             // between the braces of a layout
	inValue              // between other braces, where it has no meaning
	inJSON               // the same for JSON
	digit
)

var plainBytes = func() (t [256]uint8) {
	set := func(class uint8, is func(c byte) bool) {
		for c := range t {
			if is(byte(c)) {
				t[c] |= class
			}
		}
	}
	of := func(s string) func(byte) bool { return func(c byte) bool { return strings.IndexByte(s, c) >= 0 } }
	not := func(s string) func(byte) bool { return func(c byte) bool { return strings.IndexByte(s, c) < 0 } }
	const digits = "0123456789"
	set(inWord|letter|inType, func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' })
	set(inWord|letter, of("_"))
	set(inWord|inType|inDims|digit, of(digits))
	set(inWord, of(".-"))
	set(inDims, of(",<=?-"))
	set(inLayout, not("{}/"))
	set(inValue, not(`"'{}/`))
	set(inJSON, not(`"{}`))
	return t
}()

// run returns where the bytes of the class end that begin at i.
func run(s string, i int, class uint8) int {
	for i < len(s) && plainBytes[s[i]]&class != 0 {
		i++
	}
	return i
}

func text(from, to int) build.Text { return build.Text{Off: uint32(from), End: uint32(to)} }

// scan scans the instruction that begins at a byte and returns where the next one, or the end of the body, begins. It
// is not ok where the line is not plain.
func (n *plainLine) scan(l *lexer, i int) (next int, ok bool) {
	s := l.src
	*n = plainLine{operands: n.operands[:0], attrs: n.attrs[:0]}
	if strings.HasPrefix(s[i:], "ROOT ") {
		n.root = true
		i += len("ROOT ")
	}
	if i, ok = word(s, i, &n.name); !ok || !strings.HasPrefix(s[i:], " = ") {
		return 0, false
	}
	if i, ok = shape(s, i+len(" = "), &n.shape); !ok || i >= len(s) || s[i] != ' ' {
		return 0, false
	}
	from := i + 1
	i = run(s, from, inWord)
	n.opcode = text(from, i)
	switch {
	case i == from || i >= len(s) || s[i] != '(' || plainBytes[s[from]]&letter == 0:
		return 0, false
	case s[from:i] == "constant":
		i, ok = n.scanLiteral(s, from, i+1)
	default:
		i, ok = n.scanOperands(s, i+1)
	}
	for ok && strings.HasPrefix(s[i:], ", ") {
		i, ok = n.attribute(l, i+2)
	}
	if !ok || i < len(s) && s[i] != '\n' {
		return 0, false
	}
	return nextLine(s, i)
}

// nextLine skips the ends of lines and the blanks at i. It is not ok where what follows may belong to the instruction.
func nextLine(s string, i int) (next int, ok bool) {
	for i < len(s) && (s[i] == '\n' || s[i] == ' ') {
		i++
	}
	return i, i == len(s) || s[i] == '%' || s[i] == '}' || plainBytes[s[i]]&letter != 0
}

// word scans a name, with its `%`. A name that begins with a capital letter may be a keyword.
func word(s string, i int, name *build.Text) (end int, ok bool) {
	from := i
	if i < len(s) && s[i] == '%' {
		i++
	} else if i < len(s) && s[i] >= 'A' && s[i] <= 'Z' {
		return 0, false
	}
	if i >= len(s) || plainBytes[s[i]]&letter == 0 {
		return 0, false
	}
	i = run(s, i, inWord)
	*name = text(from, i)
	return i, true
}

// shape scans a shape.
func shape(s string, i int, t *build.Text) (end int, ok bool) {
	from := i
	if i < len(s) && s[i] == '(' {
		i, ok = tuple(s, i)
	} else {
		i, ok = array(s, i)
	}
	*t = text(from, i)
	return i, ok
}

// array scans the shape of an array. What looks like a blank and a layout behind it is no plain line.
func array(s string, i int) (end int, ok bool) {
	if i >= len(s) || plainBytes[s[i]]&letter == 0 {
		return 0, false
	}
	if i = run(s, i, inType); i >= len(s) || s[i] != '[' {
		return 0, false
	}
	if i = run(s, i+1, inDims); i+2 >= len(s) || s[i] != ']' {
		return 0, false
	}
	i++
	if s[i] != '{' {
		return i, true
	}
	if plainBytes[s[i+1]]&digit == 0 && s[i+1] != ':' {
		return 0, false
	}
	i = run(s, i+1, inLayout)
	return i + 1, i < len(s) && s[i] == '}'
}

// tuple finds the parenthesis that ends the shape of a tuple.
func tuple(s string, i int) (end int, ok bool) {
	for depth := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1, true
			}
		case '/':
			if i, ok = indexComment(s, i); !ok {
				return 0, false
			}
			i--
		}
	}
	return 0, false
}

// indexComment skips the number that XLA prints before every fifth part of a list.
func indexComment(s string, i int) (end int, ok bool) {
	if !strings.HasPrefix(s[i:], "/*index=") {
		return 0, false
	}
	i = run(s, i+len("/*index="), digit)
	return i + len("*/"), strings.HasPrefix(s[i:], "*/")
}

// scanLiteral scans the literal of a constant.
func (n *plainLine) scanLiteral(s string, opcode, i int) (end int, ok bool) {
	n.constant, n.opcode = true, text(opcode, i)
	for j := i; j < len(s); j++ {
		switch s[j] {
		case ')':
			n.literal = text(i, j+1)
			return j + 1, true
		case '(', '/':
			return 0, false
		}
	}
	return 0, false
}

// scanOperands scans what is between the parentheses of the operation.
func (n *plainLine) scanOperands(s string, i int) (end int, ok bool) {
	if i < len(s) && plainBytes[s[i]]&digit != 0 && s[n.opcode.Off:n.opcode.End] == "parameter" {
		from := i
		i = run(s, i, digit)
		n.number = true
		n.operands = append(n.operands, operand{text: text(from, i)})
	}
	for i < len(s) && s[i] != ')' {
		var o operand
		if s[i] == '/' {
			if i, ok = indexComment(s, i); !ok {
				return 0, false
			}
		}
		if i < len(s) && s[i] != '%' {
			end, ok := shape(s, i, &o.shape)
			if ok && end+1 < len(s) && s[end] == ' ' && s[end+1] == '%' {
				i = end + 1
			} else {
				o.shape = build.Text{}
			}
		}
		if i, ok = word(s, i, &o.text); !ok {
			return 0, false
		}
		if strings.HasPrefix(s[i:], ", ") {
			o.comma = text(i, i+1)
			i += 2
		} else if i < len(s) && s[i] != ')' {
			return 0, false
		}
		n.operands = append(n.operands, o)
	}
	if i >= len(s) {
		return 0, false
	}
	n.end = text(i, i+1)
	return i + 1, true
}

// attribute scans key=value.
func (n *plainLine) attribute(l *lexer, i int) (end int, ok bool) {
	s, from := l.src, i
	i = run(s, i, inWord)
	if i+1 >= len(s) || s[i] != '=' || plainBytes[s[from]]&letter == 0 {
		return 0, false
	}
	key := s[from:i]
	i++
	a := attribute{key: text(from, i)}
	from = i
	switch key {
	case "literal":
		return 0, false
	case "backend_config":
		a.kind = build.JSON
		i, ok = braces(s, i, inJSON, inJSON)
	case "frontend_attributes":
		a.kind = build.Braced
		i, ok = braces(s, i, inValue, inJSON)
	default:
		i, a.kind, ok = value(l, i)
	}
	a.value = text(from, i)
	n.attrs = append(n.attrs, a)
	return i, ok
}

// value scans the value of most attributes.
func value(l *lexer, i int) (end int, kind build.Kind, ok bool) {
	s, from := l.src, i
	if s[i] == '{' {
		end, ok = braces(s, i, inValue, inValue)
		return end, build.Braced, ok
	}
	if s[i] == '%' {
		i++
	}
	if i < len(s) && plainBytes[s[i]]&letter != 0 { // nan is a number
		if i = run(s, i, inWord); i < len(s) && (s[i] == ',' || s[i] == '\n') && s[from:i] != "nan" {
			return i, build.Name, true
		}
	}
	accepted, end := l.match(modeVALUE, from)
	do := ruleDo[acceptedRule[accepted]]
	return end, kinds[max(do.token, 0)], accepted != 0 && do.op == opPop
}

// braces finds the end of what begins with a brace. The classes are the bytes that mean nothing: in the outer braces,
// and in those inside.
func braces(s string, i int, outer, inner uint8) (end int, ok bool) {
	if s[i] != '{' {
		return 0, false
	}
	class := outer
	for depth := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			if depth++; depth == 2 {
				class = inner
			}
		case '}':
			if depth--; depth == 0 {
				return i + 1, true
			} else if depth == 1 {
				class = outer
			}
		case '"':
			if i = quoted(s, i); i == len(s) {
				return 0, false
			}
		default:
			return 0, false
		}
		i = run(s, i+1, class) - 1
	}
	return 0, false
}

// quoted finds the quote that ends the string that begins at i; the length of s where none does.
func quoted(s string, i int) int {
	for i++; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return min(i, len(s))
}
