package hlo

import (
	"fmt"
	"slices"
)

// Alias is one entry {output}: (number, {index}, kind) of an aliasing table: a part of the result has the place of a
// part of a parameter (input_output_alias) or of an operand (output_to_operand_aliasing). Those of buffer_donor,
// (number, {index}), have no output.
type Alias struct {
	Output Index
	Number int // of the parameter or operand, not negative
	Index  Index
	// Must says must-alias; otherwise the compiler may copy.
	Must bool
}

// String returns an entry of input_output_alias as "result {0} = parameter 3{1}".
func (a Alias) String() string {
	space := " "
	if len(a.Output) == 0 {
		space = ""
	}
	return fmt.Sprintf("result%s%s = parameter %d%s", space, a.Output, a.Number, a.Index)
}

// Aliases returns the entries of input_output_alias in the order of the text, up to the first that is not of the form.
func (m *Module) Aliases() []Alias {
	list, _ := m.Attr("input_output_alias").Aliases()
	return list
}

// Aliases returns the entries of output_to_operand_aliasing in the order of the text, up to the first that is not of
// the form.
func (in *Instruction) Aliases() []Alias {
	list, _ := in.Attr("output_to_operand_aliasing").Aliases()
	return list
}

// Aliases reads an aliasing table; none has no entries. ok is false where an entry is not of the form, and those in
// front of it are returned.
func (v *Value) Aliases() (list []Alias, ok bool) {
	if v == nil {
		return nil, true
	}
	var output Index
	for i := range v.Elems {
		switch e := &v.Elems[i]; {
		case e.Kind == PunctValue: // the colon
		case e.Kind == ListValue && e.Open == '{':
			if output, ok = e.index(); !ok {
				return list, false
			}
		default:
			a, ok := e.alias()
			if !ok {
				return list, false
			}
			a.Output, output = output, nil
			list = append(list, a)
		}
	}
	return list, true
}

// alias reads (number, {index}, kind).
func (v *Value) alias() (a Alias, ok bool) {
	if v.Kind != ListValue || len(v.Elems) < 2 {
		return a, false
	}
	n, ok := v.Elems[0].Int()
	if !ok || n < 0 || int64(int(n)) != n {
		return a, false
	}
	a.Number = int(n)
	a.Index, ok = v.Elems[1].index()
	a.Must = len(v.Elems) > 2 && v.Elems[2].Text == "must-alias"
	return a, ok
}

// index reads {0,1}.
func (v *Value) index() (Index, bool) {
	ns, ok := v.Ints()
	return Index(ns), ok && !slices.ContainsFunc(ns, func(n int) bool { return n < 0 })
}
