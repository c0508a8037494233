// Package whatif asks what another layout would cost: it reads pins and entry layouts as a user writes them, compares
// what two runs of layout assignment take in memory and copy, and tries entry layouts in search of cheaper ones.
package whatif

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/layout"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// Entry requests the order of one array of a module's interface: a parameter, the result, or the part of it at Index.
type Entry struct {
	// Name is the parameter's name without %; where it is "" Parameter is its number, or Result stands for the result.
	Name         string
	Parameter    int
	Index        hlo.Index
	MinorToMajor []int
}

// Result is the Parameter that stands for the result.
const Result = -1

// String returns the entry as ParseEntry reads it, such as "param 3{1}={1,2,0}".
func (e Entry) String() string {
	place := "param " + strconv.Itoa(e.Parameter)
	switch {
	case e.Name != "":
		place = "%" + e.Name
	case e.Parameter == Result:
		place = "result"
	}
	return place + e.Index.String() + "=" + (&hlo.Layout{MinorToMajor: e.MinorToMajor}).String()
}

var (
	pinned = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^%?((?:[\w.\-]+/%?)?[\w.\-]+)(?:\{([\d,]*)\})?=\{([\d,]*)\}$`)
	})
	number = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^param(?:eter)? ([0-9]{1,9})(?:\{([\d,]*)\})?=\{([\d,]*)\}$`)
	})
)

// ParsePin reads %name={0,1}, or %name{1}={0,1} for a part of a tuple; the name may be %computation/%name. The
// error says how to write it.
func ParsePin(text string) (plan.Pin, error) {
	parts := pinned().FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return plan.Pin{}, fmt.Errorf("%q is not a pin: write '%%name={0,1}', or '%%name{1}={0,1}' for a part of a "+
			"tuple", text)
	}
	p := plan.Pin{Name: parts[1]}
	var err1, err2 error
	p.Index, err1 = numbers(parts[2])
	p.MinorToMajor, err2 = numbers(parts[3])
	if err1 != nil || err2 != nil {
		return p, fmt.Errorf("%q is not a pin: its braces hold numbers, a comma between two of them", text)
	}
	return p, nil
}

// ParseEntry reads 'param 3={1,2,0}', 'result={1,0}' or '%name={1,0}', with {1} before the = for a part of a tuple. The
// error says how to write it.
func ParseEntry(text string) (Entry, error) {
	text = strings.TrimSpace(text)
	e := Entry{}
	parts := number().FindStringSubmatch(text)
	if parts != nil {
		e.Parameter, _ = strconv.Atoi(parts[1])
	} else if parts = pinned().FindStringSubmatch(text); parts == nil {
		return e, fmt.Errorf("%q is not an entry layout: write 'param 3={1,2,0}', 'result={1,0}', or '%%name={1,0}', "+
			"with {0} before the = for a part of a tuple", text)
	} else if parts[1] == "result" && !strings.HasPrefix(text, "%") {
		e.Parameter = Result
	} else {
		e.Name = parts[1]
	}
	var err1, err2 error
	e.Index, err1 = numbers(parts[2])
	e.MinorToMajor, err2 = numbers(parts[3])
	if err1 != nil || err2 != nil {
		return e, fmt.Errorf("%q is not an entry layout: its braces hold numbers, a comma between two of them", text)
	}
	return e, nil
}

// numbers reads "1,2,0"; nil for "".
func numbers(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var out []int
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// SetEntry sets entry_computation_layout of a module that has no layouts yet: the given orders, and for all else what
// entry.Of says in that mode. Errors are hlo.ErrorList with the codes of package layout.
func SetEntry(m *hlo.Module, t *tpu.Target, mode entry.Mode, entries []Entry) error {
	iface, err := interfaceOf(m, t, mode)
	if err != nil {
		return err
	}
	params, result := iface.Params, iface.Result
	owners := m.Entry.Parameters()
	seen := map[string]Entry{}
	for _, e := range entries {
		k, err := parameterOf(m, owners, e)
		if err != nil {
			return err
		}
		owner, shape := m.Entry.Root, &result
		if k != Result {
			owner, shape = owners[k], &params[k]
		}
		leaf, err := layout.Leaf(m, owner, *shape, e.Index, e.MinorToMajor)
		if err != nil {
			return err
		}
		place := Entry{Parameter: k, Index: e.Index}.String()
		if was, ok := seen[place]; ok && !slices.Equal(was.MinorToMajor, e.MinorToMajor) {
			return moduleError(m, "PIN106", "", "%s contradicts %s: the two are one array", e, was)
		}
		seen[place] = e
		l := layoutOf(t, leaf, e.MinorToMajor)
		*shape = (*shape).WithLeaves(func(index hlo.Index, s *hlo.Shape) *hlo.Shape {
			if slices.Equal(index, e.Index) {
				return s.WithLayout(l)
			}
			return s
		})
	}
	m.SetEntryLayout(params, result)
	return nil
}

// layoutOf returns the layout of an array of the interface in another order. An order that was written without tiles
// stays without: the pass adds the target's, and treats written tiles otherwise (they go on through operations that
// keep layouts).
func layoutOf(t *tpu.Target, leaf *hlo.Shape, order []int) *hlo.Layout {
	l := &hlo.Layout{MinorToMajor: order}
	if leaf.Layout == nil || len(leaf.Layout.Tiles) > 0 {
		x := *t.Layout(leaf.DType, leaf.Dims, order, true)
		l = &x
	}
	if leaf.Layout != nil {
		l.MemorySpace = leaf.Layout.MemorySpace
	}
	return l
}

// interfaceOf is entry.Of with errors that have a code.
func interfaceOf(m *hlo.Module, t *tpu.Target, mode entry.Mode) (*entry.Interface, error) {
	if m.Entry == nil || m.Entry.Root == nil {
		return nil, moduleError(m, "PIN101", "", "module %s has no entry computation", m.Name)
	}
	if slices.Contains(m.Entry.Parameters(), nil) {
		return nil, moduleError(m, "PIN101", "", "the entry computation does not have all of its parameters")
	}
	iface, err := entry.Of(m, t, mode)
	if err != nil {
		return nil, moduleError(m, "PIN101", "", "%v", err)
	}
	return iface, nil
}

// parameterOf returns the number of the parameter that an entry names, or Result.
func parameterOf(m *hlo.Module, owners []*hlo.Instruction, e Entry) (int, error) {
	if e.Name == "" {
		if e.Parameter >= len(owners) || e.Parameter < Result {
			return 0, moduleError(m, "PIN101", "", "no parameter %d: the entry computation has %d", e.Parameter,
				len(owners))
		}
		return e.Parameter, nil
	}
	var names []string
	for k, p := range owners {
		if p.Name == e.Name {
			return k, nil
		}
		names = append(names, p.Name)
	}
	hint := ""
	if near := hlo.Nearest(e.Name, names); near != "" {
		hint = "did you mean %" + near + "?"
	}
	return 0, moduleError(m, "PIN101", hint, "no parameter %%%s in the entry computation", e.Name)
}

func moduleError(m *hlo.Module, code, hint, format string, args ...any) error {
	return hlo.ErrorList{{File: m.File, Code: code, Msg: fmt.Sprintf(format, args...), Hint: hint}}
}
