package printer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser"
	"hlolayout/printer"
)

// large returns a module whose entry computation has most of its n instructions.
func large(n int) string {
	var b strings.Builder
	b.WriteString("HloModule large\n\n")
	for i := range n / 50 {
		fmt.Fprintf(&b, "%%f.%d (p: f32[8]) -> f32[8] {\n  ROOT %%p = f32[8]{0} parameter(0)\n}\n\n", i)
	}
	b.WriteString("ENTRY %main (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n")
	for i := range n - n/50 {
		fmt.Fprintf(&b, "  %%n.%d = f32[8]{0} negate(%%p)\n", i*i)
	}
	b.WriteString("  ROOT %r = f32[8]{0} negate(%p)\n}, execution_thread=\"main\"\n\n")
	return b.String()
}

// The text is the same for any number of goroutines, of the reader and of the printer.
func TestPiecesPrintTheSame(t *testing.T) {
	text := large(40_000)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for n := 1; n <= 6; n++ {
		runtime.GOMAXPROCS(n)
		m, err := parser.Parse("large", text)
		require.NoError(t, err)
		assert.True(t, text == printer.Print(m), "GOMAXPROCS=%d", n)
		for _, c := range m.Computations {
			for i, in := range c.Instructions { // places that have nothing to do with where the text will stand
				in.Pos = int32(len(text) / (1 + (i+n)%7))
			}
		}
		before := []byte("before\n")
		assert.True(t, "before\n"+text == string(printer.Append(before, m)), "GOMAXPROCS=%d, other places", n)
		assert.Equal(t, "before\n", string(before))
	}
}

// benchmarkFiles are texts of all sizes: dumps of the repository, and the large ones where they lie beside it.
func benchmarkFiles(b *testing.B) map[string]string {
	texts := map[string]string{"large": large(40_000)}
	for _, pattern := range []string{"../testdata/corpus/v5e/scan_matmul/*.hlo", "../../shared/bench/*.hlo"} {
		files, err := filepath.Glob(pattern)
		require.NoError(b, err)
		for _, f := range files {
			data, err := os.ReadFile(f)
			require.NoError(b, err)
			texts[filepath.Base(f)] = string(data)
		}
	}
	return texts
}

func BenchmarkPrint(b *testing.B) {
	for name, text := range benchmarkFiles(b) {
		b.Run(name, func(b *testing.B) {
			m, err := parser.Parse(name, text)
			require.NoError(b, err)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				printer.Print(m)
			}
		})
	}
}
