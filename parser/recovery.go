package parser

import (
	"hlolayout/hlo"
)

// readRecovery reads the modules that origin_recovery_table holds as strings. A string that is not a module is an
// error, as it is to XLA.
func (c Config) readRecovery(m *hlo.Module) error {
	table := m.Attr("origin_recovery_table")
	if table == nil {
		return nil
	}
	m.Recovery = map[*hlo.Value]*hlo.Module{}
	for i := range table.Elems {
		e := &table.Elems[i]
		if e.Kind != hlo.StringValue {
			continue
		}
		text, ok := hlo.Unquote(e.Text)
		if !ok {
			continue // a string that cannot be read stays one
		}
		c.Origin = nil
		inner, err := c.Parse(m.File+"(origin_recovery_table)", text)
		if err != nil {
			return err
		}
		m.Recovery[e] = inner
	}
	return nil
}
