package parser_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// eachBenchmarkText runs f on dumps of the repository, and on the large modules where they are next to it.
func eachBenchmarkText(b *testing.B, f func(b *testing.B, text string)) {
	for _, pattern := range []string{"../testdata/corpus/v5e/scan_matmul/*.hlo", "../../shared/bench/*.hlo"} {
		files, err := filepath.Glob(pattern)
		require.NoError(b, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(b, err)
			b.Run(filepath.Base(file), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				f(b, string(data))
			})
		}
	}
}

// BenchmarkParse with -cpu 1,2 shows what reading in pieces gains.
func BenchmarkParse(b *testing.B) {
	eachBenchmarkText(b, func(b *testing.B, text string) {
		for b.Loop() {
			_, err := parser.Parse("in.hlo", text)
			require.NoError(b, err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	eachBenchmarkText(b, func(b *testing.B, text string) {
		m, err := parser.Parse("in.hlo", text)
		require.NoError(b, err)
		for b.Loop() {
			require.Empty(b, hlo.Check(m))
		}
	})
}
