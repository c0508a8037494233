package memory

import (
	"strings"

	"hlolayout/hlo"
)

// alias says that an output shares the memory of a leaf of an operand (or of a parameter).
type alias struct {
	output  []int
	operand int
	index   []int
}

// outputAliases reads output_to_operand_aliasing={{0}: (1, {})}.
func outputAliases(in *hlo.Instruction) []alias {
	if in.Opcode == hlo.OpAsyncStart {
		return nil
	}
	return parseAliases(in.Attr("output_to_operand_aliasing"))
}

// donations reads the module's input_output_alias={ {0}: (1, {}, may-alias) }.
func donations(m *hlo.Module) []alias { return parseAliases(m.Attr("input_output_alias")) }

func parseAliases(v *hlo.Value) []alias {
	if v == nil {
		return nil
	}
	text := strings.TrimSpace(v.Text)
	text = strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	var out []alias
	for {
		var a alias
		var ok bool
		if a.output, text, ok = cutIndex(text); !ok {
			return out
		}
		_, rest, found := strings.Cut(text, "(")
		if !found {
			return out
		}
		i := 0
		for rest = strings.TrimLeft(rest, " "); i < len(rest) && rest[i] >= '0' && rest[i] <= '9' && a.operand < 1<<30; i++ {
			a.operand = 10*a.operand + int(rest[i]-'0')
		}
		if a.index, text, ok = cutIndex(rest[i:]); !ok {
			return out
		}
		_, text, _ = strings.Cut(text, ")")
		out = append(out, a)
	}
}

// cutIndex reads the next {1,0} of text.
func cutIndex(text string) (index []int, rest string, ok bool) {
	_, text, ok = strings.Cut(text, "{")
	if !ok {
		return nil, "", false
	}
	inside, rest, ok := strings.Cut(text, "}")
	if !ok {
		return nil, "", false
	}
	for _, part := range strings.Split(inside, ",") {
		n, digits := 0, false
		for _, r := range part {
			if r >= '0' && r <= '9' && n < 1<<30 {
				n, digits = 10*n+int(r-'0'), true
			}
		}
		if digits {
			index = append(index, n)
		}
	}
	return index, rest, true
}
