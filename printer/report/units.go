// Package report renders what diff, check, lint and the accounting passes find: as text for a person, and for CI
// (Formats).
package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/printer/diff"
	"hlolayout/tpu"
)

// SchemaVersion is the version of the JSON forms; it grows when a key changes its meaning or goes away.
const SchemaVersion = 1

// Bytes writes a number of bytes in the largest unit that leaves at least 1, with one digit after the point: 1.2 MiB.
func Bytes(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	x, k := float64(n), 0
	for x >= 1024 && k+1 < len(units) {
		x, k = x/1024, k+1
	}
	return sign + strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0") + " " + units[k]
}

// Signed is Bytes with a sign in front: +1.2 MiB, -4 KiB.
func Signed(n int64) string {
	if n < 0 {
		return Bytes(n)
	}
	return "+" + Bytes(n)
}

// spaces are the names of memory spaces in all generations.
var spaces = sync.OnceValue(func() map[int64]string {
	out := map[int64]string{}
	for _, name := range tpu.Names() {
		if t, err := tpu.ByName(name); err == nil {
			for n, s := range t.Spaces() {
				out[n] = s
			}
		}
	}
	return out
})

// SpaceName returns the usual name of a memory space: HBM, VMEM; S(8) for one that has none.
func SpaceName(n int64) string {
	if s := spaces()[n]; s != "" {
		return s
	}
	return fmt.Sprintf("S(%d)", n)
}

// Change says in words how one layout became another: order {1,0} -> {0,1}, tile T(8,128) -> T(4,128), HBM -> VMEM.
func Change(from, to *hlo.Shape) string {
	if from == nil || to == nil || !from.IsArray() || !to.IsArray() || !from.Compatible(to) &&
		len(from.Dims) != len(to.Dims) {
		return shapeText(from) + " -> " + shapeText(to)
	}
	if !from.Compatible(to) {
		text := bare(from) + " -> " + bare(to)
		if diff.Transposed(from, to) {
			text += ", transposed"
		}
		if change := layoutChange(from, to); change != "" {
			text += ", " + change
		}
		return text
	}
	return cmp.Or(layoutChange(from, to), layoutText(from.Layout)+" -> "+layoutText(to.Layout))
}

// layoutChange says in words how the layouts of two shapes differ, "" where it has no words for it.
func layoutChange(from, to *hlo.Shape) string {
	a, b := from.Layout, to.Layout
	if a == nil || b == nil {
		return layoutText(a) + " -> " + layoutText(b)
	}
	var parts []string
	if !slices.Equal(a.MinorToMajor, b.MinorToMajor) {
		parts = append(parts, "order "+orderText(a)+" -> "+orderText(b))
	}
	if x, y := tileText(a), tileText(b); x != y {
		parts = append(parts, "tile "+x+" -> "+y)
	}
	if a.ElementBits != b.ElementBits {
		parts = append(parts, fmt.Sprintf("element bits %d -> %d", bits(from), bits(to)))
	}
	if a.MemorySpace != b.MemorySpace {
		parts = append(parts, SpaceName(a.MemorySpace)+" -> "+SpaceName(b.MemorySpace))
	}
	return strings.Join(parts, ", ")
}

func shapeText(s *hlo.Shape) string {
	if s == nil {
		return "none"
	}
	return s.String()
}

func layoutText(l *hlo.Layout) string {
	if l == nil {
		return "no layout"
	}
	return l.String()
}

func orderText(l *hlo.Layout) string {
	return (&hlo.Layout{MinorToMajor: l.MinorToMajor}).String()
}

func tileText(l *hlo.Layout) string {
	if len(l.Tiles) == 0 {
		return "none"
	}
	return strings.Trim((&hlo.Layout{Tiles: l.Tiles}).String(), "{:}")
}

func bits(s *hlo.Shape) int64 {
	if s.Layout != nil && s.Layout.ElementBits > 0 {
		return s.Layout.ElementBits
	}
	return int64(s.DType.Bits())
}

// bare is the shape without its layouts.
func bare(s *hlo.Shape) string { return string(s.Append(nil, false)) }

// count writes "1 value", "3 values"; a noun that ends in y or s is not for it.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// names lists up to most names of instructions, and how many more there are.
func names(list []*hlo.Instruction, most int) string { return valueNames(list, nil, most) }

// valueNames is names for parts of tuples: %name{1}.
func valueNames(list []*hlo.Instruction, indices []hlo.Index, most int) string {
	var b strings.Builder
	for i, in := range list {
		if i == most {
			fmt.Fprintf(&b, ", and %d more", len(list)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		var index hlo.Index
		if indices != nil {
			index = indices[i]
		}
		b.WriteString(hlo.ValueName(in, index))
	}
	return b.String()
}

// sourceLines lists up to most distinct lines of the program that instructions come from, after a semicolon: ";
// model.py:15".
func sourceLines(list []*hlo.Instruction, most int) string {
	seen := map[string]bool{}
	text, n := "", 0
	for _, in := range list {
		s := in.SourceLine().String()
		if s == "" || seen[s] {
			continue
		}
		seen[s] = true
		if n++; n > most {
			return text + ", ..."
		}
		text += [...]string{"; ", ", "}[min(n-1, 1)] + s
	}
	return text
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
