package diff

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
)

// Normalize takes out of a module what changes without a change of the program: metadata and the tables of source
// positions, the numbers in names, and channel ids. The body of an embedded kernel becomes a digest of what it
// computes, "..." where it is in a form that is not known: it holds the paths of the machine that built it. Names
// become their base with a number in the order in which the entry reaches them. Nothing is cut off.
func Normalize(m *hlo.Module) {
	m.Tables = nil
	m.Style = hlo.DefaultStyle
	m.Attrs = slices.DeleteFunc(slices.Clone(m.Attrs), func(a hlo.Attr) bool {
		return a.Key.Name == "origin_recovery_table" || a.Key.Name == "debug_attributes"
	})
	channels := map[string]string{}
	computations := map[*hlo.Computation]string{}
	count := map[string]int{}
	var order []*hlo.Computation
	var visit func(c *hlo.Computation)
	visit = func(c *hlo.Computation) {
		if _, ok := computations[c]; ok {
			return
		}
		computations[c] = ""
		if !m.IsScheduled() {
			c.Instructions = c.PostOrder()
			c.Renumber()
		}
		for _, in := range c.Instructions {
			for _, callee := range in.Called() {
				visit(callee)
			}
			in.Attrs = normalAttrs(in.Attrs, channels)
		}
		computations[c] = numbered(computationNumber().ReplaceAllString(c.Name, ""), count)
		order = append(order, c)
	}
	if m.Entry != nil {
		visit(m.Entry)
	}
	for _, c := range m.Computations {
		visit(c)
	}
	m.Computations = order
	count = map[string]int{}
	rename(m, func(c *hlo.Computation) string { return computations[c] }, func(c *hlo.Computation) []string {
		out := make([]string, len(c.Instructions))
		for i, in := range c.Instructions {
			out[i] = numbered(in.Name, count)
		}
		return out
	})
}

// computationNumber is the number that front ends put into the names of computations: region_12.13.
var computationNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`_[0-9]+\b`) })

func numbered(name string, count map[string]int) string {
	base := hlo.BaseName(name)
	k := count[base]
	count[base]++
	if k > 0 {
		base += "." + strconv.Itoa(k)
	}
	return base
}

// normalAttrs returns the attributes without metadata, with channel ids counted from 1, and with digests of kernels.
func normalAttrs(attrs []hlo.Attr, channels map[string]string) []hlo.Attr {
	var out []hlo.Attr
	for _, a := range attrs {
		switch a.Key.Name {
		case "metadata", "origin", "statistics":
			continue
		case "channel_id":
			if channels[a.Value.Text] == "" {
				channels[a.Value.Text] = strconv.Itoa(len(channels) + 1)
			}
			a.Value = &hlo.Value{Kind: hlo.IntValue, Text: channels[a.Value.Text]}
		case "backend_config":
			text := a.Value.Text
			if !strings.Contains(text, "body") && !strings.Contains(text, "module") { // most are without a kernel
				break
			}
			if form := kernelBody(); form.MatchString(text) {
				v := *a.Value
				v.Text = form.ReplaceAllStringFunc(text, func(found string) string {
					part := form.FindStringSubmatch(found)
					return part[1] + kernelDigest(part[2]) + part[3]
				})
				a.Value = &v
			}
		}
		out = append(out, a)
	}
	return out
}

// kernelBody is a kernel in a backend_config: {"custom_call_config":{"body":"TUzvUg...", in raw or in quoted JSON.
var kernelBody = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\\?"(?:body|serialized_body|module)\\?"\s*:\s*\\?")([A-Za-z0-9+/=_-]{16,})(\\?")`)
})

// Anonymize is Normalize without names: the module, its computations and its values are numbered.
func Anonymize(m *hlo.Module) {
	Normalize(m)
	m.Name = "m"
	computations, values := 0, 0
	rename(m, func(*hlo.Computation) string {
		computations++
		return "c" + strconv.Itoa(computations)
	}, func(c *hlo.Computation) []string {
		out := make([]string, len(c.Instructions))
		for i := range out {
			values++
			out[i] = "v" + strconv.Itoa(values)
		}
		return out
	})
}
