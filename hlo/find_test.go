package hlo_test

import (
	"slices"
	"testing"

	"hlolayout/parser"
)

// The name that may be meant is one spelled alike or, where none is, the same with another number.
func TestFindNearest(t *testing.T) {
	m, err := parser.Parse("m", "ENTRY e {\n  cv.1 = f32[] parameter(0)\n  transpose.12 = f32[] negate(cv.1)\n"+
		"  ROOT x = f32[] negate(transpose.12)\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"cv": "cv.1", "cv.1234": "cv.1", "transpose.13": "transpose.12",
		"c": "", ".7777777": "", "5": "", "": ""} {
		if in, near := m.Find(name); in != nil || near != want {
			t.Errorf("Find(%q) = %v, %q, want %q", name, in, near, want)
		}
	}
}

// Of several values of a name the entry's is meant first, then what is in memory, then the order of the text.
func TestNamed(t *testing.T) {
	m, err := parser.Parse("m", `HloModule m
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
mul { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] multiply(x, y) }
f { x = f32[8] parameter(0) ROOT y = f32[8] negate(x) }
ENTRY e {
  x = f32[8] parameter(0)
  z = f32[] constant(0)
  s = f32[] reduce(x, z), dimensions={0}, to_apply=add
  t = f32[] reduce(x, z), dimensions={0}, to_apply=mul
  c = f32[8] call(x), to_apply=f
  ROOT r = (f32[], f32[], f32[8]) tuple(s, t, c)
}
`)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"s": {"e", "add", "mul"}, "%y": {"f", "add", "mul"}, "%mul/%y": {"mul"}, "add/s": {"add"},
		"x": {"e", "f", "add", "mul"},
		"r": {"e"}, "add/r": nil, "q": nil,
	} {
		var got []string
		for _, in := range m.Named(name) {
			got = append(got, in.Computation.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("Named(%q) is of %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]string{"ad/s": "add/s", "add/r": "", "e/tt": ""} {
		if in, near := m.Find(name); in != nil || near != want {
			t.Errorf("Find(%q) = %v, %q, want %q", name, in, near, want)
		}
	}
}
