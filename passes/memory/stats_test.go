package memory_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/memory"
	"hlolayout/tpu"
)

// meta is what the corpus says about one case.
type meta struct {
	SameAs string `json:"pre_msa_final_same_as"`
	Memory *struct {
		Argument int64 `json:"argument_size_in_bytes"`
		Output   int64 `json:"output_size_in_bytes"`
		Alias    int64 `json:"alias_size_in_bytes"`
		Temp     int64 `json:"temp_size_in_bytes"`
	} `json:"memory"`
}

// The bytes of the compiler's own final modules are those that it reports: arguments, outputs and aliases in every case, temporaries in most.
func TestStatistics(t *testing.T) {
	corpus := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("the corpus is not there: ../shared/corpus")
	}
	total, exact := 0, 0
	for _, name := range tpu.Names() {
		tgt, err := tpu.ByName(name)
		require.NoError(t, err)
		cases, err := os.ReadDir(filepath.Join(corpus, name))
		require.NoError(t, err)
		n, right := 0, 0
		for i, c := range cases {
			if testing.Short() && i%8 != 0 {
				continue
			}
			text, err := os.ReadFile(filepath.Join(corpus, name, c.Name(), "meta.json"))
			require.NoError(t, err)
			var m meta
			require.NoError(t, json.Unmarshal(text, &m))
			from := name
			if m.SameAs != "" {
				from = m.SameAs
			}
			file := filepath.Join(corpus, from, c.Name(), "final.hlo")
			text, err = os.ReadFile(file)
			if err != nil || m.Memory == nil {
				continue
			}
			module, err := parser.Parse(file, string(text))
			require.NoError(t, err)
			s, err := memory.Statistics(module, tgt)
			require.NoError(t, err, file)
			label := name + "/" + c.Name()
			assert.Equal(t, m.Memory.Argument, s.Argument, "argument bytes of %s", label)
			assert.Equal(t, m.Memory.Output, s.Output, "output bytes of %s", label)
			assert.Equal(t, m.Memory.Alias, s.Alias, "alias bytes of %s", label)
			n++
			if s.Temp == m.Memory.Temp {
				right++
			} else if os.Getenv("ZZTEMP") != "" {
				t.Logf("%s: temporaries %d, the compiler has %d", label, s.Temp, m.Memory.Temp)
			}
		}
		t.Logf("%s: temporary bytes right in %d of %d", name, right, n)
		total, exact = total+n, exact+right
	}
	t.Logf("temporary bytes right in %d of %d", exact, total)
	assert.GreaterOrEqual(t, float64(exact), 0.85*float64(total))
}
