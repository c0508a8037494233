package build

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
)

// What XLA's parser refuses in the values of attributes beyond the grammar: a check an attribute, as XLA has a function
// for each.

// valueChecks are the checks by the attribute's name. refuse tells at the attribute's key.
var valueChecks = map[string]func(v *hlo.Value, refuse func(string)){
	"replica_groups": func(v *hlo.Value, refuse func(string)) {
		if v.Open == 0 && len(v.Elems) >= 3 && v.Elems[1].Text == "<=" {
			if len(v.Elems[0].Elems) != 2 {
				refuse("an iota list of groups has two dimensions, groups and devices per group")
			}
			checkIota(v.Elems, refuse)
		}
	},
	"sharding":        func(v *hlo.Value, refuse func(string)) { checkSharding(v, 0, refuse) },
	"dim_labels":      func(v *hlo.Value, refuse func(string)) { checkDimLabels(v.Text, refuse) },
	"result_accuracy": checkAccuracy,
	"window":          checkWindow,
	"metadata":        checkMetadata,
	"statistics":      checkStatistics,
	"origin":          checkOrigin,
	"padding":         checkPadding,
	"input_output_alias": func(v *hlo.Value, refuse func(string)) {
		for i := range v.Elems {
			for j := range v.Elems[i].Elems {
				if e := &v.Elems[i].Elems[j]; e.Kind == hlo.WordValue && e.Text != "may-alias" &&
					e.Text != "must-alias" {
					refuse(quote(e.Text) + " is not a kind of alias")
				}
			}
		}
	},
	"output_to_operand_aliasing": func(v *hlo.Value, refuse func(string)) {
		for i := range v.Elems {
			if e := &v.Elems[i]; e.Open == '(' && len(e.Elems) != 2 {
				refuse("expected OUTPUT: (OPERAND, INDEX)")
			}
		}
	},
	"control-predecessors": func(v *hlo.Value, refuse func(string)) {
		if len(v.Elems) == 0 {
			refuse("it names no instruction")
		}
	},
	"domain": func(v *hlo.Value, refuse func(string)) {
		if kind := v.Get("kind"); kind == nil || kind.Text != `"sharding"` {
			refuse(`the kind of a domain is "sharding"`)
		}
		if v.Get("entry") == nil || v.Get("exit") == nil || len(v.Elems) != 3 {
			refuse("a domain has a kind, an entry and an exit")
		}
	},
}

// checkValue refuses values that the grammar takes and XLA does not.
func (b *Builder) checkValue(v *hlo.Value) {
	refuse := func(msg string) { b.fail(b.keyText.Off, CodeValue, b.key.Name+": "+msg, "") }
	if check := valueChecks[b.key.Name]; check != nil {
		check(v, refuse)
	}
	if f := forms()[b.key.Name]; f.words != "" && v.Kind == hlo.ListValue {
		for i := range v.Elems {
			if !f.takes(v.Elems[i].Text) {
				refuse(quote(v.Elems[i].Text) + " is not one of " + f.words)
			}
		}
	}
	checkStrings(v, refuse)
}

// checkStrings refuses strings with an escape sequence that C does not have (absl::CUnescape).
func checkStrings(v *hlo.Value, refuse func(string)) {
	if v.Kind == hlo.StringValue && badEscape(v.Text) {
		refuse("the string " + quote(v.Text) + " has an unknown escape sequence")
	}
	for i := range v.Elems {
		checkStrings(&v.Elems[i], refuse)
	}
}

// badEscape reports whether a backslash is followed by something else than a letter of C's, up to three octal digits,
// or x and hexadecimal digits, in the range of a byte.
func badEscape(text string) bool {
	const octal, hex = "01234567", "0123456789abcdefABCDEF"
	for {
		_, after, found := strings.Cut(text, `\`)
		if !found || after == "" {
			return found
		}
		digits := func(set string, most int) string {
			return after[:min(most, len(after)-len(strings.TrimLeft(after, set)))]
		}
		switch c := after[0]; {
		case strings.IndexByte(octal, c) >= 0:
			if n, _ := strconv.ParseInt(digits(octal, 3), 8, 64); n > 0xff {
				return true
			}
		case c == 'x' || c == 'X':
			after = after[1:]
			if n, err := strconv.ParseUint(digits(hex, len(after)), 16, 64); err != nil || n > 0xff {
				return true
			}
		case c == 'u' || c == 'U':
			after = after[1:]
			if want := map[byte]int{'u': 4, 'U': 8}[c]; len(digits(hex, want)) < want {
				return true
			}
		case strings.IndexByte(`abfnrtv\?'"`, c) < 0:
			return true
		default:
			after = after[1:]
		}
		text = after
	}
}

// checkAccuracy refuses anything but {mode=...} and {tolerance={...}}.
func checkAccuracy(v *hlo.Value, refuse func(string)) {
	mode, tolerance := v.Get("mode"), v.Get("tolerance")
	switch {
	case len(v.Elems) != 1 || mode == nil && tolerance == nil:
		refuse("expected {mode=...} or {tolerance={...}}")
	case mode != nil && !slices.Contains([]string{"default", "highest"}, strings.ToLower(mode.Text)):
		refuse("the mode " + quote(mode.Text) + " is not default or highest")
	}
	if tolerance == nil {
		return
	}
	for i := range tolerance.Elems {
		e := &tolerance.Elems[i]
		if e.Text != "atol" && e.Text != "rtol" && e.Text != "ulps" || !isNumber(e) {
			refuse("a tolerance is a number")
			return
		}
	}
	checkCommas(tolerance, refuse)
}

// isNumber reports whether a value is key=number.
func isNumber(v *hlo.Value) bool {
	return len(v.Elems) == 1 && (v.Elems[0].Kind == hlo.IntValue || v.Elems[0].Kind == hlo.FloatValue)
}

// checkCommas refuses a list of numbers with names that has no comma between two of them.
func checkCommas(v *hlo.Value, refuse func(string)) {
	if n := len(v.Elems); n > 0 && strings.Count(v.Text, ",") != n-1 {
		refuse("the parts of the list are separated by commas")
	}
}

var windowKeys = map[string]bool{"size": true, "stride": true, "pad": true, "lhs_dilate": true, "rhs_dilate": true,
	"rhs_reversal": true}

// checkWindow refuses a window whose lists do not have as many dimensions as size; rhs_reversal may have any number. A
// padding has a low and a high part.
func checkWindow(v *hlo.Value, refuse func(string)) {
	seen := map[string]bool{}
	for i := range v.Elems {
		if key := v.Elems[i].Text; !windowKeys[key] || seen[key] {
			refuse("unknown or repeated key " + quote(key))
		}
		seen[v.Elems[i].Text] = true
	}
	dims := func(key string) []string {
		if e := v.Get(key); e != nil {
			return strings.Split(e.Text, "x")
		}
		return nil
	}
	size := dims("size")
	for _, key := range []string{"stride", "pad", "lhs_dilate", "rhs_dilate"} {
		if list := dims(key); list != nil && len(list) != len(size) {
			refuse(key + " does not have as many dimensions as size")
		}
	}
	for _, pad := range dims("pad") {
		if strings.Count(pad, "_") != 1 {
			refuse("a padding is written low_high, such as 0_1")
		}
	}
}

// padPattern is the padding of each dimension: low_high or low_high_interior.
var padPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?\d+_-?\d+(_\d+)?(x-?\d+_-?\d+(_\d+)?)*$`)
})

func checkPadding(v *hlo.Value, refuse func(string)) {
	if !padPattern().MatchString(v.Text) {
		refuse("a padding is written low_high or low_high_interior for each dimension, such as 0_1x2_2")
	}
}

// checkStatistics refuses anything but {visualizing_index=N,name=number,...}.
func checkStatistics(v *hlo.Value, refuse func(string)) {
	for i := range v.Elems {
		e := &v.Elems[i]
		if !isNumber(e) {
			refuse("statistics are names with numbers")
			return
		}
	}
	checkCommas(v, refuse)
}

// checkOrigin refuses anything but {[synthetic_call]} or a tree in parentheses of {"name" {index}}.
func checkOrigin(v *hlo.Value, refuse func(string)) {
	switch {
	case len(v.Elems) == 0:
	case len(v.Elems) == 1 && v.Elems[0].Open == '[':
		if call := &v.Elems[0]; len(call.Elems) != 1 || call.Elems[0].Text != "synthetic_call" {
			refuse("expected [synthetic_call]")
		}
	case len(v.Elems) != 1 || !isOrigin(&v.Elems[0]):
		refuse(`an origin is a tree in parentheses of values such as {"name" {0}}`)
	}
}

func isOrigin(v *hlo.Value) bool {
	switch {
	case v.Kind == hlo.ListValue && v.Open == '(':
		for i := range v.Elems {
			if !isOrigin(&v.Elems[i]) {
				return false
			}
		}
		return true
	case v.Kind != hlo.ListValue || v.Open != '{' || len(v.Elems) > 2:
		return false
	}
	return (len(v.Elems) == 0 || v.Elems[0].Kind == hlo.StringValue) && (len(v.Elems) < 2 || v.Elems[1].Open == '{')
}

// metadataKinds are the fields of metadata, by the kind of their values.
var metadataKinds = map[string]hlo.ValueKind{
	"op_type": hlo.StringValue, "op_name": hlo.StringValue, "source_file": hlo.StringValue, "source_line": hlo.IntValue,
	"source_end_line": hlo.IntValue, "source_column": hlo.IntValue, "source_end_column": hlo.IntValue,
	"profile_type": hlo.ListValue, "deduplicated_name": hlo.StringValue, "scheduling_name": hlo.StringValue,
	"metadata_payload": hlo.StringValue, "stack_frame_id": hlo.IntValue,
}

func checkMetadata(v *hlo.Value, refuse func(string)) {
	seen := map[string]bool{}
	for i := range v.Elems {
		e := &v.Elems[i]
		if seen[e.Text] && e.Kind == hlo.PairValue {
			refuse("field " + e.Text + " stands twice")
		}
		seen[e.Text] = true
		if e.Kind != hlo.PairValue || len(e.Elems) != 1 {
			continue
		}
		value := &e.Elems[0]
		kind, known := metadataKinds[e.Text]
		n, _ := value.Int()
		switch {
		case !known:
			refuse("unknown field " + quote(e.Text))
		case value.Kind != kind:
			refuse("the value of " + e.Text + " is of the wrong kind")
		case kind == hlo.IntValue && n != int64(int32(n)):
			refuse("the value of " + e.Text + " does not fit in 32 bits")
		}
	}
}
