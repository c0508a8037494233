package hlo

import (
	"slices"
	"strings"
)

// Named returns the instructions of a name, with or without `%`: that of the entry first, then those in memory (see
// InMemory), then the others, in the order of the text. %computation/%name is the one of that computation. Names are
// unique in a module that a compiler printed.
func (m *Module) Named(name string) (found []*Instruction) {
	name, inside := split(name)
	add := func(c *Computation) {
		if c == nil || inside != "" && c.Name != inside {
			return
		}
		if in := c.Instruction(name); in != nil {
			found = append(found, in)
		}
	}
	add(m.Entry)
	first := len(found)
	for _, c := range m.Computations {
		if c != m.Entry {
			add(c)
		}
	}
	if len(found)-first < 2 {
		return found
	}
	memory := map[*Computation]bool{}
	for _, c := range m.InMemory() {
		memory[c] = true
	}
	slices.SortStableFunc(found[first:], func(a, b *Instruction) int {
		switch x, y := memory[a.Computation], memory[b.Computation]; {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	return found
}

// split returns a name without `%`, and the computation that stands before it, "" for none.
func split(name string) (of, computation string) {
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		computation, name = strings.TrimPrefix(name[:at], "%"), name[at+1:]
	}
	return strings.TrimPrefix(name, "%"), computation
}

// Find returns the first of Named. Where there is none it is nil, and nearest the name that may be meant: one spelled
// alike, or the same with another number; "" if none is.
func (m *Module) Find(name string) (in *Instruction, nearest string) {
	if found := m.Named(name); len(found) > 0 {
		return found[0], ""
	}
	name, inside := split(name)
	before := ""
	var names []string
	for _, c := range m.Computations {
		if inside == c.Name {
			before = inside + "/"
		} else if inside != "" {
			continue
		}
		for _, in := range c.Instructions {
			names = append(names, in.Name)
		}
	}
	if inside != "" && before == "" {
		for _, c := range m.Computations {
			names = append(names, c.Name)
		}
		if near := Nearest(inside, names); near != "" {
			return nil, near + "/" + name
		}
		return nil, ""
	}
	if near := Nearest(name, names); near != "" {
		return nil, before + near
	}
	if at := slices.IndexFunc(names, func(n string) bool { return stem(n) == stem(name) }); at >= 0 {
		return nil, before + names[at]
	}
	return nil, ""
}

// stem returns a name without the number that a compiler gave it: cv of cv.1.
func stem(name string) string {
	base := strings.TrimRight(name, "0123456789")
	if len(base) > 1 && len(base) < len(name) && base[len(base)-1] == '.' {
		return base[:len(base)-1]
	}
	return name
}
