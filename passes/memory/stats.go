package memory

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// Stats are the bytes of HBM that one run of a program takes, as CompiledMemoryStats counts them.
type Stats struct {
	// Argument is the padded size of the entry's parameters, Output that of its results with the table of pointers of a
	// tuple, Alias that of the results that take the place of donated parameters, each in bytes of HBM.
	Argument, Output, Alias int64
	// Constant is the padded size of the constants in HBM, without single numbers. CompiledMemoryStats has them in
	// generated_code_size_in_bytes.
	Constant int64
	// Temp is the most that all other values in HBM take at one time, in bytes.
	Temp int64
	// HostArgument, HostOutput and HostAlias are the same for what is in the host's memory.
	HostArgument, HostOutput, HostAlias int64
}

// Peak returns the bytes of HBM that a run takes without its code: arguments, outputs that do not alias them,
// constants, and temporaries.
func (s Stats) Peak() int64 { return s.Argument + s.Output - s.Alias + s.Constant + s.Temp }

// Statistics counts the bytes of a scheduled module whose spaces are assigned: by the compiler (its final module), or
// by Run. Errors: the module is not scheduled, or malformed.
func Statistics(m *hlo.Module, t *tpu.Target) (Stats, error) {
	var s Stats
	if !m.IsScheduled() {
		return s, fmt.Errorf("memory: module %s is not scheduled (is_scheduled=true)", m.Name)
	}
	g, err := newGraph(m)
	if err != nil {
		return s, fmt.Errorf("memory: %w", err)
	}
	v := newValues(g)
	spaces := make([]int64, len(v.at))
	for l := range spaces {
		shape, _ := v.leafShape(int32(l))
		spaces[l] = spaceOf(shape)
	}
	s, _ = statistics(slowEngine(v), t, spaces)
	return s, nil
}

// slowEngine returns an engine that knows the buffers, for modules of a target without a fast space and for what is
// placed already.
func slowEngine(v *values) *engine {
	e := &engine{g: v.g, v: v, dev: &device{tupleGranule: 1}}
	e.c = noCost(v, e.dev) // which is not asked
	e.buffers()
	return e
}

// statistics counts with the given space of every leaf.
func statistics(e *engine, t *tpu.Target, spaces []int64) (s Stats, held []Held) {
	g := e.g
	entry := &g.comps[g.compOf[g.m.Entry]]
	for _, p := range entry.params {
		if p < 0 {
			continue
		}
		info := g.info(g.nodes[p].in.Shape)
		for j, l := range info.Leaves {
			if spaceOf(l) == spaceHost {
				s.HostArgument += info.bytes[j]
			} else {
				s.Argument += info.bytes[j]
			}
		}
	}
	root := g.info(g.nodes[entry.root].in.Shape)
	for j, l := range root.Leaves {
		if spaceOf(l) == spaceHost {
			s.HostOutput += root.bytes[j]
		} else {
			s.Output += root.bytes[j]
		}
	}
	if g.nodes[entry.root].in.Shape.IsTuple() {
		s.Output += t.TupleTableBytes(len(root.Leaves))
	}
	for _, a := range g.m.Aliases() {
		l := g.leafAt(g.nodes[entry.root].in.Shape, a.Output)
		switch {
		case l < 0:
		case spaceOf(root.Leaves[l]) == spaceHost:
			s.HostAlias += root.bytes[l]
		default:
			s.Alias += root.bytes[l]
		}
	}
	for _, c := range Constants(g.m) {
		s.Constant += g.info(c.Shape).bytes[0]
	}
	room := int64(0)
	if hbm, ok := t.Space(0); ok {
		room = hbm.PlacementBytes
	}
	if room > 0 {
		room = max(1, room-spare-s.Peak())
	}
	held, s.Temp = e.temporaries(spaces, room, t.TupleTableBytes(2))
	s.Temp = rounded(s.Temp)
	return s, held
}

// Constants returns the constants that are in HBM, in the order of the text: one that VMEM holds, too, is copied there.
// A single number takes a granule or none, by where it is read.
func Constants(m *hlo.Module) (out []*hlo.Instruction) {
	for _, c := range m.InMemory() {
		for _, in := range c.Instructions {
			if in.Opcode == hlo.OpConstant && in.Shape.IsArray() && in.Shape.Rank() > 0 && spaceOf(in.Shape) == 0 {
				out = append(out, in)
			}
		}
	}
	return out
}

func spaceOf(s *hlo.Shape) int64 {
	if s.Layout == nil {
		return 0
	}
	return s.Layout.MemorySpace
}
