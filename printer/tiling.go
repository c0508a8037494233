package printer

import (
	"slices"

	"hlolayout/hlo"
)

// tiling is a sharding that is not named, read from its flags.
type tiling struct {
	kind string // a word of shardingKinds, "" for one with tiles
	devices
	replicateLast bool
	lastDims      []string // what the last dimensions of the tiles are, for subgroups
	group         string   // shard_as or shard_like
	groupID       int64
	metadata      *hlo.Value
}

// shardingKinds are the words that say a sharding without tiles; of several, the first one of this list counts.
var shardingKinds = []string{"replicated", "maximal", "manual", "unknown", "unreduced"}

// readSharding reads the flags, which may be in any order. ok is false for what XLA refuses.
func readSharding(v *hlo.Value) (s tiling, ok bool) {
	words := map[string]bool{}
	var device []int64
	for i := 0; i < len(v.Elems); i++ {
		e := &v.Elems[i]
		switch {
		case e.Kind == hlo.WordValue && (e.Text == "shard_as" || e.Text == "shard_like"):
			if i+1 == len(v.Elems) {
				return s, false
			}
			i++
			if s.groupID, ok = intOf(&v.Elems[i]); !ok {
				return s, false
			}
			s.group = e.Text
		case e.Kind == hlo.WordValue:
			words[e.Text] = true
		case e.Kind != hlo.PairValue || len(e.Elems) != 1:
			return s, false
		case e.Text == "device":
			n, ok := intOf(&e.Elems[0])
			if !ok {
				return s, false
			}
			device = []int64{n}
		case e.Text == "devices":
			if i, ok = s.readDevices(v, i); !ok {
				return s, false
			}
		case e.Text == "last_tile_dims":
			for k := range e.Elems[0].Elems {
				s.lastDims = append(s.lastDims, e.Elems[0].Elems[k].Text)
			}
		case e.Text == "metadata":
			s.metadata = &e.Elems[0]
		default:
			return s, false
		}
	}
	s.replicateLast = words["last_tile_dim_replicate"]
	for _, k := range shardingKinds {
		if words[k] {
			s.kind = k
			break
		}
	}
	if device != nil {
		s.devices = devices{dims: []int64{1}, ids: device}
	}
	switch s.kind {
	case "maximal":
		return s, len(s.ids) == 1
	case "":
		n, fits := product(s.dims)
		if len(s.dims) == 0 || !fits || n > maxDevices || len(s.lastDims) > len(s.dims) || n < int64(len(s.ids)) {
			return s, false
		}
		for !s.isFormula() && int64(len(s.ids)) < n {
			s.ids = append(s.ids, 0) // XLA counts the list only now and then; where devices are missing it has zeros
		}
	}
	return s, true
}

// readDevices reads devices=[2,2]0,1,2,3 or devices=[2,2]<=[2,2]T(1,0) from element i on; last is its last element. A
// second list of devices is appended to the first.
func (s *tiling) readDevices(v *hlo.Value, i int) (last int, ok bool) {
	dims, ok := intsOf(&v.Elems[i].Elems[0])
	if !ok {
		return 0, false
	}
	dims = append(slices.Clone(s.dims), dims...)
	if i+1 < len(v.Elems) && v.Elems[i+1].Text == "<=" {
		formula, n, ok := readFormula(dims, v.Elems[i+2:])
		s.devices = formula
		return i + 1 + n, ok
	}
	ids := s.ids
	for ; i+1 < len(v.Elems) && v.Elems[i+1].Kind == hlo.IntValue; i++ {
		n, ok := intOf(&v.Elems[i+1])
		if !ok {
			return 0, false
		}
		ids = append(ids, n)
	}
	s.devices = devices{dims: dims, ids: ids}
	return i, ids != nil
}

// readFormula reads [4,2]T(1,0), or [8] without a permutation, and returns how many elements it took.
func readFormula(dims []int64, elems []hlo.Value) (d devices, n int, ok bool) {
	if len(elems) == 0 || elems[0].Open != '[' {
		return d, 0, false
	}
	from, ok := intsOf(&elems[0])
	if !ok {
		return d, 0, false
	}
	perm := make([]int, len(from))
	for i := range perm {
		perm[i] = i
	}
	n = 1
	if len(elems) > 2 && elems[1].Text == "T" {
		if perm, ok = elems[2].Ints(); !ok {
			return d, 0, false
		}
		n = 3
	}
	d, ok = formulaOf(dims, from, perm)
	return d, n, ok
}

// canonicalize brings tiles into XLA's form: subgroups of one kind are one dimension, in the order of subgroupOrder,
// with the replicated one last and its devices sorted; a sharding that does not split anything is replicated or manual.
func (s *tiling) canonicalize() bool {
	switch {
	case s.replicateLast && len(s.lastDims) > 0:
		return false
	case s.replicateLast:
		s.partialTile()
	case len(s.lastDims) > 0:
		s.subgroups()
	}
	return true
}

// partialTile makes a sharding with a replicated last dimension (XLA's HloSharding::PartialTile).
func (s *tiling) partialTile() {
	n := len(s.dims) - 1
	size := s.dims[n]
	switch {
	case n == 0 || size == s.size():
		s.kind = "replicated"
	case size == 1:
		s.devices = s.reshaped(s.dims[:n])
		s.replicateLast = false
	default:
		s.devices = s.groupsSorted()
		s.replicateLast = true
	}
}

// subgroupOrder is the order of the kinds of subgroups.
var subgroupOrder = []string{"maximal", "manual", "unreduced", "replicated"}

// subgroups merges and sorts the last dimensions (XLA's HloSharding::Subgroup).
func (s *tiling) subgroups() {
	data := len(s.dims) - len(s.lastDims)
	first := s.lastDims[0]
	same := !slices.ContainsFunc(s.lastDims, func(k string) bool { return k != first })
	if n, _ := product(s.dims[:data]); same && n == 1 && first != "maximal" {
		s.kind, s.lastDims = first, nil
		return
	}
	perm := make([]int, data)
	for i := range perm {
		perm[i] = i
	}
	var ones []int
	var kinds []string
	merged := slices.Clone(s.dims[:data])
	for _, kind := range subgroupOrder {
		n, found := int64(1), false
		for i, k := range s.lastDims {
			if k == kind && s.dims[data+i] != 1 {
				perm = append(perm, data+i)
				n *= s.dims[data+i]
				found = true
			}
		}
		if found {
			kinds = append(kinds, kind)
			merged = append(merged, n)
		}
	}
	for i := range s.lastDims {
		if s.dims[data+i] == 1 {
			ones = append(ones, data+i)
		}
	}
	if len(ones) > 0 || len(kinds) != len(s.lastDims) || len(kinds) > 1 {
		moved := s.transposed(append(perm, ones...))
		s.devices = moved.reshaped(merged)
		if moved.isFormula() {
			s.devices, _ = formulaOf(merged, moved.from, moved.perm)
		}
	}
	s.lastDims = kinds
	switch {
	case len(kinds) == 1 && kinds[0] == "replicated":
		s.lastDims = nil
		s.partialTile()
	case len(kinds) == 1 && kinds[0] == "manual" && s.size() == s.dims[len(s.dims)-1]:
		s.kind = "manual"
	case len(kinds) > 0 && kinds[len(kinds)-1] == "replicated":
		s.partialTile()
		s.replicateLast = false
	}
}
