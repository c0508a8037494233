package hloproto

import (
	"cmp"
	"slices"
	"strings"

	"hlolayout/hlo"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// resultSharding prints an instruction's sharding. One sharding of a tuple is repeated for every array in it; an empty
// tuple has one all the same.
func (w *writer) resultSharding(in *instruction) bool {
	s := in.Sharding
	if s == nil {
		return false
	}
	if in.Shape.GetElementType() != hlopb.PrimitiveType_TUPLE || s.Type == hlopb.OpSharding_TUPLE {
		w.sharding(s)
		return true
	}
	w.text("{")
	w.list(max(1, leaves(in.Shape)), ", ", func(i int) {
		w.out = hlo.AppendIndexComment(w.out, i)
		w.sharding(s)
	})
	w.text("}")
	return true
}

func leaves(s *hlopb.ShapeProto) int {
	if s.GetElementType() != hlopb.PrimitiveType_TUPLE {
		return 1
	}
	n := 0
	for _, e := range s.TupleShapes {
		n += leaves(e)
	}
	return n
}

// sharding prints a sharding; one that is absent prints as {}.
func (w *writer) sharding(s *hlopb.OpSharding) {
	switch {
	case s == nil:
		w.text("{}")
	case s.Type == hlopb.OpSharding_TUPLE:
		w.text("{")
		w.list(len(s.TupleShardings), ", ", func(i int) {
			w.out = hlo.AppendIndexComment(w.out, i)
			w.sharding(s.TupleShardings[i])
		})
		w.text("}")
	case s.NamedSharding != nil:
		w.namedSharding(s.NamedSharding)
	default:
		w.tiledSharding(s)
	}
}

var shardingWords = map[hlopb.OpSharding_Type]string{
	hlopb.OpSharding_REPLICATED: "replicated", hlopb.OpSharding_MANUAL: "manual", hlopb.OpSharding_UNKNOWN: "unknown",
	hlopb.OpSharding_UNREDUCED: "unreduced", hlopb.OpSharding_MAXIMAL: "maximal",
}

func (w *writer) tiledSharding(s *hlopb.OpSharding) {
	w.text("{")
	switch s.Type {
	case hlopb.OpSharding_OTHER:
		w.text("devices=[")
		w.bare(s.TileAssignmentDimensions)
		w.text("]")
		if len(s.IotaReshapeDims) > 0 {
			w.text("<=")
			w.iota(s.IotaReshapeDims, s.IotaTransposePerm)
		} else {
			w.bare(s.TileAssignmentDevices)
		}
		if s.ReplicateOnLastTileDim {
			w.text(" last_tile_dim_replicate")
		}
		if len(s.LastTileDims) > 0 {
			w.text(" last_tile_dims={")
			w.list(len(s.LastTileDims), ", ", func(i int) { w.text(shardingWords[s.LastTileDims[i]]) })
			w.text("}")
		}
	case hlopb.OpSharding_MAXIMAL:
		w.text("maximal device=")
		if len(s.TileAssignmentDevices) != 1 {
			failf(w.in.path()+".sharding.tile_assignment_devices", "a maximal sharding has one device, not %d",
				len(s.TileAssignmentDevices))
		}
		w.int(s.TileAssignmentDevices[0])
	default:
		word := shardingWords[s.Type]
		if word == "" {
			failf(w.in.path()+".sharding.type", "%d is not a type of sharding", s.Type)
		}
		w.text(word)
	}
	if s.IsShardGroup {
		w.text(" shard_" + strings.ToLower(s.ShardGroupType.String()) + " ")
		w.int(s.ShardGroupId)
	}
	if len(s.Metadata) > 0 {
		w.text(" metadata=")
		w.metadataList(s.Metadata)
	}
	w.text("}")
}

// metadataList prints one entry bare and several in braces.
func (w *writer) metadataList(list []*hlopb.OpMetadata) {
	if len(list) == 1 {
		w.metadata(list[0], list[0].StackFrameId)
		return
	}
	w.text("{")
	w.list(len(list), ", ", func(i int) { w.metadata(list[i], list[i].StackFrameId) })
	w.text("}")
}

// namedSharding prints a sharding by the axes of a mesh. One word stands for a sharding without dimensions whose axes
// are all replicated (or not named at all), all unreduced or all manual.
func (w *writer) namedSharding(s *hlopb.NamedShardingProto) {
	m := s.Mesh
	w.text("{")
	if len(m.GetAxes()) == 0 && len(m.GetDeviceIds()) == 1 {
		w.text("maximal_mesh[device_id=")
		w.int(m.DeviceIds[0])
		w.text("]")
	} else {
		w.mesh(m)
		w.text(", ")
		parts := [...]struct {
			key  string
			axes []*hlopb.AxisRefProto
		}{{"replicated", s.ReplicatedAxes}, {"unreduced", s.UnreducedAxes}, {"manual", s.ManualAxes}}
		named := len(s.ReplicatedAxes) + len(s.UnreducedAxes) + len(s.ManualAxes)
		word := ""
		if len(s.DimShardings) == 0 && named == 0 {
			word = "replicated"
		}
		for _, p := range parts[1:] {
			if len(s.DimShardings) == 0 && named == len(p.axes) && named == len(m.GetAxes()) && named > 0 {
				word = p.key
			}
		}
		if word != "" {
			w.text(word)
		} else {
			w.text("[")
			w.list(len(s.DimShardings), ", ", func(i int) { w.dimSharding(m, s.DimShardings[i]) })
			w.text("]")
			for _, p := range parts {
				if len(p.axes) == 0 {
					continue
				}
				w.text(", " + p.key + "=")
				if p.key == "unreduced" && s.ReductionOp != hlopb.NamedShardingProto_SUM {
					w.text(strings.ToLower(s.ReductionOp.String()))
				}
				w.text("{")
				w.axes(m, p.axes, ", ")
				w.text("}")
			}
		}
	}
	if len(s.Metadata) > 0 {
		w.text(", metadata={")
		w.list(len(s.Metadata), ", ", func(i int) { w.metadata(s.Metadata[i], s.Metadata[i].StackFrameId) })
		w.text("}")
	}
	w.text("}")
}

// dimSharding prints the axes that one dimension is cut by; `?` says that more may come.
func (w *writer) dimSharding(m *hlopb.MeshProto, d *hlopb.NamedShardingProto_DimensionSharding) {
	w.text("{")
	w.axes(m, d.Axes, ", ")
	if !d.IsClosed {
		if len(d.Axes) > 0 {
			w.text(", ")
		}
		w.text("?")
	}
	w.text("}")
}

// mesh prints mesh['a'=2,'b'=4], device_ids=(...); the ids only where they are not 0, 1, 2...
func (w *writer) mesh(m *hlopb.MeshProto) {
	w.axisSizes(m)
	switch {
	case len(m.GetDeviceIds()) > 0:
		w.text(", device_ids=(")
		w.bare(m.DeviceIds)
		w.text(")")
	case m.GetIotaTransform() != nil && len(m.IotaTransform.ReshapeDims) > 1:
		w.text(", device_ids=(")
		perm := make([]int32, len(m.IotaTransform.TransposePerm))
		for i, p := range m.IotaTransform.TransposePerm {
			perm[i] = int32(p)
		}
		w.iota(m.IotaTransform.ReshapeDims, perm)
		w.text(")")
	}
}

// iota prints [4,2]T(1,0): the numbers 0, 1, 2... reshaped and transposed. As XLA does on reading, dimensions of size 1
// are left out, and dimensions that stay side by side are made one.
func (w *writer) iota(dims []int64, perm []int32) {
	if len(perm) != len(dims) {
		failf(w.in.path(), "the iota has %d dimensions, and a permutation of %d", len(dims), len(perm))
	}
	type group struct{ size, first int64 }
	var groups []group // in the order of the result
	last := int64(-2)
	for _, p := range perm {
		if p < 0 || int(p) >= len(dims) {
			failf(w.in.path(), "%d is not a dimension of the iota %v", p, dims)
		}
		if dims[p] == 1 {
			continue
		}
		next := last + 1
		for next < int64(p) && next >= 0 && dims[next] == 1 {
			next++
		}
		if n := len(groups); n > 0 && next == int64(p) {
			groups[n-1].size *= dims[p]
		} else {
			groups = append(groups, group{dims[p], int64(p)})
		}
		last = int64(p)
	}
	if len(groups) == 0 {
		groups = []group{{1, 0}}
	}
	sorted := slices.Clone(groups)
	slices.SortFunc(sorted, func(a, b group) int { return cmp.Compare(a.first, b.first) })
	w.text("[")
	w.list(len(sorted), ",", func(i int) { w.int(sorted[i].size) })
	w.text("]")
	if len(groups) > 1 {
		w.text("T(")
		w.list(len(groups), ",", func(i int) { w.int(int64(slices.Index(sorted, groups[i]))) })
		w.text(")")
	}
}

// replicaGroups prints the groups of a collective in one of three forms: lists, iota, mesh axes.
func (w *writer) replicaGroups(in *instruction) bool {
	groups := in.ReplicaGroups
	switch list := in.ReplicaGroupList.(type) {
	case *hlopb.HloInstructionProto_IotaCollectiveDeviceList:
		l := list.IotaCollectiveDeviceList
		w.text("[")
		w.bare([]int64{l.GetNumReplicaGroups(), l.GetNumDevicesPerGroup()})
		w.text("]<=")
		w.iota(l.GetIotaReshapeDims(), l.GetIotaTransposePerm())
		return true
	case *hlopb.HloInstructionProto_MeshAxesReplicaGroupList:
		l := list.MeshAxesReplicaGroupList
		w.mesh(l.GetMesh())
		w.text(" {")
		w.axes(l.GetMesh(), l.GetAxes(), ",")
		w.text("}")
		return true
	case *hlopb.HloInstructionProto_CollectiveDeviceList:
		groups = list.CollectiveDeviceList.GetReplicaGroups()
	}
	w.text("{")
	w.list(len(groups), ",", func(i int) { w.ints(groups[i].ReplicaIds) })
	w.text("}")
	return true
}
