package passes

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/passes/memory"
	"hlolayout/printer"
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
			if strings.HasSuffix(f, ".gz") {
				unpacked, err := gzip.NewReader(bytes.NewReader(data))
				require.NoError(b, err)
				data, err = io.ReadAll(unpacked)
				require.NoError(b, err)
			}
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

// BenchmarkAssign is all of assign but for files: it parses, runs the passes that are due, and prints. The command is
// built for its profile (.ci/speed --pgo).
func BenchmarkAssign(b *testing.B) {
	names, texts := benchmarkTexts(b, "../../shared/bench/*.hlo", "../../shared/bench/*.hlo.gz")
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(texts[name])))
			for b.Loop() {
				m, err := parser.Parse(name, texts[name])
				require.NoError(b, err)
				_, err = Run(m, target(b, "v5e"), []string{Auto}, Options{NoReasons: true}, Observer{})
				require.NoError(b, err)
				require.NoError(b, printer.Config{}.Write(io.Discard, m))
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
