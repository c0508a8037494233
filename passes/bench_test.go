package passes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/memory"
)

// benchmarkTexts returns the files that match, by their names.
func benchmarkTexts(b *testing.B, patterns ...string) (names []string, texts map[string]string) {
	texts = map[string]string{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		require.NoError(b, err)
		for _, f := range files {
			data, err := os.ReadFile(f)
			require.NoError(b, err)
			name := filepath.Base(filepath.Dir(f)) + "/" + filepath.Base(f)
			names, texts[name] = append(names, name), string(data)
		}
	}
	return names, texts
}

// BenchmarkLayout plans layouts, of a lowered or unoptimized module also the simplified copy's; BenchmarkMemory plans
// memory spaces. Neither parses nor applies.
func BenchmarkLayout(b *testing.B) {
	names, texts := benchmarkTexts(b, "../testdata/corpus/v5e/*/before.hlo", "../../shared/bench/*.hlo")
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			m, err := parser.Parse(name, texts[name])
			require.NoError(b, err)
			b.SetBytes(int64(len(texts[name])))
			b.ReportAllocs()
			for b.Loop() {
				_, err := Layouts(m, target(b, "v5e"), Options{})
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkMemory(b *testing.B) {
	names, texts := benchmarkTexts(b, "../testdata/corpus/v5e/*/pre_msa.hlo")
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			m, err := parser.Parse(name, texts[name])
			require.NoError(b, err)
			b.SetBytes(int64(len(texts[name])))
			b.ReportAllocs()
			for b.Loop() {
				_, err := memory.Run(m, target(b, "v5e"), Options{})
				require.NoError(b, err)
			}
		})
	}
}
