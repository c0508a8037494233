// Package lines says what a line of HLO text is, without reading it: XLA prints the start and the end of a computation
// and each instruction on its own line.
package lines

import "strings"

// Computation returns the name of the computation that a line begins, such as "%f (p: f32[2]) -> f32[2] {" or "ENTRY e
// {".
func Computation(line string) (name string, ok bool) {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "ENTRY ")
	end := strings.IndexAny(line, " ({=")
	if end <= 0 || line[len(line)-1] != '{' {
		return "", false
	}
	rest := strings.TrimLeft(line[end:], " ")
	return line[:end], rest == "{" || rest[0] == '(' && strings.Contains(rest, "->")
}

// Table reports whether a line is the word above one of the tables of stack frames, which precede the computations.
func Table(line string) bool {
	switch line {
	case "FileNames", "FunctionNames", "FileLocations", "StackFrames":
		return true
	}
	return false
}

// Instruction reports whether a line looks like `ROOT? name = ...`.
func Instruction(line string) bool {
	name, _, found := strings.Cut(strings.TrimPrefix(strings.TrimLeft(line, " \t"), "ROOT "), " =")
	return found && name != "" && !strings.ContainsAny(name, " \t,()={}[]\"")
}

// Close reports whether a line ends a computation, where depth brackets are open in its last instruction.
func Close(line string, depth int) bool {
	s := strings.TrimSpace(line)
	return s != "" && s[0] == '}' && (depth <= 0 || s == "}" && line[0] == '}')
}

// Balance counts the brackets that a line opens and does not close, outside of strings. A string without an end counts
// as one.
func Balance(line string) (open int) {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			for i++; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
			if i >= len(line) {
				return 1
			}
		case '(', '{', '[':
			open++
		case ')', '}', ']':
			open--
		}
	}
	return open
}
