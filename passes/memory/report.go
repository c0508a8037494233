package memory

import (
	"cmp"
	"slices"

	"hlolayout/hlo"
)

// Report says what fills the memories of a program, when, and what was kept out of the fast one.
type Report struct {
	// Spaces has HBM and, where the target has one, the fast space.
	Spaces []SpaceUse
	// Kept are the values that are in HBM though they could be in the fast space, largest first.
	Kept []Kept
	// Copies are the prefetches and evictions, in the order in which they were decided.
	Copies []CopyUse
	// Held are the temporaries of HBM, at the peak or not.
	Held []Held
	// Schedule has the instruction of each time.
	Schedule []*hlo.Instruction
	Stats    Stats
}

// SpaceUse is what one memory holds. HBM's bytes are those of temporaries; arguments and results are in Stats.
type SpaceUse struct {
	Number int64
	Name   string
	// Limit is how many bytes arrays may take; 0 where it is not known.
	Limit int64
	// Peak is the most bytes held at one time, At the instruction that runs then (nil for a program without instructions).
	Peak int64
	At   *hlo.Instruction
	// Timeline has a point wherever the number of bytes changes.
	Timeline []Point
	// Residents is what is held at the peak, largest first.
	Residents []Resident
	// Tables is what tables of pointers take, in addition to these, for the whole program.
	Tables int64
}

// Point is one time of the schedule: Bytes are held from Instruction on, up to the next point.
type Point struct {
	// Time is the place in the flattened schedule: called computations come before their callers.
	Time        int
	Instruction *hlo.Instruction
	Bytes       int64
}

// Resident is one buffer that a memory holds.
type Resident struct {
	// Instruction and Index name the value; Scratch says that it is not the value but the instruction's own scratch
	// memory.
	Instruction *hlo.Instruction
	Index       hlo.Index
	Scratch     bool
	// Bytes is its padded size, Offset its place (-1 where it is not known).
	Bytes, Offset int64
	// From and To are the first and the last instruction that run while it is there.
	From, To *hlo.Instruction
}

// Kept is a value in HBM, and why.
type Kept struct {
	Instruction *hlo.Instruction
	Index       hlo.Index
	Bytes       int64
	Reason      Reason
}

// CopyUse is one copy between the memories.
type CopyUse struct {
	Copy
	Instruction *hlo.Instruction
	Index       hlo.Index
	Bytes       int64
	// After and Before are the instructions that it runs between, nil at the ends of the program.
	After, Before *hlo.Instruction
	// Text says it in words, such as "prefetched before %dot.1, after %add".
	Text string
}

// Report returns what the pass found out.
func (a *Analysis) Report() *Report {
	e := a.e
	if e == nil {
		e = slowEngine(a.v)
	}
	r := &Report{}
	r.Stats, r.Held = statistics(e, a.t, a.spaces)
	for i := range a.g.nodes {
		r.Schedule = append(r.Schedule, a.g.nodes[i].shown())
	}
	r.Spaces = append(r.Spaces, a.hbm(r.Held))
	if a.e == nil {
		return r
	}
	r.Spaces = append(r.Spaces, a.fast())
	for b := range e.bufs {
		buf := &e.bufs[b]
		if why := a.kept(buf); why != ReasonNone {
			def := a.v.def[buf.first]
			r.Kept = append(r.Kept, Kept{a.instruction(a.v.leafTime[def]), a.v.indexOf(def), buf.size, why})
		}
	}
	slices.SortStableFunc(r.Kept, func(x, y Kept) int { return cmp.Compare(y.Bytes, x.Bytes) })
	for _, c := range e.copies {
		r.Copies = append(r.Copies, CopyUse{Copy: c, Instruction: a.instruction(a.v.leafTime[c.leaf]),
			Index: a.v.indexOf(c.leaf), Bytes: e.bufs[c.buffer].size,
			After: a.instruction(c.after), Before: a.instruction(c.before), Text: a.copyText(&c)})
	}
	return r
}

// kept says why a buffer is in HBM, ReasonNone for what is not, or could be nowhere else.
func (a *Analysis) kept(buf *buffer) Reason {
	def := a.v.def[buf.first]
	if a.spaces[def] == a.e.dev.space || buf.size == 0 || buf.crossProgram {
		return ReasonNone
	}
	unsaid := buf.why == ReasonNone
	shared := unsaid || buf.why == ReasonDefault
	switch {
	case buf.why == ReasonNoArray || buf.why == ReasonScalar || buf.why == ReasonGiven:
		return ReasonNone
	case a.instruction(a.v.leafTime[def]).Opcode == hlo.OpConstant:
		return ReasonConstant
	case buf.param && shared:
		return ReasonInput
	case buf.result && shared:
		return ReasonResult
	case !a.e.writable(def) && unsaid:
		return ReasonProducer
	case unsaid:
		return ReasonUnused
	}
	return buf.why
}

func (a *Analysis) instruction(t int32) *hlo.Instruction {
	if t < 0 || int(t) >= len(a.g.nodes) {
		return nil
	}
	return a.g.nodes[t].shown()
}

// use fills in peak and timeline from the bytes at each time.
func (a *Analysis) use(u *SpaceUse, bytes []int64) (at int32) {
	last := int64(0)
	for t, n := range bytes {
		if n != last {
			u.Timeline = append(u.Timeline, Point{t, a.instruction(int32(t)), n})
			last = n
		}
		if n > u.Peak {
			u.Peak, at = n, int32(t)
		}
	}
	u.At = a.instruction(at)
	return at
}

func (a *Analysis) hbm(held []Held) SpaceUse {
	s, _ := a.t.Space(0)
	u := SpaceUse{Name: s.Name, Limit: s.PlacementBytes}
	at := a.use(&u, occupancy(held, len(a.g.nodes)))
	for _, h := range held {
		switch {
		case !h.Instruction.Shape.At(h.Index).IsArray():
			u.Tables += rounded(h.Bytes)
		case h.From <= int(at) && int(at) <= h.To:
			u.Residents = append(u.Residents, Resident{Instruction: h.Instruction, Index: h.Index, Bytes: h.Bytes, Offset: none,
				From: a.instruction(int32(h.From)), To: a.instruction(int32(h.To))})
		}
	}
	sortResidents(u.Residents)
	return u
}

func (a *Analysis) fast() SpaceUse {
	e := a.e
	s, _ := a.t.Space(e.dev.space)
	u := SpaceUse{Number: e.dev.space, Name: s.Name, Limit: e.dev.limit}
	at := a.use(&u, e.h.usage[:len(a.g.nodes)])
	for _, c := range e.chunks {
		if c.start > at || at > c.end || c.size == 0 {
			continue
		}
		r := Resident{Bytes: c.size, Offset: c.offset, From: a.instruction(c.start), To: a.instruction(min(c.end,
			int32(len(a.g.nodes))-1))}
		if c.buffer < 0 {
			r.Instruction, r.Scratch = a.instruction(c.start), true
		} else {
			def := a.v.def[e.bufs[c.buffer].first]
			r.Instruction, r.Index = a.instruction(a.v.leafTime[def]), a.v.indexOf(def)
		}
		u.Residents = append(u.Residents, r)
	}
	sortResidents(u.Residents)
	return u
}

func sortResidents(rs []Resident) {
	slices.SortStableFunc(rs, func(x, y Resident) int { return cmp.Compare(y.Bytes, x.Bytes) })
}
