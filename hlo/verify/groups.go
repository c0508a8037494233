package verify

import (
	"strconv"
	"strings"

	"hlolayout/hlo"
)

// mode says what the numbers in replica_groups stand for (XLA's CollectiveOpGroupMode).
type mode uint8

const (
	crossReplica mode = iota
	crossPartition
	crossBoth
	flattenedID
)

// groupMode returns the mode that channel_id and use_global_device_ids give; without the latter key in the opcode's
// set (all-to-all, collective-permute), the channel alone decides.
func groupMode(in *hlo.Instruction, hasGlobalIDs bool) (mode, error) {
	channel, global := in.Attr("channel_id") != nil, in.Attr("use_global_device_ids").Bool()
	switch {
	case !channel && global && hasGlobalIDs:
		return 0, fail(VER602, "use_global_device_ids=true needs a channel_id")
	case !channel:
		return crossReplica, nil
	case !hasGlobalIDs:
		return crossPartition, nil
	case global:
		return flattenedID, nil
	}
	return crossBoth, nil
}

// groups are replica groups: how many there are, the size of the first, and whether all have that size.
type groups struct {
	count, size, ids int64
	uniform          bool
}

// replicaGroups reads replica_groups in its three forms and checks that they name each of 0..n-1
// once, n being the number of replicas, partitions or both where the module says it.
func replicaGroups(in *hlo.Instruction, m mode, uniform bool) (g groups, err error) {
	v := in.Attr("replica_groups")
	switch {
	case v == nil:
		g.uniform = true
	case strings.HasPrefix(v.Text, "mesh"):
		g, err = meshGroups(v)
	case strings.HasPrefix(v.Text, "["):
		g, err = iotaGroups(v)
	default:
		g, err = listedGroups(v)
	}
	if err != nil {
		return g, err
	}
	if g.count == 0 {
		if m == flattenedID {
			return g, fail(VER601, "use_global_device_ids=true needs replica_groups")
		}
		return g, nil
	}
	replicas, partitions := deviceCounts(in)
	want := replicas
	switch m {
	case crossPartition:
		want = partitions
	case flattenedID:
		want = replicas * partitions
	}
	if want != 1 && want != g.ids {
		return g, fail(VER601, "replica_groups=%s names %s, but the module has %d", v.Text,
			plural(int(g.ids), "device"), want)
	}
	if uniform && !g.uniform {
		return g, fail(VER601, "replica_groups=%s has groups of different sizes", v.Text)
	}
	return g, nil
}

// deviceCounts returns those of an instruction's module, 1 and 1 for one without a module.
func deviceCounts(in *hlo.Instruction) (replicas, partitions int64) {
	if in.Computation == nil || in.Computation.Module == nil {
		return 1, 1
	}
	return in.Computation.Module.DeviceCounts()
}

// subgroup returns how many devices work together in one group.
func (g groups) subgroup(in *hlo.Instruction, m mode) int64 {
	replicas, partitions := deviceCounts(in)
	n := g.size
	switch {
	case m == crossPartition && g.count == 0:
		return partitions
	case g.count == 0:
		n = replicas
	}
	if m == crossBoth {
		n *= partitions
	}
	return n
}

func listedGroups(v *hlo.Value) (g groups, err error) {
	g.uniform = true
	seen := map[int64]bool{}
	for i := range v.Elems {
		e := &v.Elems[i]
		ids, ok := e.Ints()
		if !ok || len(ids) == 0 {
			return g, fail(VER601, "replica_groups=%s has an empty group or one that is not a list", v.Text)
		}
		if i == 0 {
			g.size = int64(len(ids))
		}
		g.uniform = g.uniform && int64(len(ids)) == g.size
		for _, id := range ids {
			if seen[int64(id)] {
				return g, fail(VER601, "replica_groups=%s names device %d twice", v.Text, id)
			}
			seen[int64(id)] = true
		}
		g.count++
	}
	g.ids = int64(len(seen))
	for i := int64(0); i < g.ids; i++ {
		if !seen[i] {
			return g, fail(VER601, "replica_groups=%s leaves out device %d", v.Text, i)
		}
	}
	return g, nil
}

// iotaGroups reads [groups,size]<=[dims]T(perm).
func iotaGroups(v *hlo.Value) (g groups, err error) {
	if len(v.Elems) == 0 {
		return g, fail(VER109, "replica_groups=%s is not of the form [groups,size]<=[dims]", v.Text)
	}
	shape, ok := v.Elems[0].Ints()
	if !ok || len(shape) != 2 || shape[0] < 1 || shape[1] < 1 {
		return g, fail(VER109, "replica_groups=%s is not of the form [groups,size]<=[dims]", v.Text)
	}
	return groups{int64(shape[0]), int64(shape[1]), int64(shape[0]) * int64(shape[1]), true}, nil
}

// meshGroups reads mesh['x'=2,'y'=4], device_ids=(...) {'x','y':(1)2}: the devices that differ only along the axes in
// braces make a group. A sub-axis 'y':(1)2 counts with its size, 2.
func meshGroups(v *hlo.Value) (g groups, err error) {
	bad := fail(VER109, "replica_groups=%s is not of the form mesh['x'=2,'y'=4] {'x'}", v.Text)
	open, shut := strings.IndexByte(v.Text, '['), strings.IndexByte(v.Text, ']')
	brace := strings.LastIndexByte(v.Text, '{')
	if open < 0 || shut < open || brace < shut {
		return g, bad
	}
	axes := map[string]int64{}
	total := int64(1)
	for _, axis := range strings.Split(v.Text[open+1:shut], ",") {
		name, size, ok := strings.Cut(axis, "=")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(size), 10, 64)
		if err != nil || n < 1 {
			return g, bad
		}
		axes[strings.Trim(strings.TrimSpace(name), `'"`)] = n
		total *= n
	}
	g = groups{size: 1, ids: total, uniform: true}
	for _, axis := range strings.Split(strings.Trim(v.Text[brace:], "{} "), ",") {
		axis = strings.TrimSpace(axis)
		if axis == "" {
			continue
		}
		name, sub, cut := strings.Cut(axis, ":")
		n, ok := axes[strings.Trim(name, `'" `)]
		if cut {
			_, size, _ := strings.Cut(sub, ")")
			k, err := strconv.ParseInt(strings.TrimSpace(size), 10, 64)
			n, ok = k, err == nil && k > 0
		}
		if !ok {
			return g, bad
		}
		g.size *= n
	}
	g.count = total / g.size
	return g, nil
}

// sourceTargetPairs checks that no device sends or receives more than `times` times and that all numbers are devices.
func sourceTargetPairs(in *hlo.Instruction, times int) error {
	v := in.Attr("source_target_pairs")
	if v == nil {
		return fail(VER109, "it has no source_target_pairs")
	}
	m, err := groupMode(in, false)
	if err != nil {
		return err
	}
	replicas, partitions := deviceCounts(in)
	limit := replicas
	if m == crossPartition {
		limit = partitions
	}
	seen := [2]map[int]int{{}, {}}
	for i := range v.Elems {
		pair, ok := v.Elems[i].Ints()
		if !ok || len(pair) != 2 {
			return fail(VER109, "source_target_pairs=%s is not of the form {{0,1},{1,0}}", v.Text)
		}
		for side, d := range pair {
			what := [...]string{"source", "target"}[side]
			if d < 0 || limit != 1 && int64(d) >= limit {
				return fail(VER603, "source_target_pairs=%s has the %s %d; the module has %s", v.Text, what, d,
					plural(int(limit), "device"))
			}
			if seen[side][d]++; seen[side][d] > times {
				return fail(VER603, "source_target_pairs=%s has the %s %d more than %s", v.Text, what, d,
					plural(times, "time"))
			}
		}
	}
	return nil
}
