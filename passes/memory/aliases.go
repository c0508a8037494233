package memory

import (
	"math"
	"regexp"
	"strconv"
	"sync"

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

var aliasText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{([\d, ]*)\} *: *\( *(\d{1,9}) *, *\{([\d, ]*)\}`)
})

var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+`) })

// parseAliases reads a list such as {0}: (1, {}), {1,0}: (2, {0}, must-alias).
func parseAliases(v *hlo.Value) (out []alias) {
	if v == nil {
		return nil
	}
	index := func(text string) (index []int) {
		for _, n := range number().FindAllString(text, -1) {
			k, err := strconv.Atoi(n)
			if err != nil {
				k = math.MaxInt32 // no element
			}
			index = append(index, k)
		}
		return index
	}
	for _, x := range aliasText().FindAllStringSubmatch(v.Text, -1) {
		operand, _ := strconv.Atoi(x[2])
		out = append(out, alias{output: index(x[1]), operand: operand, index: index(x[3])})
	}
	return out
}
