package passes

import (
	"fmt"
	"runtime/debug"
	"time"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/passes/plan"
	"hlolayout/tpu"
)

// Observer watches the passes. Either function may be nil.
type Observer struct {
	// Before is called before a pass sees the module.
	Before func(p *Pass, m *hlo.Module)
	// After is called when the pass's plan has been applied.
	After func(p *Pass, m *hlo.Module, ran Ran)
}

// Ran is what one pass did.
type Ran struct {
	Pass *Pass
	// Plan is what the pass returned; it has been applied.
	Plan *plan.Plan
	// Planning is the time that the pass took, Applying that of carrying out its plan, Checking that of the module
	// checks around it.
	Planning, Applying, Checking time.Duration
}

// Result is what a run of passes did.
type Result struct {
	Passes []Ran
	// Notes are remarks for the reader, such as that there was nothing to do.
	Notes []string
}

// Panic is a bug: a pass that panicked.
type Panic struct {
	Pass  string
	Value any
	Stack []byte
}

// Error names the pass and what it panicked with.
func (p *Panic) Error() string {
	return fmt.Sprintf("internal error: pass %s panicked: %v", p.Pass, p.Value)
}

// Check returns what keeps the passes, and every other analysis of a module, from working with it: nil or an
// hlo.ErrorList. It looks at structure (hlo.Check) and sizes (verify.Sound). Nothing here relies on the other rules of
// XLA's verifier: verify.Module has them.
func Check(m *hlo.Module) error {
	if err := hlo.Check(m).Err(); err != nil {
		return err
	}
	return verify.Sound(m).Err()
}

// Run runs the named passes on a module; the name "auto" stands for those that Select picks. The module is checked
// before the first pass, also where there is none, and its structure after each one that edits it. On an error the
// module is as the last pass that succeeded left it: the error says which pass failed and, where the input is
// malformed, is an hlo.ErrorList.
func Run(m *hlo.Module, t *tpu.Target, names []string, opt Options, o Observer) (*Result, error) {
	ps, notes, err := resolve(m, names)
	if err != nil {
		return nil, err
	}
	r := &Result{Notes: notes}
	start := time.Now()
	if !opt.Checked {
		if err := Check(m); err != nil {
			return r, err
		}
	}
	checking := time.Since(start)
	for _, p := range ps {
		if o.Before != nil {
			o.Before(p, m)
		}
		ran, err := p.run(m, t, opt)
		if err != nil {
			return r, err
		}
		ran.Checking += checking
		checking = 0
		r.Passes = append(r.Passes, ran)
		r.Notes = append(r.Notes, ran.Plan.Notes...)
		if o.After != nil {
			o.After(p, m, ran)
		}
	}
	return r, nil
}

// run plans, applies and checks.
func (p *Pass) run(m *hlo.Module, t *tpu.Target, opt Options) (ran Ran, err error) {
	ran.Pass = p
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{p.Name, v, debug.Stack()}
		}
	}()
	start := time.Now()
	if ran.Plan, err = p.Run(m, t, opt); err != nil {
		return ran, err
	}
	ran.Planning = time.Since(start)
	start = time.Now()
	if err := ran.Plan.Apply(m); err != nil {
		return ran, fmt.Errorf("internal error: pass %s: %w", p.Name, err)
	}
	m.Assigned = m.Assigned || p.Name == "layout"
	ran.Applying = time.Since(start)
	start = time.Now()
	if len(ran.Plan.Edits) > 0 {
		if err := hlo.CheckEdited(m).Err(); err != nil { // Apply refuses names that are taken
			return ran, fmt.Errorf("internal error: pass %s left a malformed module: %w", p.Name, err)
		}
	}
	ran.Checking = time.Since(start)
	return ran, nil
}
