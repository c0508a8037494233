package memory

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// Stats are the bytes of HBM that one run of a program takes, as CompiledMemoryStats counts them.
type Stats struct {
	// Argument is the padded size of the entry's parameters, Output that of its results with the table of pointers of a tuple, Alias that
	// of the results that take the place of donated parameters, each in bytes of HBM.
	Argument, Output, Alias int64
	// Temp is the most that all other values in HBM take at one time, in bytes.
	Temp int64
	// HostArgument, HostOutput and HostAlias are the same for what lies in the host's memory.
	HostArgument, HostOutput, HostAlias int64
}

// Peak returns the bytes of HBM that a run takes without its code and constants: arguments, outputs that do not alias them, and temporaries.
func (s Stats) Peak() int64 { return s.Argument + s.Output - s.Alias + s.Temp }

// Statistics counts the bytes of a scheduled module whose spaces are assigned: by the compiler (its final module), or by Run. The rules are
// memory-spaces.md section 5. Errors: the module is not scheduled, or malformed.
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
	return statistics(slowEngine(v), t, spaces), nil
}

// slowEngine returns an engine that knows the buffers, for modules of a target without a fast space and for what is placed already.
func slowEngine(v *values) *engine {
	e := &engine{g: v.g, v: v, dev: &device{bandwidth: 1, copyBandwidth: 1, fastRatio: 1, clock: 1, flops: 1, vector: 1, tupleGranule: 1}}
	e.c = newCost(v, e.dev)
	e.buffers()
	return e
}

// statistics counts with the given space of every leaf.
func statistics(e *engine, t *tpu.Target, spaces []int64) (s Stats) {
	g := e.g
	entry := &g.comps[g.compOf[g.m.Entry]]
	for _, p := range entry.params {
		if p < 0 {
			continue
		}
		info := g.info(g.nodes[p].in.Shape)
		for j, l := range info.leaves {
			if spaceOf(l) == spaceHost {
				s.HostArgument += info.bytes[j]
			} else {
				s.Argument += info.bytes[j]
			}
		}
	}
	root := g.info(g.nodes[entry.root].in.Shape)
	for j, l := range root.leaves {
		if spaceOf(l) == spaceHost {
			s.HostOutput += root.bytes[j]
		} else {
			s.Output += root.bytes[j]
		}
	}
	if g.nodes[entry.root].in.Shape.IsTuple() {
		s.Output += t.TupleTableBytes(len(root.leaves))
	}
	for _, a := range donations(g.m) {
		l := leafAt(g, g.nodes[entry.root].in.Shape, a.output)
		switch {
		case l < 0:
		case spaceOf(root.leaves[l]) == spaceHost:
			s.HostAlias += root.bytes[l]
		default:
			s.Alias += root.bytes[l]
		}
	}
	for _, n := range e.temporaries(spaces) {
		s.Temp = max(s.Temp, n)
	}
	return s
}

func spaceOf(s *hlo.Shape) int64 {
	if s.Layout == nil {
		return 0
	}
	return s.Layout.MemorySpace
}

// granule is what a temporary in HBM takes a multiple of.
const granule = 16 << 10

// temporaries returns how many bytes of HBM values other than parameters, results and constants hold at each time.
func (e *engine) temporaries(spaces []int64) []int64 {
	g, v := e.g, e.v
	n := int32(len(g.nodes))
	change := make([]int64, n+2)
	arrays := false
	hold := func(from, to int32, bytes int64) {
		bytes = (bytes + granule - 1) / granule * granule
		change[from] += bytes
		change[to+1] -= bytes
	}
	for b := range e.bufs {
		buf := &e.bufs[b]
		if buf.param || buf.result {
			continue
		}
		first, last, skip := n, int32(0), false
		for _, x := range buf.values {
			s, _ := v.leafShape(v.def[x])
			skip = skip || !s.IsArray() || spaces[v.def[x]] != 0 || g.nodes[v.leafTime[v.def[x]]].in.Opcode == hlo.OpConstant
			from, to := e.span(x)
			first, last = min(first, from), max(last, to)
		}
		if !skip && buf.size > 0 {
			hold(first, last, buf.size)
			shape, _ := v.leafShape(v.def[buf.first])
			arrays = arrays || !single(shape)
		}
	}
	// Tables of pointers count only beside arrays (measured: programs without an array in HBM report 0).
	if !arrays {
		return make([]int64, n)
	}
	last := make([]int32, n)
	for t := range g.nodes {
		for _, o := range g.nodes[t].in.Operands {
			last[g.timeOf[o]] = int32(t)
		}
	}
	for t := int32(0); t < n; t++ {
		in := g.nodes[t].in
		if !in.Shape.IsTuple() || in.Opcode == hlo.OpParameter || in.Opcode == hlo.OpGetTupleElement || in.Opcode == hlo.OpBitcast {
			continue
		}
		count := int64(1)
		switch in.Opcode {
		case hlo.OpAsyncStart:
			count = 2
		case hlo.OpTuple, hlo.OpWhile, hlo.OpConditional:
			if g.nodes[t].root {
				continue
			}
		}
		hold(t, max(t, last[t]), count*granule)
	}
	var now int64
	for t := range change {
		now += change[t]
		change[t] = now
	}
	return change[:n]
}

// span returns the first and last time that a value is held.
func (e *engine) span(x int32) (from, to int32) {
	g, v := e.g, e.v
	from = v.leafTime[v.def[x]]
	to = from
	for _, u := range v.uses[x] {
		to = max(to, v.g.useTime[u])
	}
	for _, l := range v.positions[x] {
		nd := &g.nodes[v.leafTime[l]]
		if nd.root {
			to = max(to, g.comps[nd.comp].end)
		}
		to = max(to, v.leafTime[l])
	}
	return from, to
}
