package diff

import "hlolayout/hlo"

// Body is a pair of computations whose values are never in memory, of a fusion or a reducer, that differs.
type Body struct {
	Old, New *hlo.Computation
	// Caller is the first instruction of the new module that calls it, nil where a cut text does not have it.
	Caller *hlo.Instruction
	// Added, Removed and Changed are the instructions of New, for Removed of Old. Compiled are those whose
	// backend_config alone differs. Layouts counts arrays with another layout.
	Added, Removed, Changed, Compiled []*hlo.Instruction
	Layouts                           int
}

func (b *Body) size() int { return len(b.Added) + len(b.Removed) + len(b.Changed) }

// body returns the entry of Bodies for a pair of computations, nil for those in memory and for no pair.
func (c *comparison) body(p *ComputationPair) *Body {
	if p == nil || c.memory[p.New] {
		return nil
	}
	b := c.bodies[p]
	if b == nil {
		b = &Body{Old: p.Old, New: p.New, Caller: p.callers[1]}
		c.bodies[p] = b
		c.r.Bodies = append(c.r.Bodies, b)
	}
	return b
}
