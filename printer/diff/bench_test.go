package diff

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// BenchmarkReport compares a module before and after layout assignment; bytes are those of both texts.
func BenchmarkReport(b *testing.B) {
	dirs, err := filepath.Glob("../../testdata/corpus/v5e/*")
	require.NoError(b, err)
	for _, dir := range dirs {
		var modules []*hlo.Module
		size := 0
		for _, name := range []string{"before.hlo", "after.hlo"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				break // a pair that is stored elsewhere
			}
			m, err := parser.Parse(name, string(text))
			require.NoError(b, err)
			modules, size = append(modules, m), size+len(text)
		}
		if len(modules) < 2 {
			continue
		}
		b.Run(filepath.Base(dir), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				NewReport(modules[0], modules[1], Ignore{})
			}
		})
	}
}
