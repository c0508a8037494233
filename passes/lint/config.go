package lint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// Config is what rules are run with: their severities and thresholds, and the budgets of a module.
type Config struct {
	Rules []Rule
	// MaxPadding and MaxRelayoutBytes are budgets in bytes; negative for none.
	MaxPadding, MaxRelayoutBytes int64
}

// Default returns the rules as they come, without budgets.
func Default() *Config { return &Config{Rules: Rules(), MaxPadding: -1, MaxRelayoutBytes: -1} }

// Rule returns the rule with that id or name. The error names the nearest known one.
func (c *Config) Rule(id string) (*Rule, error) {
	var known []string
	for i := range c.Rules {
		if r := &c.Rules[i]; strings.EqualFold(r.ID, id) || r.Name == id {
			return r, nil
		}
		known = append(known, c.Rules[i].ID, c.Rules[i].Name)
	}
	if near := hlo.Nearest(id, known); near != "" {
		return nil, fmt.Errorf("unknown rule %q: did you mean %s?", id, near)
	}
	return nil, fmt.Errorf("unknown rule %q: known are %s to %s", id, c.Rules[0].ID, c.Rules[len(c.Rules)-1].ID)
}

// fileConfig is the form of a configuration file.
type fileConfig struct {
	Rules map[string]struct {
		Severity  *string  `json:"severity"`
		MinBytes  *size    `json:"min_bytes"`
		MinFactor *float64 `json:"min_factor"`
	} `json:"rules"`
	MaxPadding       *size `json:"max_padding"`
	MaxRelayoutBytes *size `json:"max_relayout_bytes"`
}

// size is a number of bytes: a JSON number, or text such as "64MiB".
type size int64

func (s *size) UnmarshalJSON(data []byte) error {
	n, err := ParseSize(strings.Trim(string(data), `"`))
	*s = size(n)
	return err
}

// Read changes the configuration by a JSON file:
//
//	{"rules": {"TPL001": {"severity": "error", "min_bytes": "64MiB", "min_factor": 4}, "TPL010": {"severity": "off"}},
//	 "max_padding": "1GiB", "max_relayout_bytes": "512MiB"}
func (c *Config) Read(r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var f fileConfig
	if err := d.Decode(&f); err != nil {
		return configError(data, err)
	}
	if rest := bytes.TrimSpace(data[d.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("line %d: there is text after the configuration", lineOf(data, int64(len(data)-len(rest))+1))
	}
	ids := make([]string, 0, len(f.Rules))
	for id := range f.Rules {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		rule, err := c.Rule(id)
		if err != nil {
			return err
		}
		set := f.Rules[id]
		if set.Severity != nil {
			s, ok := ParseSeverity(*set.Severity)
			if !ok {
				return fmt.Errorf("rule %s: unknown severity %q: it is one of %s", id, *set.Severity,
					strings.Join(SeverityNames(), ", "))
			}
			rule.Severity = s
		}
		if set.MinBytes != nil {
			rule.MinBytes = int64(*set.MinBytes)
		}
		if set.MinFactor != nil {
			rule.MinFactor = *set.MinFactor
		}
	}
	if f.MaxPadding != nil {
		c.MaxPadding = int64(*f.MaxPadding)
	}
	if f.MaxRelayoutBytes != nil {
		c.MaxRelayoutBytes = int64(*f.MaxRelayoutBytes)
	}
	return nil
}

// configError says what is wrong with the JSON of a configuration, and on which line.
func configError(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("the configuration is empty; {} changes nothing")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the configuration ends too early")
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %v", lineOf(data, syntax.Offset), err)
	case errors.As(err, &kind):
		what := cmp.Or(kind.Field, "the configuration")
		if kind.Field == "rules" && kind.Type.Kind() == reflect.Struct {
			what = "a rule in rules"
		}
		found, number, _ := strings.Cut(kind.Value, " ")
		if number != "" {
			return fmt.Errorf("line %d: %s is %s, which does not fit", lineOf(data, kind.Offset), what, number)
		}
		return fmt.Errorf("line %d: %s is %s, not %s", lineOf(data, kind.Offset), what, cmp.Or(jsonKinds[found], found),
			cmp.Or(wantedKinds[kind.Type.Kind()], jsonKinds["number"]))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// The kinds of JSON values, as encoding/json names them, and as the fields of a configuration want them.
var (
	jsonKinds = map[string]string{"array": "an array", "object": "an object", "string": "a string",
		"number": "a number", "bool": "true or false"}
	wantedKinds = map[reflect.Kind]string{reflect.Struct: "an object", reflect.Map: "an object",
		reflect.String: "a string"}
)

// lineOf returns the line of the byte before an offset.
func lineOf(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:max(0, min(int(offset)-1, len(data)))], []byte("\n"))
}

// ParseSize reads a number of bytes: 4096, 64K, 64KiB, 1.5GiB. K, M, G and T are powers of 1024 with or without iB.
func ParseSize(text string) (int64, error) {
	t := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(text), "B"), "i")
	shift := 0
	if n := len(t); n > 0 {
		if k := strings.IndexByte("KMGT", t[n-1]); k >= 0 {
			shift, t = 10*(k+1), strings.TrimSpace(t[:n-1])
		}
	}
	x, err := strconv.ParseFloat(t, 64)
	if err != nil || x < 0 || x != x || x*float64(int64(1)<<shift) >= 1<<63 || shift == 0 && x != math.Trunc(x) {
		return 0, fmt.Errorf("%q is not a size: write bytes, or a number with KiB, MiB, GiB or TiB", text)
	}
	return int64(x * float64(int64(1)<<shift)), nil
}

// Set changes one rule by a text such as TPL001=off, TPL001.min_bytes=64MiB or TPL001.min_factor=4.
func (c *Config) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return errors.New("write RULE=SEVERITY, RULE.min_bytes=SIZE or RULE.min_factor=NUMBER")
	}
	id, what, _ := strings.Cut(key, ".")
	rule, err := c.Rule(id)
	if err != nil {
		return err
	}
	switch what {
	case "", "severity":
		s, ok := ParseSeverity(value)
		if !ok {
			return fmt.Errorf("unknown severity %q: it is one of %s", value, strings.Join(SeverityNames(), ", "))
		}
		rule.Severity = s
	case "min_bytes":
		if rule.MinBytes, err = ParseSize(value); err != nil {
			return err
		}
	case "min_factor":
		if rule.MinFactor, err = strconv.ParseFloat(value, 64); err != nil {
			return fmt.Errorf("%q is not a number", value)
		}
	default:
		return fmt.Errorf("rules have no %q: known are severity, min_bytes, min_factor", what)
	}
	return nil
}
