package report

import (
	"cmp"
	"fmt"
	"slices"

	"hlolayout/hlo"
	"hlolayout/passes/padding"
	"hlolayout/passes/plan"
	"hlolayout/passes/reasons"
	"hlolayout/passes/relayout"
)

// RootCauses are what decides how many bytes of a module are padding, and how many are moved into another order.
type RootCauses struct {
	Form
	Module string `json:"module"`
	File   string `json:"file"`
	Origin
	// Padding are the bytes of padding of all arrays, Moved those that all relayouts write in one run.
	Padding int64       `json:"padding_bytes"`
	Moved   int64       `json:"moved_bytes"`
	Bound   string      `json:"bound"`
	Causes  []RootCause `json:"causes"`
}

// RootCause is the end of the chains of some arrays: arrays of one shape whose order an instruction demands, as in
// every layer of a model, or a default.
type RootCause struct {
	// Places is how many arrays are demanded so. Value is the first, Shape its shape and By the instruction that demands
	// it; they are "" for a default, which is counted as one for all arrays.
	Places   int    `json:"places,omitempty"`
	Value    string `json:"value,omitempty"`
	Shape    string `json:"shape,omitempty"`
	By       string `json:"by,omitempty"`
	Rule     string `json:"rule"`
	RuleName string `json:"rule_name"`
	// Arrays have Padding bytes of padding in this cause's order. Relayouts write Moved bytes to give it to what had
	// another one.
	Arrays    int   `json:"arrays"`
	Padding   int64 `json:"padding_bytes"`
	Relayouts int   `json:"relayouts"`
	Moved     int64 `json:"moved_bytes"`
	// Example is the array with the most padding, or the first relayout's result.
	Example string `json:"example"`

	most   int64
	places map[demand]bool
}

// demand is an array whose order an instruction demands.
type demand struct {
	in *hlo.Instruction
	at string
	by *hlo.Instruction
}

// NewRootCauses adds up the arrays and relayouts of a module by the causes at the ends of a plan's chains, the most
// bytes first.
func NewRootCauses(m *hlo.Module, file string, chains *plan.Chains) *RootCauses {
	r := &RootCauses{Form: ThisForm, Module: m.Name, File: file, Bound: m.Bound(), Causes: []RootCause{}}
	type key struct{ rule, shape string }
	found := map[key]*RootCause{}
	of := func(in *hlo.Instruction, index hlo.Index) *RootCause {
		last, ok := chains.End(in, index)
		if !ok {
			return nil
		}
		k, d := key{rule: last.Reason.Rule}, demand{in: last.Instruction, at: last.Index.String()}
		names := reasons.Names(k.rule)
		if s := d.in.Shape.At(last.Index); names && s != nil {
			k.shape = s.String()
		}
		c := found[k]
		if c == nil {
			c = &RootCause{Rule: k.rule, RuleName: reasons.RuleName(k.rule), Shape: k.shape, places: map[demand]bool{}}
			found[k] = c
		}
		if !names {
			return c
		}
		if last.Reason.Source != d.in {
			d.by = last.Reason.Source
		}
		if len(c.places) == 0 {
			c.Value, c.By = hlo.ValueName(d.in, last.Index), hlo.ValueName(d.by, nil)
		}
		c.places[d] = true
		return c
	}
	padding.Each(m, func(v *padding.Value) {
		if v.Waste() <= 0 {
			return
		}
		r.Padding += v.Waste()
		if c := of(v.Instruction, v.Index); c != nil {
			c.Arrays++
			c.Padding += v.Waste()
			if v.Waste() > c.most {
				c.most, c.Example = v.Waste(), hlo.ValueName(v.Instruction, v.Index)
			}
		}
	})
	list := relayout.Find(m)
	r.Moved = relayout.Sum(list)
	for i := range list {
		x := &list[i]
		var index hlo.Index
		if x.Instruction.Shape.IsTuple() {
			index = hlo.Index{0}
		}
		if c := of(x.Instruction, index); c != nil {
			c.Relayouts++
			c.Moved += x.Total()
			c.Example = cmp.Or(c.Example, hlo.ValueName(x.Instruction, index))
		}
	}
	for _, c := range found {
		c.Places = len(c.places)
		r.Causes = append(r.Causes, *c)
	}
	slices.SortFunc(r.Causes, func(a, b RootCause) int {
		return cmp.Or(cmp.Compare(b.bytes(), a.bytes()), cmp.Compare(a.RuleName, b.RuleName), cmp.Compare(a.Shape, b.Shape))
	})
	return r
}

// bytes are what a cause costs, at most the largest int64.
func (c *RootCause) bytes() int64 {
	if n := c.Padding + c.Moved; n >= c.Padding {
		return n
	}
	return 1<<63 - 1
}

// Text says what a cause is, such as "%dot.3 reads %x as bf16[8,128]{0,1} [dot]".
func (c *RootCause) Text() string {
	text := fmt.Sprintf("%s [%s]", c.Rule, c.RuleName)
	switch {
	case c.Value == "":
		return text
	case c.By != "":
		text = fmt.Sprintf("%s reads %s as %s [%s]", c.By, c.Value, c.Shape, c.RuleName)
	default:
		text = fmt.Sprintf("%s has %s [%s]", c.Value, c.Shape, c.RuleName)
	}
	if c.Places > 1 {
		text += fmt.Sprintf(", and %d more like it", c.Places-1)
	}
	return text
}

// AppendText writes the first causes for a person; top limits them, 0 does not.
func (r *RootCauses) AppendText(dst []byte, top int) []byte {
	dst = fmt.Appendf(dst, "%s: %s of padding, %s moved by relayouts", r.Module, Bytes(r.Padding), Bytes(r.Moved))
	if r.Bound == "upper" {
		dst = append(dst, " at most"...)
	}
	dst = fmt.Appendf(dst, ", for %s\n", count(len(r.Causes), "cause"))
	for i := range r.Causes {
		c := &r.Causes[i]
		if top > 0 && i == top {
			dst = fmt.Appendf(dst, "  and %s\n", count(len(r.Causes)-i, "more cause"))
			break
		}
		dst = fmt.Appendf(dst, "  %s\n    ", c.Text())
		if c.Arrays > 0 {
			dst = fmt.Appendf(dst, "costs %s of padding in %s", Bytes(c.Padding), count(c.Arrays, "array"))
		}
		if c.Relayouts > 0 {
			if c.Arrays > 0 {
				dst = append(dst, ", and "...)
			} else {
				dst = append(dst, "costs "...)
			}
			dst = fmt.Appendf(dst, "%s of copies in %s", Bytes(c.Moved), count(c.Relayouts, "relayout"))
		}
		dst = fmt.Appendf(dst, "; such as %s\n", c.Example)
	}
	return dst
}
