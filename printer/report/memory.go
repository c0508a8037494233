package report

import (
	"fmt"

	"hlolayout/hlo"
	"hlolayout/passes/memory"
	"hlolayout/printer/picture"
)

// Memory tells what fills the memories of one module, when, and what was kept out of the fast one.
type Memory struct {
	File, Module, Target string
	Origin               Origin
	*memory.Report
}

// MemoryJSON is the machine-readable form of Memory.
type MemoryJSON struct {
	Form
	File   string `json:"file"`
	Module string `json:"module"`
	Target string `json:"target"`
	Origin
	Stats  MemoryStatsJSON   `json:"stats"`
	Spaces []MemorySpaceJSON `json:"spaces"`
	Kept   []KeptJSON        `json:"kept_in_hbm"`
	Copies []CopyJSON        `json:"copies"`
}

// MemoryStatsJSON are bytes as CompiledMemoryStats counts them, but for the peak (memory.Stats.Peak).
type MemoryStatsJSON struct {
	Argument     int64 `json:"argument_bytes"`
	Output       int64 `json:"output_bytes"`
	Alias        int64 `json:"alias_bytes"`
	Constant     int64 `json:"constant_bytes"`
	Temp         int64 `json:"temp_bytes"`
	Peak         int64 `json:"peak_bytes"`
	HostArgument int64 `json:"host_argument_bytes"`
	HostOutput   int64 `json:"host_output_bytes"`
	HostAlias    int64 `json:"host_alias_bytes"`
}

// MemorySpaceJSON is one memory.
type MemorySpaceJSON struct {
	Space     int64          `json:"space"`
	Name      string         `json:"name"`
	Limit     int64          `json:"limit_bytes,omitempty"`
	Peak      int64          `json:"peak_bytes"`
	At        string         `json:"peak_at,omitempty"`
	Timeline  []TimeJSON     `json:"timeline"`
	Residents []ResidentJSON `json:"residents_at_peak"`
}

// TimeJSON is one change of a memory's occupancy.
type TimeJSON struct {
	Time  int    `json:"time"`
	Value string `json:"value,omitempty"`
	Bytes int64  `json:"bytes"`
}

// ResidentJSON is one buffer in a memory.
type ResidentJSON struct {
	Value  string `json:"value"`
	Bytes  int64  `json:"bytes"`
	Offset int64  `json:"offset"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
}

// KeptJSON is a value that stays in HBM.
type KeptJSON struct {
	Value  string `json:"value"`
	Bytes  int64  `json:"bytes"`
	Reason string `json:"reason"`
}

// CopyJSON is a copy between the memories.
type CopyJSON struct {
	Value string `json:"value"`
	Bytes int64  `json:"bytes"`
	Text  string `json:"text"`
}

// JSON returns the machine-readable form; lists are never nil.
func (m *Memory) JSON() *MemoryJSON {
	s := m.Stats
	out := &MemoryJSON{Form: ThisForm, File: m.File, Module: m.Module, Target: m.Target, Origin: m.Origin,
		Spaces: []MemorySpaceJSON{}, Kept: []KeptJSON{}, Copies: []CopyJSON{},
		Stats: MemoryStatsJSON{s.Argument, s.Output, s.Alias, s.Constant, s.Temp, s.Peak(), s.HostArgument, s.HostOutput,
			s.HostAlias}}
	for i := range m.Spaces {
		u := &m.Spaces[i]
		j := MemorySpaceJSON{Space: u.Number, Name: u.Name, Limit: u.Limit, Peak: u.Peak, At: hlo.ValueName(u.At, nil),
			Timeline: []TimeJSON{}, Residents: []ResidentJSON{}}
		for _, p := range u.Timeline {
			j.Timeline = append(j.Timeline, TimeJSON{p.Time, hlo.ValueName(p.Instruction, nil), p.Bytes})
		}
		for _, r := range u.Residents {
			j.Residents = append(j.Residents, ResidentJSON{residentName(r), r.Bytes, r.Offset,
				hlo.ValueName(r.From, nil), hlo.ValueName(r.To, nil)})
		}
		out.Spaces = append(out.Spaces, j)
	}
	for _, k := range m.Kept {
		out.Kept = append(out.Kept, KeptJSON{hlo.ValueName(k.Instruction, k.Index), k.Bytes, k.Reason.String()})
	}
	for _, c := range m.Copies {
		out.Copies = append(out.Copies, CopyJSON{hlo.ValueName(c.Instruction, c.Index), c.Bytes, c.Text})
	}
	return out
}

// AppendText appends the report for a person; of each list the first top entries, 0 for all.
func (m *Memory) AppendText(dst []byte, top int) []byte {
	s := m.Stats
	dst = fmt.Appendf(dst, "%s: module %s on %s\n", m.File, m.Module, m.Target)
	dst = fmt.Appendf(dst, "  HBM a run takes: %s = arguments %s + outputs %s - aliased %s", Bytes(s.Peak()),
		Bytes(s.Argument), Bytes(s.Output), Bytes(s.Alias))
	if s.Constant > 0 {
		dst = fmt.Appendf(dst, " + constants %s", Bytes(s.Constant))
	}
	dst = fmt.Appendf(dst, " + temporaries %s\n", Bytes(s.Temp))
	if s.HostArgument+s.HostOutput+s.HostAlias > 0 {
		dst = fmt.Appendf(dst, "  host: arguments %s, outputs %s, aliased %s\n", Bytes(s.HostArgument),
			Bytes(s.HostOutput), Bytes(s.HostAlias))
	}
	for i := range m.Spaces {
		u := &m.Spaces[i]
		dst = fmt.Appendf(dst, "%s: peak %s", title(u), Bytes(u.Peak))
		if u.Limit > 0 {
			dst = fmt.Appendf(dst, " of %s for arrays", Bytes(u.Limit))
		}
		if u.At != nil && u.Peak > 0 {
			dst = fmt.Appendf(dst, " at %s", hlo.ValueName(u.At, nil))
		}
		dst = append(dst, '\n')
		for k, r := range u.Residents {
			if more, stop := rest(k, len(u.Residents), top); stop {
				dst = append(dst, more...)
				break
			}
			dst = fmt.Appendf(dst, "  %8s  %s, from %s to %s\n", Bytes(r.Bytes), residentName(r),
				hlo.ValueName(r.From, nil), hlo.ValueName(r.To, nil))
		}
		if u.Tables > 0 {
			dst = fmt.Appendf(dst, "  %8s  tables of tuples, in all of the program\n", Bytes(u.Tables))
		}
	}
	if len(m.Kept) > 0 {
		dst = append(dst, "Kept in HBM, and why:\n"...)
	}
	for k, v := range m.Kept {
		if more, stop := rest(k, len(m.Kept), top); stop {
			dst = append(dst, more...)
			break
		}
		dst = fmt.Appendf(dst, "  %8s  %s: %s\n", Bytes(v.Bytes), hlo.ValueName(v.Instruction, v.Index), v.Reason)
	}
	if len(m.Copies) > 0 {
		dst = append(dst, "Copies between the memories:\n"...)
	}
	for k, c := range m.Copies {
		if more, stop := rest(k, len(m.Copies), top); stop {
			dst = append(dst, more...)
			break
		}
		dst = fmt.Appendf(dst, "  %8s  %s: %s\n", Bytes(c.Bytes), hlo.ValueName(c.Instruction, c.Index), c.Text)
	}
	return dst
}

// title names a memory: of HBM, only the temporaries come and go.
func title(u *memory.SpaceUse) string {
	if u.Number == 0 {
		return u.Name + " temporaries"
	}
	return u.Name
}

func rest(k, n, top int) (text string, stop bool) {
	if top == 0 || k < top {
		return "", false
	}
	return fmt.Sprintf("  and %d more\n", n-top), true
}

// Chart is the occupancy of the memories over the schedule, as a picture. HBM has arguments, outputs and constants
// besides the temporaries. The line of a limit far above the peak is left out.
func (m *Memory) Chart() *picture.Chart {
	c := &picture.Chart{Title: m.Module + " on " + m.Target + ": memory over the schedule"}
	for i := range m.Spaces {
		u := &m.Spaces[i]
		base, name := int64(0), u.Name
		if u.Number == 0 {
			if base = m.Stats.Peak() - m.Stats.Temp; base > 0 {
				name += ", arguments, outputs and constants included"
			}
		}
		s := picture.Series{Limit: u.Limit, Caption: fmt.Sprintf("%s: peak %s", name, Bytes(base+u.Peak))}
		if base+u.Peak < u.Limit/4 {
			s.Limit = 0 // its line would flatten the rest; the caption has it
		}
		if base > 0 && (len(u.Timeline) == 0 || u.Timeline[0].Time > 0) {
			s.Steps = append(s.Steps, picture.Step{At: 0, Bytes: base})
		}
		if u.At != nil && u.Peak > 0 {
			s.Caption += " at " + hlo.ValueName(u.At, nil)
		}
		if u.Limit > 0 {
			s.Caption += ", limit " + Bytes(u.Limit)
		}
		for _, p := range u.Timeline {
			s.Steps = append(s.Steps, picture.Step{At: p.Time, Bytes: base + p.Bytes})
			c.Length = max(c.Length, p.Time+1)
		}
		c.Text += s.Caption + ". "
		c.Series = append(c.Series, s)
	}
	return c
}

func residentName(r memory.Resident) string {
	name := hlo.ValueName(r.Instruction, r.Index)
	if r.Scratch {
		name = "scratch of " + name
	}
	return name
}
