package hlo_test

import (
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
