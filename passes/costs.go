package passes

import (
	"hlolayout/hlo"
	"hlolayout/hlo/stage"
	"hlolayout/passes/folding"
	"hlolayout/tpu"
)

// Laid returns whether a module comes with its layouts, or with those that can be known: no pass gives it any. Layouts
// of a part would say nothing of the whole. A tile before layout assignment is one that the compiler wrote there next
// to a scatter: the other arrays have none.
func Laid(m *hlo.Module) bool {
	at := stage.Of(m)
	return at == stage.Cut || at != stage.PreLayout && m.HasTiles()
}

// Costed returns the module whose bytes say what m costs: one that has its layouts as it is; others with those that the
// passes give, before the compiler in its simplified form, and before fusion with a forecast of what stays out of
// memory. One of another platform gets no memory spaces: its schedule says nothing of a TPU. The module itself may be
// changed. Errors are those of Run.
func Costed(m *hlo.Module, t *tpu.Target, opt Options, o Observer) (*hlo.Module, *Result, error) {
	at, result := stage.Of(m), &Result{}
	m = folding.Prepare(m, at, t).Module
	if !Laid(m) {
		var err error
		if result, err = Run(m, t, DueAt(at), opt, o); err != nil {
			return nil, nil, err
		}
	}
	folding.Predict(m, at)
	return m, result, nil
}
