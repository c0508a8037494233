package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/passes/contract"
	"hlolayout/passes/padding"
	"hlolayout/passes/relayout"
	"hlolayout/tpu"
)

// Run returns the findings in a module that has its layouts: the severest first, of these the ones that totals leave
// out last, then those that cost most, then in the order of rules and text. Equal ones are one finding with a count.
func Run(m *hlo.Module, t *tpu.Target, c *Config) []Finding {
	r := runner{m: m, t: t, c: c, rules: map[string]*Rule{}}
	for i := range c.Rules {
		r.rules[c.Rules[i].ID] = &c.Rules[i]
	}
	r.padding(padding.Values(m))
	r.relayouts(relayout.Find(m))
	r.contracts()
	r.fused = true
	r.padding(padding.Fused(m))
	r.relayouts(relayout.Fused(m))
	return r.sorted()
}

type runner struct {
	m     *hlo.Module
	t     *tpu.Target
	c     *Config
	rules map[string]*Rule
	out   []Finding
	// fused says that the present findings are about values that are predicted to have no buffer.
	fused bool
}

// add adds a finding unless its rule is off or its cost below the rule's threshold.
func (r *runner) add(id string, f Finding) {
	rule := r.rules[id]
	if rule.Severity == Off || f.Bytes < rule.MinBytes {
		return
	}
	f.Rule, f.Severity, f.Uncounted = rule, rule.Severity, r.fused
	if f.Uncounted {
		f.Suggestion, f.Saves = "", 0
	}
	if why := r.doubt(f.Instruction); why != "" {
		f.Severity, f.Doubtful = min(f.Severity, Note), true
		f.Details = append(f.Details, why)
	}
	r.out = append(r.out, f)
}

// doubt returns why the compiled module may not have a cost that is found before fusion, "" for none.
func (r *runner) doubt(in *hlo.Instruction) string {
	if r.m.Forecast == nil || in == nil {
		return ""
	}
	if why := r.m.Unbuffered(in); why != "" {
		return "perhaps not in the compiled module: it is " + why
	}
	if why := r.m.Forecast.Unsure[in]; why != "" {
		return "perhaps: " + why
	}
	return ""
}

// Narrowed is said where a value of f32 is counted as bf16.
const Narrowed = "counted as bf16, which the compiler stores: only products read it"

func (r *runner) padding(values []padding.Value) {
	waste := int64(0)
	for i := range values {
		v := &values[i]
		if !v.Known {
			continue
		}
		waste += max(0, v.Waste())
		id := r.wasteful(v)
		if id == "" {
			continue
		}
		f := Finding{Instruction: v.Instruction, Index: v.Index, Shape: v.Shape, Bytes: v.Waste(),
			Message: fmt.Sprintf("Unpadded size: %s. Extra memory due to padding: %s (%.1fx expansion)",
				Size(v.Logical), Size(v.Waste()), v.Factor())}
		if r.m.Narrow(v.Instruction) {
			f.Details = append(f.Details, Narrowed)
		}
		f.Suggestion, f.Saves = r.betterOrder(v)
		r.add(id, f)
	}
	if limit := r.c.MaxPadding; limit >= 0 && waste > limit && !r.fused {
		r.add(PaddingBudget, Finding{Bytes: waste,
			Message: fmt.Sprintf("Extra memory due to padding: %s over all values, above the limit of %s", Size(waste),
				Size(limit))})
	}
}

// wasteful returns the rule that a value breaks, "" for none: the one for its kind of padding.
func (r *runner) wasteful(v *padding.Value) string {
	l, id := v.Shape.Layout, PaddingWaste
	switch {
	case l == nil || v.Logical == 0:
		return ""
	case l.ElementBits > int64(v.Shape.DType.Bits()):
		id = WideElements
	case v.Shape.Rank() > 1 && v.Shape.Dims[l.MinorToMajor[0]] <= 2:
		id = NarrowMinor
	}
	if v.Factor() < r.rules[id].MinFactor {
		return ""
	}
	return id
}

// betterOrder returns the order of dimensions that takes the fewest bytes where that is fewer than v takes, for what
// the caller decides: the parameters of the entry. Inside of the module an order is the compiler's choice.
func (r *runner) betterOrder(v *padding.Value) (string, int64) {
	if r.t == nil || v.Instruction.Opcode != hlo.OpParameter || v.Shape.Layout == nil || v.Shape.Rank() < 2 ||
		v.Shape.Layout.ElementBits > 8 {
		return "", 0
	}
	best, order := v.Padded, []int(nil)
	for minor := range v.Shape.Dims {
		for second := range v.Shape.Dims {
			if minor == second {
				continue
			}
			o := []int{minor, second}
			for d := v.Shape.Rank() - 1; d >= 0; d-- {
				if d != minor && d != second {
					o = append(o, d)
				}
			}
			if n, ok := r.t.Bytes(v.Shape.DType, v.Shape.Dims, o); ok && n < best {
				best, order = n, o
			}
		}
	}
	if order == nil {
		return "", 0
	}
	return fmt.Sprintf("pass the parameter as %s (major to minor %s): %s instead of %s",
		r.t.Layout(v.Shape.DType, v.Shape.Dims, order, true),
		majorToMinor(order), Size(best), Size(v.Padded)), v.Padded - best
}

// majorToMinor is the order as jax.experimental.layout writes it.
func majorToMinor(minorToMajor []int) string {
	o := slices.Clone(minorToMajor)
	slices.Reverse(o)
	return "(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(o), " ", ", "), "[]") + ")"
}

func (r *runner) relayouts(list []relayout.Relayout) {
	for i := range list {
		l := &list[i]
		f := Finding{Instruction: l.Instruction, Shape: l.To, Bytes: l.Total(), Details: []string{l.Cause()}}
		if r.m.Narrow(l.Instruction) {
			f.Details = append(f.Details, Narrowed)
		}
		id := MovesData
		f.Message = fmt.Sprintf("moves %s from %s to %s", Size(l.Bytes), layoutText(l.From), layoutText(l.To))
		if l.InLoop {
			id = MovesInLoop
			times := fmt.Sprintf(", %d times a run: %s", l.Runs, Size(l.Total()))
			if !l.Exact {
				times = ", in a loop of unknown length"
				if l.Runs > 1 {
					times = fmt.Sprintf(", at least %d times a run, in a loop of unknown length", l.Runs)
				}
			}
			f.Message += times
		}
		if l.Parameter != nil {
			id = MovesParameter
			f.Message = fmt.Sprintf("parameter %d is copied on every call: %s", l.Parameter.Parameter, f.Message)
			f.Suggestion, f.Saves = loaded(l, r.t)
		}
		r.add(id, f)
	}
	if sum, limit := relayout.Sum(list), r.c.MaxRelayoutBytes; limit >= 0 && sum > limit && !r.fused {
		r.add(RelayoutBudget, Finding{Bytes: sum,
			Message: fmt.Sprintf("relayouts move %s a run, above the limit of %s", Size(sum), Size(limit))})
	}
}

func layoutText(s *hlo.Shape) string {
	if s.Layout == nil {
		return "no layout"
	}
	return s.Layout.String()
}

var contractRules = map[contract.Kind]string{
	contract.Donation: DonationLost, contract.CustomCall: CustomCallLayout, contract.Host: HostOutput,
	contract.Parameter: ParameterLayout,
}

func (r *runner) contracts() {
	for _, b := range contract.Check(r.m, r.t) {
		f := Finding{Instruction: b.Instruction, Shape: b.Have, Bytes: b.Bytes}
		switch b.Kind {
		case contract.Donation:
			f.Message = fmt.Sprintf("%s: %s and %s have different layouts, the donated buffer is lost", b.What, b.Have,
				b.Want)
			if b.Have.Compatible(b.Want) {
				f.Suggestion, f.Saves = "give both sides one layout: the output then takes the parameter's buffer",
					padding.SizeOf(b.Want).Padded
			}
		case contract.CustomCall:
			f.Message = fmt.Sprintf("%s has layout %s, the call requires %s", b.What, layoutText(b.Have),
				layoutText(b.Want))
		case contract.Host:
			f.Message = fmt.Sprintf("%s: it is %s, not %s", b.What, b.Have, b.Want)
		case contract.Parameter:
			f.Message = fmt.Sprintf("%s has layout %s, the default is %s", b.What, layoutText(b.Have),
				layoutText(b.Want))
		}
		r.add(contractRules[b.Kind], f)
	}
}

// sorted joins equal findings and puts them in order.
func (r *runner) sorted() []Finding {
	type key struct {
		rule             *Rule
		shape            string
		message, details string
		uncounted        bool
	}
	at := map[key]int{}
	var out []Finding
	for _, f := range r.out {
		k := key{rule: f.Rule, message: f.Message, uncounted: f.Uncounted}
		if f.Shape != nil {
			k.shape = f.Shape.String()
		}
		if f.Rule.ID != MovesData && f.Rule.ID != MovesInLoop { // their causes are never the same
			k.details = strings.Join(f.Details, "\n")
		}
		if i, ok := at[k]; ok && f.Instruction != nil {
			out[i].Same = append(out[i].Same, f.Instruction)
			continue
		}
		at[k] = len(out)
		out = append(out, f)
	}
	last := map[bool]int{true: 1}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), last[a.Uncounted]-last[b.Uncounted],
			cmp.Compare(b.Bytes*int64(b.Count()), a.Bytes*int64(a.Count())), cmp.Compare(a.Rule.ID, b.Rule.ID))
	})
	return out
}

// Size writes bytes as the compiler does in its messages: 512B, 1.5K, 128.00M, 8.00G.
func Size(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	if n < 1024 {
		return fmt.Sprintf("%s%dB", sign, n)
	}
	units := "KMGTPE"
	x, k := float64(n)/1024, 0
	for x >= 1024 && k+1 < len(units) {
		x, k = x/1024, k+1
	}
	if k == 0 {
		return fmt.Sprintf("%s%.1f%c", sign, x, units[k])
	}
	return fmt.Sprintf("%s%.2f%c", sign, x, units[k])
}
