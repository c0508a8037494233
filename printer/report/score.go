package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/passes/plan"
	"hlolayout/passes/reasons"
	"hlolayout/printer"
)

// Score says how far predictions are what a compiler did, over one or more modules.
type Score struct {
	Form
	Origin
	// Layouts counts the modules before and after layout assignment, Spaces those before and after memory-space
	// assignment.
	Layouts LayoutScore `json:"layouts"`
	Spaces  SpaceScore  `json:"spaces"`
	// Rules counts the arrays by the rule that gave the prediction, the worst first. Unruled counts the others: of at
	// most one dimension, which have one order, or with a layout that no rule chose. Together they are the arrays of
	// Layouts.
	Rules   []RuleScore `json:"rules"`
	Unruled Tally       `json:"no_rule"`
	// Misses are the first wrong instruction of each module.
	Misses []Miss `json:"misses"`
}

// LayoutScore counts arrays of instructions that the module has before and after layout assignment, parts of tuples
// each.
type LayoutScore struct {
	Modules int `json:"modules"`
	Arrays  int `json:"arrays"`
	// Of is how many arrays the compiler's modules have: the others are of instructions that the compiler did not
	// receive, by computation and name.
	Of int `json:"arrays_of"`
	// Order is in how many minor_to_major is the compiler's, Layout in how many all of the layout is.
	Order  int `json:"order_right"`
	Layout int `json:"layout_right"`
	// Right is the number of modules in which every layout is the compiler's, Same of those whose text is the compiler's
	// but for the names of instructions that the pass added, Exact of those whose text is.
	Right int `json:"modules_right"`
	Same  int `json:"modules_same"`
	Exact int `json:"modules_exact"`
	// Missing counts instructions of the compiler's that the prediction lacks, Extra those that it has and the compiler
	// does not.
	Missing int `json:"missing"`
	Extra   int `json:"extra"`
}

// SpaceScore counts arrays that the module has before and after memory-space assignment, outside of fusions.
type SpaceScore struct {
	Modules    int   `json:"modules"`
	Arrays     int   `json:"arrays"`
	Of         int   `json:"arrays_of"` // as in LayoutScore, outside of fusions
	Spaces     int   `json:"spaces_right"`
	Bytes      int64 `json:"bytes"`
	RightBytes int64 `json:"bytes_right"`
	Right      int   `json:"modules_right"`
}

// Tally counts arrays, and those whose layout is the compiler's.
type Tally struct {
	Seen  int `json:"seen"`
	Right int `json:"right"`
}

func (t *Tally) count(right bool) {
	t.Seen++
	if right {
		t.Right++
	}
}

// RuleScore counts the arrays whose prediction one rule gave.
type RuleScore struct {
	Rule string `json:"rule"`
	Tally
}

// Miss is an array that the prediction gives another layout, or memory space, than the compiler.
type Miss struct {
	Module      string `json:"module"`
	File        string `json:"file"`
	Computation string `json:"computation"`
	Value       string `json:"value"`
	Opcode      string `json:"opcode"`
	// Predicted and Compiler are the shapes with their layouts; Predicted is "" for an instruction that the prediction
	// lacks.
	Predicted string `json:"predicted"`
	Compiler  string `json:"compiler"`
	// Rule gave the prediction, "" for a memory space.
	Rule string `json:"rule,omitempty"`
}

// place is an array: computation, instruction and number among its parts.
type place struct {
	computation, name string
	leaf              int
}

// Predicted is a module as a compiler received it, and the rules that predict its layouts.
type Predicted struct {
	// Source is the text that the compiler received, File its name.
	Source, File string
	known        map[[2]string]*hlo.Shape // by computation and name
	rules        map[place]string
}

// NewPredicted keeps what is compared of a module before a plan is applied to it.
func NewPredicted(m *hlo.Module, file string) *Predicted {
	p := &Predicted{Source: m.Source, File: file, known: map[[2]string]*hlo.Shape{}}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			p.known[[2]string{c.Name, in.Name}] = in.Shape
		}
	}
	return p
}

// Shared returns how many of the compiler's instructions are in the module that it received, by computation and name,
// and how many of these have the data type and dimensions that they had there.
func (p *Predicted) Shared(after *hlo.Module) (named, same int) {
	for _, c := range after.Computations {
		for _, in := range c.Instructions {
			if s := p.known[[2]string{c.Name, in.Name}]; s != nil {
				named++
				if s.Compatible(in.Shape) {
					same++
				}
			}
		}
	}
	return named, same
}

// Decided takes note of the rules of a plan that was applied.
func (p *Predicted) Decided(of *plan.Plan) {
	p.rules = make(map[place]string, len(of.Decisions))
	for i := range of.Decisions {
		d := &of.Decisions[i]
		if d.Instruction.Computation == nil {
			continue
		}
		n := 0
		d.Instruction.Shape.Leaves(func(index hlo.Index, _ *hlo.Shape) {
			if slices.Equal(index, d.Index) {
				p.rules[place{d.Instruction.Computation.Name, d.Instruction.Name, n}] = reasons.RuleName(d.Reason.Rule)
			}
			n++
		})
	}
}

// arrays calls f for each part of an instruction that both modules have and the compiler received: the compiler's, and
// the predicted one, nil where there is none.
func (p *Predicted) arrays(ours, after *hlo.Module, f func(in *hlo.Instruction, leaf int, got, want *hlo.Shape)) {
	mine := map[[2]string][]*hlo.Shape{}
	for _, c := range ours.Computations {
		for _, in := range c.Instructions {
			mine[[2]string{c.Name, in.Name}] = leavesOf(in)
		}
	}
	for _, c := range after.Computations {
		for _, in := range c.Instructions {
			key := [2]string{c.Name, in.Name}
			if p.known[key] == nil {
				continue
			}
			got := mine[key]
			for i, want := range leavesOf(in) {
				var s *hlo.Shape
				if i < len(got) {
					s = got[i]
				}
				f(in, i, s, want)
			}
		}
	}
}

func leavesOf(in *hlo.Instruction) (out []*hlo.Shape) {
	in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) { out = append(out, s) })
	return out
}

// AddLayouts compares the module that layout assignment is predicted to make with the compiler's.
func (s *Score) AddLayouts(p *Predicted, ours, after *hlo.Module) {
	wrong := 0
	l := &s.Layouts
	rules := map[string]*RuleScore{}
	for i := range s.Rules {
		rules[s.Rules[i].Rule] = &s.Rules[i]
	}
	p.arrays(ours, after, func(in *hlo.Instruction, leaf int, got, want *hlo.Shape) {
		l.Arrays++
		right := got != nil && got.String() == want.String()
		if got != nil && got.Compatible(want) && slices.Equal(got.MinorToMajor(), want.MinorToMajor()) {
			l.Order++
		}
		rule := p.rules[place{in.Computation.Name, in.Name, leaf}]
		if rule != "" && want.Rank() > 1 {
			if rules[rule] == nil {
				rules[rule] = &RuleScore{Rule: rule}
			}
			rules[rule].count(right)
		} else {
			s.Unruled.count(right)
		}
		if right {
			l.Layout++
			return
		}
		if wrong++; wrong == 1 {
			s.miss(p, in, leaf, got, want, rule)
		}
	})
	s.Rules = s.Rules[:0:0]
	for _, r := range rules {
		s.Rules = append(s.Rules, *r)
	}
	slices.SortFunc(s.Rules, func(a, b RuleScore) int {
		return cmp.Or(cmp.Compare(b.Seen-b.Right, a.Seen-a.Right), cmp.Compare(b.Seen, a.Seen), cmp.Compare(a.Rule, b.Rule))
	})
	l.Modules++
	l.Of += arraysOf(after, nil)
	if wrong == 0 {
		l.Right++
	}
	a, b := instructionsOf(ours), instructionsOf(after)
	l.Missing, l.Extra = l.Missing+lacking(b, a), l.Extra+lacking(a, b)
	x, y := trimmed(printer.Print(ours)), trimmed(after.Source)
	if x == y {
		l.Exact++
	}
	if x == y || p.renamed(x) == p.renamed(y) {
		l.Same++
	}
}

// AddSpaces compares the module that memory-space assignment is predicted to make with the compiler's.
func (s *Score) AddSpaces(p *Predicted, ours, after *hlo.Module) {
	bodies := map[string]bool{}
	for _, c := range after.Computations {
		for _, in := range c.Instructions {
			for _, called := range in.Called() {
				if in.Opcode == hlo.OpFusion || in.CalledBy("to_apply") == called {
					bodies[called.Name] = true
				}
			}
		}
	}
	wrong := 0
	p.arrays(ours, after, func(in *hlo.Instruction, leaf int, got, want *hlo.Shape) {
		if bodies[in.Computation.Name] {
			return
		}
		n := elementBytes(want)
		s.Spaces.Arrays++
		s.Spaces.Bytes += n
		if got != nil && memoryOf(got) == memoryOf(want) {
			s.Spaces.Spaces++
			s.Spaces.RightBytes += n
			return
		}
		if wrong++; wrong == 1 {
			s.miss(p, in, leaf, got, want, "")
		}
	})
	s.Spaces.Modules++
	s.Spaces.Of += arraysOf(after, bodies)
	if wrong == 0 {
		s.Spaces.Right++
	}
}

func (s *Score) miss(p *Predicted, in *hlo.Instruction, leaf int, got, want *hlo.Shape, rule string) {
	x := Miss{Module: in.Computation.Module.Name, File: p.File, Computation: in.Computation.Name, Opcode: in.OpName(),
		Compiler: want.String(), Rule: rule}
	n := 0
	in.Shape.Leaves(func(index hlo.Index, _ *hlo.Shape) {
		if n == leaf {
			x.Value = hlo.ValueName(in, index)
		}
		n++
	})
	if got != nil {
		x.Predicted = got.String()
	}
	s.Misses = append(s.Misses, x)
}

// Wrong reports whether some prediction is not what the compiler did.
func (s *Score) Wrong() bool { return len(s.Misses) > 0 }

func memoryOf(s *hlo.Shape) int64 {
	if s.Layout == nil {
		return 0
	}
	return s.Layout.MemorySpace
}

// elementBytes is the size of an array's data without padding.
func elementBytes(s *hlo.Shape) int64 {
	n, _ := s.Elements()
	if !s.IsArray() {
		return 0
	}
	return n * int64(s.DType.Bits()) / 8
}

// arraysOf counts the arrays of a module's instructions, those of some computations left out.
func arraysOf(m *hlo.Module, without map[string]bool) (n int) {
	for _, c := range m.Computations {
		if without[c.Name] {
			continue
		}
		for _, in := range c.Instructions {
			in.Shape.Leaves(func(hlo.Index, *hlo.Shape) { n++ })
		}
	}
	return n
}

// HasSpaces reports whether an array of the module is outside of HBM.
func HasSpaces(m *hlo.Module) bool {
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if slices.ContainsFunc(leavesOf(in), func(s *hlo.Shape) bool { return memoryOf(s) != 0 }) {
				return true
			}
		}
	}
	return false
}

func instructionsOf(m *hlo.Module) map[[2]string]bool {
	out := map[[2]string]bool{}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			out[[2]string{c.Name, in.Name}] = true
		}
	}
	return out
}

// lacking counts what is in a and not in b.
func lacking(a, b map[[2]string]bool) (n int) {
	for k := range a {
		if !b[k] {
			n++
		}
	}
	return n
}

// trimmed is a text without blanks at line ends, and at both its ends.
func trimmed(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	return strings.Join(lines, "\n")
}

var percentName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[\w.\-]+`) })

// renamed is a text with every name that the compiler did not receive replaced by its number in order of appearance.
func (p *Predicted) renamed(text string) string {
	known, seen := map[string]bool{}, map[string]string{}
	for _, name := range percentName().FindAllString(p.Source, -1) {
		known[name] = true
	}
	return percentName().ReplaceAllStringFunc(text, func(name string) string {
		if known[name] {
			return name
		}
		if seen[name] == "" {
			seen[name] = fmt.Sprintf("%%new.%d", len(seen))
		}
		return seen[name]
	})
}

// AppendText writes the score for a person; top limits lists, 0 does not.
func (s *Score) AppendText(dst []byte, top int) []byte {
	if l := &s.Layouts; l.Modules > 0 {
		dst = fmt.Appendf(dst, "layouts: order %s, layout %s of %d arrays; %d of %d modules right, %d the same but for "+
			"names\n",
			share(l.Order, l.Arrays), share(l.Layout, l.Arrays), l.Arrays, l.Right, l.Modules, l.Same)
		dst = appendUncompared(dst, l.Arrays, l.Of, "")
		if l.Missing+l.Extra > 0 {
			dst = fmt.Appendf(dst, "  by computation and name, the prediction lacks %d of the compiler's instructions, and "+
				"has %s\n", l.Missing, count(l.Extra, "other"))
		}
	}
	if m := &s.Spaces; m.Modules > 0 {
		dst = fmt.Appendf(dst, "spaces: %s of %d arrays, %s of their bytes; %d of %d modules right\n", share(m.Spaces,
			m.Arrays), m.Arrays,
			share(m.RightBytes, m.Bytes), m.Right, m.Modules)
		dst = appendUncompared(dst, m.Arrays, m.Of, " outside of fusions")
	}
	for i, r := range s.Rules {
		if top > 0 && i == top {
			dst = fmt.Appendf(dst, "  and %d more rules\n", len(s.Rules)-i)
			break
		}
		dst = fmt.Appendf(dst, "  %-24s %7s of %d\n", r.Rule, share(r.Right, r.Seen), r.Seen)
	}
	if u := &s.Unruled; u.Seen > 0 {
		dst = fmt.Appendf(dst, "  %-24s %7s of %d: of at most one dimension, or with a layout that no rule "+
			"chose\n", "no rule",
			share(u.Right, u.Seen), u.Seen)
	}
	for i, x := range s.Misses {
		if top > 0 && i == top {
			dst = fmt.Appendf(dst, "and %d more modules with a wrong instruction\n", len(s.Misses)-i)
			break
		}
		dst = fmt.Appendf(dst, "%s: the first wrong instruction is %s (%s) in %%%s: %s, the compiler has %s", x.File,
			x.Value, x.Opcode, x.Computation,
			cmp.Or(x.Predicted, "missing"), x.Compiler)
		if x.Rule != "" {
			dst = fmt.Appendf(dst, " [%s]", x.Rule)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// appendUncompared says how many of the compiler's arrays were compared, where that is not all of them.
func appendUncompared(dst []byte, compared, of int, where string) []byte {
	if compared == of {
		return dst
	}
	return fmt.Appendf(dst, "  compared are %d of the compiler's %d arrays%s; the instructions of %s are not in the "+
		"module before the pass, by computation and name\n", compared, of, where, count(of-compared, "array"))
}

// share is a part of a whole in percent.
func share[N int | int64](n, of N) string {
	if of == 0 {
		return "100.000 %"
	}
	return fmt.Sprintf("%.3f %%", 100*float64(n)/float64(of))
}
