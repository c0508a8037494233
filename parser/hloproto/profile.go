package hloproto

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"hlolayout/parser/hloproto/internal/hlopb"
)

// protoStat is the stat of a profile's events that holds a program as HloProto (kHloProto in
// tsl/profiler/utils/xplane_schema.cc).
const protoStat = "Hlo Proto"

// Program is a module of a profile.
type Program struct {
	Name string // as the profile calls it, with the number of the program: "jit_f(9)"
	Text string // as XLA prints it
}

// IsProfile reports whether data is a profile, an XSpace: a plane has the name of a host or of a device.
func IsProfile(data []byte) bool {
	for len(data) > 0 && data[0] == 1<<3|byte(protowire.BytesType) {
		var plane []byte
		if plane, data = field(data, 1); plane == nil {
			return false
		}
		name, _ := field(plane, 2)
		if s := string(name[:min(len(name), 64)]); strings.HasPrefix(s, "/host:") || strings.HasPrefix(s, "/device:") {
			return true
		}
	}
	return false
}

// Programs returns the programs of a profile that hold a module, by their names.
func Programs(file string, data []byte) ([]Program, error) {
	hlopb.Register()
	space := &hlopb.XSpace{}
	err := checkWire(data, space.ProtoReflect().Descriptor())
	if err == nil {
		err = proto.UnmarshalOptions{RecursionLimit: maxDepth + 1, AllowPartial: true,
			DiscardUnknown: true}.Unmarshal(data, space)
	}
	if err != nil {
		return nil, findings(file, err)
	}
	var out []Program
	for _, p := range space.Planes {
		for _, id := range slices.Sorted(maps.Keys(p.EventMetadata)) {
			e := p.EventMetadata[id]
			for _, s := range e.GetStats() {
				if p.StatMetadata[s.GetMetadataId()].GetName() != protoStat || len(s.GetBytesValue()) == 0 {
					continue
				}
				text, err := Text(file+"("+e.GetName()+")", s.GetBytesValue())
				if err != nil {
					return nil, err
				}
				out = append(out, Program{e.GetName(), text})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Program) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(out), nil
}
