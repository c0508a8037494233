package tpu

import (
	"encoding/json"
	"io"
)

// ReadTarget reads a target from JSON.
func ReadTarget(r io.Reader) (*Target, error) {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	var t Target
	if err := dec.Decode(&t); err != nil {
		return nil, err
	}
	if err := t.checkOptions(); err != nil {
		return nil, err
	}
	return &t, nil
}
