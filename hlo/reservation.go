package hlo

import (
	"encoding/json"
	"strings"
)

// Reservation is memory that an instruction takes for its own work while it runs: Space is the n of S(n), Offset and
// Size are bytes.
type Reservation struct{ Space, Offset, Size int64 }

// Reservations returns the scoped_memory_configs of the instruction's backend_config; ok is false where it has none, or
// they cannot be read. An instruction that needs nothing has one of size 0, or an empty list.
func (in *Instruction) Reservations() (list []Reservation, ok bool) {
	v := in.Attr("backend_config")
	if v == nil || !strings.Contains(v.Text, `"scoped_memory_configs"`) {
		return nil, false
	}
	var config struct {
		Scoped []struct {
			Space  int64 `json:"memory_space,string"`
			Offset int64 `json:"offset,string"`
			Size   int64 `json:"size,string"`
		} `json:"scoped_memory_configs"`
	}
	if json.Unmarshal([]byte(v.Text), &config) != nil {
		return nil, false
	}
	for _, s := range config.Scoped {
		if s.Offset < 0 || s.Size < 0 {
			return nil, false
		}
		list = append(list, Reservation(s))
	}
	return list, true
}
