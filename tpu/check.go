package tpu

import (
	"fmt"
	"strings"

	"hlolayout/hlo"
)

// valueError says that the value of a key cannot be.
type valueError struct {
	key, msg string
	hint     string // what instead
}

func (e *valueError) Error() string { return e.key + ": " + e.msg + "; " + e.hint }

func unknownValue(key, value string, known ...string) error {
	return &valueError{key, fmt.Sprintf("unknown value %q", value), knownHint(value, known)}
}

// knownHint names the known words, and the one that is near to a word that is not, if any is.
func knownHint(word string, known []string) string {
	hint := "known are " + strings.Join(known, ", ")
	if near := hlo.Nearest(strings.ToLower(word), known); near != "" {
		hint += fmt.Sprintf("; nearest is %q", near)
	}
	return hint
}

// check returns a *valueError for the first value that no target can have, or nil.
func (t *Target) check() error {
	if t.Name == "" {
		return &valueError{"name", "is empty", `expected a name such as "v5e"`}
	}
	for _, v := range [...]struct {
		key   string
		value int64
		most  int64
		why   string
	}{
		// The bounds keep the arithmetic of sizes exact; real targets are far below them.
		{"lanes", t.Lanes, 1 << 16, ""},
		{"sublanes", t.Sublanes, 1 << 16, ""},
		{"granule_words", t.GranuleWords, t.Lanes * t.Sublanes, " (lanes * sublanes)"},
		{"min_rows", t.MinRows, t.Sublanes, " (sublanes)"},
		{"tuple_granule_bytes", t.TupleGranuleBytes, 1 << 20, ""},
	} {
		if !isPowerOfTwo(v.value) || v.value > v.most {
			return &valueError{v.key, fmt.Sprintf("%d is impossible", v.value),
				fmt.Sprintf("expected a power of two from 1 to %d%s", v.most, v.why)}
		}
	}
	if err := t.checkSpaces(); err != nil {
		return err
	}
	if err := t.checkLibTPU(); err != nil {
		return err
	}
	return t.checkOptions()
}

func (t *Target) checkSpaces() error {
	if len(t.MemorySpaces) == 0 || t.MemorySpaces[0].Number != 0 {
		return &valueError{"memory_spaces", "HBM is missing", "expected a space with number 0 first"}
	}
	names := map[string]bool{}
	for k, s := range t.MemorySpaces {
		bad := func(key, hint, format string, args ...any) error {
			return &valueError{fmt.Sprintf("memory_spaces[%d].%s", k, key), fmt.Sprintf(format, args...), hint}
		}
		switch {
		case k > 0 && s.Number <= t.MemorySpaces[k-1].Number:
			return bad("number", "expected each number once, ascending", "%d follows %d", s.Number,
				t.MemorySpaces[k-1].Number)
		case s.Name == "":
			return bad("name", `expected a name such as "VMEM"`, "is empty")
		case names[s.Name]:
			return bad("name", "expected each name once", "%q is there twice", s.Name)
		case s.CapacityBytes < 0:
			return bad("capacity_bytes", "expected a size in bytes, or no such key where it is unknown",
				"%d is impossible", s.CapacityBytes)
		case s.PlacementBytes < 0 || s.CapacityBytes > 0 && s.PlacementBytes > s.CapacityBytes:
			return bad("placement_bytes", fmt.Sprintf("expected at most the capacity, %d", s.CapacityBytes),
				"%d is impossible", s.PlacementBytes)
		case s.AlignmentBytes != 0 && !isPowerOfTwo(s.AlignmentBytes):
			return bad("alignment_bytes", "expected a power of two, or no such key where it is unknown",
				"%d is impossible", s.AlignmentBytes)
		}
		names[s.Name] = true
	}
	return nil
}

func isPowerOfTwo(n int64) bool { return n > 0 && n&(n-1) == 0 }
