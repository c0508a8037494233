package diff

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
)

// contract compares what callers of the module rely on: the layouts of the entry's parameters and results, and which
// buffers they may share. Parameters and results that moved because others were inserted or removed have not changed.
func (c *comparison) contract() {
	oldParams, oldResult := entryShapes(c.Old)
	newParams, newResult := entryShapes(c.New)
	old, new := parameters(c.Old), parameters(c.New)
	c.slots("parameter", c.params, oldParams, newParams, func(isNew bool, i int) string {
		if isNew {
			return argumentText(new, i)
		}
		return argumentText(old, i)
	})
	for n, o := range c.params { // of a text whose entry_computation_layout is not that of the parameters
		if o < 0 || o >= len(old) || n >= len(new) || old[o] == nil || new[n] == nil ||
			!oldParams[o].Compatible(newParams[n]) || old[o].Shape.Compatible(new[n].Shape) {
			continue
		}
		c.leafChanges(ContractChange{Name: argumentText(new, n)}, fmt.Sprintf("parameter %d", n), old[o].Shape,
			new[n].Shape)
	}
	results := c.results(oldResult, newResult)
	if !c.sameAliases() || !isIdentity(results) {
		c.shared("alias", aliases(c.Old), aliases(c.New), results)
	}
	c.shared("donor", donors(c.Old), donors(c.New), results)
}

// results compares the results: element by element where both are tuples; it returns the pairs of elements.
func (c *comparison) results(old, new *hlo.Shape) []int {
	if old == nil || new == nil || !old.IsTuple() || !new.IsTuple() {
		c.leafChanges(ContractChange{What: "result"}, "result ", old, new)
		return nil
	}
	pairs := c.resultPairs(old.Elems, new.Elems)
	c.slots("result", pairs, old.Elems, new.Elems, func(bool, int) string { return "" })
	return pairs
}

// slots compares the parameters, or the elements of the results, as they are paired.
func (c *comparison) slots(what string, toOld []int, old, new []*hlo.Shape, name func(isNew bool, i int) string) {
	label := func(i int) string {
		if what == "result" {
			return fmt.Sprintf("%s {%d}", what, i)
		}
		return fmt.Sprintf("%s %d", what, i)
	}
	found := make([]bool, len(old))
	far := moved(toOld)
	for n, o := range toOld {
		if o < 0 {
			c.r.Contract = append(c.r.Contract, ContractChange{Kind: Inserted, What: label(n), Name: name(true, n),
				To: new[n]})
			continue
		}
		found[o] = true
		if far[n] {
			c.r.Contract = append(c.r.Contract, ContractChange{Kind: Reordered, What: label(o), Name: name(true, n),
				From: old[o], To: new[n], Old: label(o), New: label(n)})
		}
		c.leafChanges(ContractChange{Name: name(true, n)}, label(n), old[o], new[n])
	}
	for o, s := range old {
		if !found[o] {
			c.r.Contract = append(c.r.Contract, ContractChange{Kind: Removed, What: label(o), Name: name(false, o),
				From: s})
		}
	}
}

// parameters returns the entry's parameters, none where the module has no entry.
func parameters(m *hlo.Module) []*hlo.Instruction {
	if m.Entry == nil {
		return nil
	}
	return m.Entry.Parameters()
}

// argumentText is the name that the argument of one of an entry's parameters has in the program, "" where the module
// does not say.
func argumentText(ps []*hlo.Instruction, i int) string {
	if i < len(ps) && ps[i] != nil {
		if text, ok := hlo.Unquote(source(ps[i])); ok {
			return text
		}
		return source(ps[i])
	}
	return ""
}

// share is one entry of input_output_alias or buffer_donor: the parameter, -1 for no result, and the text.
type share struct {
	result, parameter int
	rest, text        string
}

func aliases(m *hlo.Module) (out []share) {
	for _, a := range m.Aliases() {
		s := share{result: -1, parameter: a.Number, rest: a.Index.String(),
			text: strings.ReplaceAll(a.String(), "  ", " ")}
		if len(a.Output) > 0 {
			s.result = a.Output[0]
			s.rest += a.Output[1:].String()
		}
		if a.Must {
			s.rest += " must"
			s.text += " (must)"
		}
		out = append(out, s)
	}
	return out
}

// donors reads buffer_donor, whose entries are (parameter, {index}).
func donors(m *hlo.Module) (out []share) {
	for _, e := range entries(m.Attr("buffer_donor")) {
		number, rest, _ := strings.Cut(strings.Trim(e, "()"), ",")
		if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
			out = append(out, share{-1, n, strings.TrimSpace(rest), e})
		}
	}
	return out
}

// shared compares which buffers parameters and results share, those that one side alone has left out: they have been
// said.
func (c *comparison) shared(what string, old, new []share, results []int) {
	type key struct {
		result, parameter int
		rest              string
	}
	oldKey := func(s share) key { return key{s.result, s.parameter, s.rest} }
	newKey := func(s share) (k key, both bool) {
		k = oldKey(s)
		if s.parameter >= len(c.params) || c.params[s.parameter] < 0 {
			return k, false
		}
		k.parameter = c.params[s.parameter]
		if s.result >= 0 && results != nil {
			if s.result >= len(results) || results[s.result] < 0 {
				return k, false
			}
			k.result = results[s.result]
		}
		return k, true
	}
	kept := map[int]bool{}
	for _, o := range c.params {
		kept[o] = true
	}
	keptResult := map[int]bool{}
	for _, o := range results {
		keptResult[o] = true
	}
	olds, news := map[key]bool{}, map[key]bool{}
	for _, s := range old {
		olds[oldKey(s)] = true
	}
	for _, s := range new {
		k, both := newKey(s)
		if news[k] = true; both && !olds[k] {
			c.r.Contract = append(c.r.Contract, ContractChange{Kind: Inserted, What: what, New: s.text})
		}
	}
	for _, s := range old {
		if !news[oldKey(s)] && kept[s.parameter] && (results == nil || s.result < 0 || keptResult[s.result]) {
			c.r.Contract = append(c.r.Contract, ContractChange{Kind: Removed, What: what, Old: s.text})
		}
	}
}

// entryShapes returns the shapes of entry_computation_layout, or those of the entry where the module has none.
func entryShapes(m *hlo.Module) (params []*hlo.Shape, result *hlo.Shape) {
	if params, result, ok := m.EntryLayout(); ok {
		return params, result
	}
	if m.Entry == nil {
		return nil, nil
	}
	for _, p := range m.Entry.Parameters() {
		if p == nil {
			params = append(params, nil)
			continue
		}
		params = append(params, p.Shape)
	}
	return params, m.Entry.Root.Shape
}

// leafChanges compares two shapes leaf by leaf where they have the same structure, as a whole otherwise.
func (c *comparison) leafChanges(change ContractChange, what string, old, new *hlo.Shape) {
	if old == new {
		return
	}
	add := func(index hlo.Index, from, to *hlo.Shape) {
		change := change
		change.What, change.From, change.To = strings.TrimSpace(what+indexText(index)), from, to
		switch {
		case from == nil:
			change.Kind = Inserted
		case to == nil:
			change.Kind = Removed
		case from.Compatible(to):
			change.Kind = Relaid
		default:
			change.Kind = Retyped
		}
		c.r.Contract = append(c.r.Contract, change)
	}
	if old == nil || new == nil || !old.Compatible(new) &&
		!(old.IsTuple() && new.IsTuple() && len(old.Elems) == len(new.Elems)) {
		add(nil, old, new)
		return
	}
	new.Leaves(func(index hlo.Index, leaf *hlo.Shape) {
		was := old.At(index)
		if was != nil && was.Compatible(leaf) && (!leaf.IsArray() || c.ignore.equal(was.Layout, leaf.Layout)) {
			return
		}
		add(index, was, leaf)
	})
}

func indexText(index hlo.Index) string {
	if len(index) == 0 {
		return ""
	}
	return "{" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint([]int(index)), "[]")), ",") + "}"
}

// entries cuts the text of a list such as { (0, {}), (1, {2}) } at its outermost commas.
func entries(v *hlo.Value) (out []string) {
	if v == nil {
		return nil
	}
	depth, start := 0, 0
	cut := func(end int) {
		if e := strings.TrimSpace(v.Text[start:end]); e != "" {
			out = append(out, e)
		}
		start = end + 1
	}
	for i := range len(v.Text) {
		switch v.Text[i] {
		case '{', '(', '[':
			if depth++; depth == 1 {
				start = i + 1
			}
		case '}', ')', ']':
			if depth--; depth == 0 {
				cut(i)
			}
		case ',':
			if depth == 1 {
				cut(i)
			}
		}
	}
	return out
}

// module compares the attributes of the first line that no caller relies on.
func (c *comparison) module() {
	for _, a := range compareAttrs(c.Old.Attrs, c.New.Attrs) {
		switch a.Name {
		case "entry_computation_layout", "input_output_alias", "buffer_donor":
			continue
		case "origin_recovery_table", "debug_attributes":
			if c.ignore.Metadata {
				continue
			}
		case "allow_spmd_sharding_propagation_to_parameters", "allow_spmd_sharding_propagation_to_output":
			if c.interfaceMoved() {
				continue
			}
		case "frontend_attributes":
			if moved := c.interfaceMoved(); withoutModes(a.Old, moved) == withoutModes(a.New, moved) {
				continue
			}
		}
		c.r.Module = append(c.r.Module, a)
	}
	if c.Old.Name != c.New.Name && !c.ignore.Names {
		c.r.Module = append(c.r.Module, AttrChange{"name", hlo.WordOf(c.Old.Name), hlo.WordOf(c.New.Name)})
	}
}

// interfaceMoved reports whether parameters or results were inserted, removed or moved: lists with an item for each
// change too.
func (c *comparison) interfaceMoved() bool {
	return slices.ContainsFunc(c.r.Contract, func(x ContractChange) bool { return x.Kind >= Reordered })
}

// modes are the front-end attributes that list the layout mode or memory space of each parameter and result;
// defaultModes are those that say nothing but the default, which newer front ends write.
var (
	modes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:arg|out)_(?:layout_modes|memory_spaces|memory_kinds)="[^"]*",?`)
	})
	defaultModes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:arg|out)_(?:layout_modes|memory_spaces|memory_kinds)="(?:(?:default|0);?)*",?`)
	})
)

// withoutModes is the text of front-end attributes without default modes, or with none where all is true.
func withoutModes(v *hlo.Value, all bool) string {
	if v == nil {
		return ""
	}
	form := defaultModes()
	if all {
		form = modes()
	}
	return strings.Trim(form.ReplaceAllString(v.Text, ""), "{},")
}
