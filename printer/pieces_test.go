package printer_test

import (
	"errors"
	"fmt"
	"io"
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

// The text is the same for any number of goroutines, of the reader and of the printer; also where some parts of it are
// long.
func TestPiecesPrintTheSame(t *testing.T) {
	text := large(40_000)
	config := strings.Repeat("0123456789abcdef", 600<<10>>4)
	long := text
	for _, in := range []string{"%n.1000000 = f32[8]{0} negate(%p)", "%r = f32[8]{0} negate(%p)"} {
		require.Contains(t, long, in)
		long = strings.Replace(long, in, in+`, backend_config="`+config+`"`, 1)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for n := 1; n <= 6; n++ {
		runtime.GOMAXPROCS(n)
		piecesPrintTheSame(t, text, n)
		piecesPrintTheSame(t, long, n)
	}
}

func piecesPrintTheSame(t *testing.T, text string, n int) {
	m, err := parser.Parse("large", text)
	require.NoError(t, err)
	assert.True(t, text == printer.Print(m), "GOMAXPROCS=%d", n)
	var written counted
	require.NoError(t, printer.Config{}.Write(&written, m))
	assert.True(t, text == written.String(), "GOMAXPROCS=%d, written", n)
	assert.Less(t, written.most, len(text)/3, "no write is the whole text")
	for _, c := range m.Computations {
		for i, in := range c.Instructions { // places that have nothing to do with where the text will stand
			in.Pos = int32(len(text) / (1 + (i+n)%7))
		}
	}
	written = counted{}
	require.NoError(t, printer.Config{}.Write(&written, m))
	assert.True(t, text == written.String(), "GOMAXPROCS=%d, written, other places", n)
	before := []byte("before\n")
	assert.True(t, "before\n"+text == string(printer.Append(before, m)), "GOMAXPROCS=%d, other places", n)
	assert.Equal(t, "before\n", string(before))
}

// counted keeps what is written to it and the size of the largest write.
type counted struct {
	strings.Builder
	most int
}

func (c *counted) Write(p []byte) (int, error) {
	c.most = max(c.most, len(p))
	return c.Builder.Write(p)
}

// full takes a number of writes and no more.
type full int

func (f *full) Write(p []byte) (int, error) {
	if *f--; *f < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

// A writer that fails ends the print with its error; the canonical print is written, too.
func TestWrite(t *testing.T) {
	m, err := parser.Parse("large", large(20_000))
	require.NoError(t, err)
	for writes := range full(12) {
		left := writes
		assert.EqualError(t, printer.Config{}.Write(&left, m), "no space left")
		assert.EqualValues(t, -1, left, "none is tried after the one that failed")
	}
	canonical := printer.Config{Mode: printer.Canonical}
	var b strings.Builder
	require.NoError(t, canonical.Write(&b, m))
	assert.Equal(t, canonical.Print(m), b.String())
}

// What is allocated for one module of a text with many does not grow with its place in the text.
func TestWriteAllocatesForOneModule(t *testing.T) {
	text := strings.Repeat(large(40_000), 12)
	ms, err := parser.Config{}.ParseAll("large", text)
	require.NoError(t, err)
	require.Len(t, ms, 12)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, printer.Config{}.Write(io.Discard, ms[11]))
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(len(text)/6))
}

// benchmarkFiles are texts of all sizes: dumps of the repository, and the large ones if they are next to it.
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

// A bare name is a word in one attribute and names a computation in another, whichever comes first.
func TestBareNamesOfComputations(t *testing.T) {
	const word, call = "w = s32[] parameter(1), replica_groups=c\n", "l = f32[] while(a), condition=c, body=b\n"
	for _, lines := range []string{word + call, call + word} {
		text := "HloModule m\n\nb {\n  ROOT p = f32[] parameter(0)\n}\n\nc {\n  p = f32[] parameter(0)\n" +
			"  ROOT r = pred[] constant(true)\n}\n\nENTRY e {\n  a = f32[] parameter(0)\n" + lines + "}\n"
		m, err := parser.Parse("m.hlo", text)
		require.NoError(t, err)
		assert.Contains(t, printer.Print(m), word)
		assert.Contains(t, printer.Print(m), call)
	}
}
