package report

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/passes/entry"
	"hlolayout/passes/lint"
	"hlolayout/passes/padding"
)

// InterfaceJSON is what a module takes and returns, and what one device holds of it.
type InterfaceJSON struct {
	// Devices is the least number of devices that the arrays are divided among, 1 for a program of one device or one
	// that is divided already.
	Devices int64                `json:"devices"`
	Arrays  []InterfaceArrayJSON `json:"arrays"`
}

// InterfaceArrayJSON is one array of the interface. Bytes are those on one device.
type InterfaceArrayJSON struct {
	Place string `json:"place"` // such as "parameter 3{1}"
	Shape string `json:"shape"`
	// Device is the shape that one device holds; Known says whether the text tells it, or the partitioner decides.
	Device  string `json:"device_shape"`
	Known   bool   `json:"device_shape_known"`
	Logical int64  `json:"unpadded_bytes"`
	Padded  int64  `json:"padded_bytes"`
	// Source says where the layout comes from.
	Source string `json:"layout_from"`
}

// NewInterface adds up an interface.
func NewInterface(f *entry.Interface) *InterfaceJSON {
	if f == nil {
		return nil
	}
	out := &InterfaceJSON{Devices: f.Partitions, Arrays: []InterfaceArrayJSON{}}
	for i := range f.Arrays {
		a := &f.Arrays[i]
		size := padding.SizeOf(a.Device)
		out.Arrays = append(out.Arrays, InterfaceArrayJSON{a.Place(), a.Shape.String(), a.Device.String(), a.Known,
			size.Logical, size.Padded, a.Source.String()})
	}
	return out
}

// appendInterface appends what the parameters and results take, on each device of several.
func appendInterface(dst []byte, f *entry.Interface) []byte {
	if f == nil {
		return dst
	}
	var sides [2]padding.Totals // parameters, results
	for i := range f.Arrays {
		k := 0
		if f.Arrays[i].Parameter == entry.Result {
			k = 1
		}
		sides[k].Add(padding.SizeOf(f.Arrays[i].Device))
	}
	where := ""
	if f.Partitions > 1 {
		where = fmt.Sprintf(" on each of %d devices or more", f.Partitions)
	}
	return fmt.Appendf(dst, "  Entry: %s of %s, %s of %s%s\n", count(sides[0].Values, "parameter array"),
		lint.Size(sides[0].Padded), count(sides[1].Values, "result array"), lint.Size(sides[1].Padded), where)
}

// boundary returns the shapes of the entry's parameters and result, as entry_computation_layout has them.
func boundary(m *hlo.Module) (params []*hlo.Shape, result *hlo.Shape) {
	params, result, ok := m.EntryLayout()
	if ok || m.Entry == nil || m.Entry.Root == nil {
		return params, result
	}
	for _, p := range m.Entry.Parameters() {
		if p != nil {
			params = append(params, p.Shape)
		}
	}
	return params, m.Entry.Root.Shape
}
