package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
	"hlolayout/printer/diff"
)

// tilesAssigned reports whether all changes are those of arrays without tiles to arrays with them: what a module of JAX
// has in its entry_computation_layout before the compiler chooses layouts.
func tilesAssigned(list []diff.ContractChange) bool {
	return !slices.ContainsFunc(list, func(c diff.ContractChange) bool {
		return c.Kind != diff.Relaid || c.From.IsTiled() || !c.To.IsTiled()
	})
}

// contractLines says what changed of the entry: what was inserted, removed or moved in one line each, equal changes of
// layout or type in one line.
func contractLines(list []diff.ContractChange) []string {
	type key struct {
		noun, from, to string
		kind           diff.ContractKind
	}
	var order []key
	groups := map[key][]diff.ContractChange{}
	for _, c := range list {
		noun, _, _ := strings.Cut(c.What, " ")
		k := key{noun: noun, kind: c.Kind}
		if c.Kind == diff.Relaid || c.Kind == diff.Retyped {
			k.from, k.to = shapeText(c.From), shapeText(c.To)
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], c)
	}
	var out []string
	for _, k := range order {
		g := groups[k]
		head := k.noun
		if g[0].From == nil && g[0].To == nil { // aliases and donors
			out = append(out, k.noun+" "+contractVerbs[k.kind]+shareText(g))
			continue
		}
		var where []string
		for _, c := range g {
			where = append(where, strings.TrimSpace(strings.TrimPrefix(c.What, k.noun)))
		}
		head += places(where)
		if n := argumentNames(g); n != "" {
			head += " (" + n + ")"
		}
		switch k.kind {
		case diff.Inserted, diff.Removed:
			out = append(out, head+" "+contractVerbs[k.kind]+": "+shapesText(g))
		case diff.Reordered:
			out = append(out, head+" moved: "+g[0].Old+" -> "+g[0].New+more(len(g)-1))
		default:
			out = append(out, head+": "+changeText(g))
		}
	}
	return out
}

// shareText lists aliases or donors.
func shareText(g []diff.ContractChange) string {
	const most = 3
	text := ""
	if len(g) > 1 {
		text = fmt.Sprintf(" x%d", len(g))
	}
	for i, c := range g[:min(len(g), most)] {
		text += [...]string{": ", ", ", ", "}[i] + c.Old + c.New
	}
	return text + more(len(g)-most)
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// changeText says how the shapes of a group changed, and their sizes.
func changeText(g []diff.ContractChange) string {
	c := g[0]
	if !c.From.Compatible(c.To) {
		return Change(c.From, c.To)
	}
	text := bare(c.To)
	if n := len(g); n > 1 {
		text += fmt.Sprintf(" x%d", n)
	}
	text += ": " + Change(c.From, c.To)
	a, b := padding.SizeOf(c.From), padding.SizeOf(c.To)
	if a.Known && b.Known && a.Padded != b.Padded {
		text += fmt.Sprintf(", %s -> %s", Bytes(a.Padded), Bytes(b.Padded))
	}
	return text
}

// argumentNames names the first arguments of a group, "" where the module has no names.
func argumentNames(g []diff.ContractChange) string {
	const most = 2
	var list []string
	for _, c := range g {
		if c.Name != "" {
			list = append(list, c.Name)
		}
	}
	if len(list) > most {
		return list[0] + " ... " + list[len(list)-1]
	}
	return strings.Join(list, ", ")
}

// shapesText lists the shapes that one side has, each once with its number, and their padded bytes.
func shapesText(g []diff.ContractChange) string {
	const most = 3
	var order []string
	n := map[string]int{}
	var bytes int64
	for _, c := range g {
		s := c.To
		if s == nil {
			s = c.From
		}
		text := shapeText(s)
		if len(text) > 120 {
			text = text[:120] + " ..."
		}
		if n[text]++; n[text] == 1 {
			order = append(order, text)
		}
		s.Leaves(func(_ hlo.Index, leaf *hlo.Shape) {
			if leaf.IsArray() {
				bytes += padding.SizeOf(leaf).Padded
			}
		})
	}
	var parts []string
	for _, text := range order[:min(len(order), most)] {
		if n[text] > 1 {
			text += fmt.Sprintf(" x%d", n[text])
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ") + more(len(order)-most) + ", " + Bytes(bytes)
}

// places lists numbers and indices, the first few, runs of numbers as one: "s 0, 3 to 9, 12 and 9 more".
func places(list []string) string {
	const most = 6
	if len(list) == 1 {
		return strings.TrimRight(" "+list[0], " ")
	}
	var parts []string
	covered := 0
	for i := 0; i < len(list) && len(parts) < most; {
		k := i + 1
		for k < len(list) && nextTo(list[k-1], list[k]) {
			k++
		}
		if k-i > 2 {
			parts = append(parts, list[i]+" to "+list[k-1])
		} else {
			k = i + 1
			parts = append(parts, list[i])
		}
		covered += k - i
		i = k
	}
	return "s " + strings.Join(parts, ", ") + more(len(list)-covered)
}

// nextTo reports whether b is the number after a: 4 after 3, {4} after {3}.
func nextTo(a, b string) bool {
	m, errA := strconv.Atoi(strings.Trim(a, "{}"))
	n, errB := strconv.Atoi(strings.Trim(b, "{}"))
	return errA == nil && errB == nil && n == m+1
}
