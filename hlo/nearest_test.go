package hlo

import "testing"

func TestNearest(t *testing.T) {
	candidates := []string{"s32", "f32", "dimensions", "ReplicaCount"}
	for name, want := range map[string]string{
		"F32": "f32", "s33": "s32", "dimension": "dimensions", "replicacount": "ReplicaCount", "metadata": "", "": "",
	} {
		if got := Nearest(name, candidates); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
