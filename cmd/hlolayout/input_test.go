package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compress returns data packed.
func compress(data []byte, p packing) []byte {
	var b bytes.Buffer
	if err := whole(data).packed(p)(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestReadText(t *testing.T) {
	const text = "HloModule m\n"
	packed := string(compress([]byte(text), gz))
	bomb := string(compress(bytes.Repeat([]byte{' '}, 1<<20), gz))
	zpacked := string(compress([]byte(text), zst))
	zbomb := string(compress(bytes.Repeat([]byte{' '}, 1<<20), zst))
	for _, c := range []struct {
		name, in        string
		limit, unpacked int64
		want, err       string
		packing         packing
	}{
		{"plain", text, 100, 100, text, "", plain},
		{"empty", "", 100, 100, "", "", plain},
		{"one byte", "\x1f", 100, 100, "\x1f", "", plain},
		{"as long as allowed", text, int64(len(text)), 0, text, "", plain},
		{"too long", text, int64(len(text)) - 1, 100, "", "longer than the limit of 11 bytes", plain},
		{"gzip", packed, 100, 100, text, "", gz},
		{"gzip that unpacks to too much", bomb, 1 << 30, 1<<20 - 1, "", "longer than the limit of 1048575 bytes", gz},
		{"gzip cut short", packed[:len(packed)-9], 100, 100, "", "ends too early", gz},
		{"gzip with a wrong sum", packed[:len(packed)-8] + "12345678", 100, 100, "", "damaged gzip file", gz},
		{"gzip without a header", "\x1f\x8bxyz", 100, 100, "", "damaged gzip file", gz},
		{"zstd", zpacked, 100, 100, text, "", zst},
		{"zstd that unpacks to too much", zbomb, 1 << 30, 1<<20 - 1, "", "longer than the limit of 1048575 bytes", zst},
		{"zstd cut short", zpacked[:len(zpacked)-5], 100, 100, "", "damaged zstd file", zst},
		{"zstd without a frame", "\x28\xb5\x2f\xfdxyz", 100, 100, "", "damaged zstd file", zst},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, p, err := readText(strings.NewReader(c.in), int64(len(c.in)), c.limit, c.unpacked)
			assert.Equal(t, c.packing, p)
			assert.Equal(t, c.want, got)
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, reason(err), c.err)
			}
		})
	}
}

// readText reads and unpacks a text as input.read does, with other limits.
func readText(r io.Reader, size, limit, unpacked int64) (text string, p packing, err error) {
	packed, err := readAll(r, size, limit)
	p = packingIn(packed)
	if err == nil {
		text, err = unpackText(packed, p, unpacked)
	}
	return text, p, err
}

// The text of a file is in memory once: what is allocated is its size and the fixed buffers.
func TestReadTextAllocatesOnce(t *testing.T) {
	const size = 8 << 20
	path := filepath.Join(t.TempDir(), "big")
	require.NoError(t, os.WriteFile(path, make([]byte, size), 0o666))
	_, _, err := input{path: path}.read() // the first one reserves room for all that follows
	require.NoError(t, err)
	before := allocated()
	_, _, err = input{path: path}.read()
	require.NoError(t, err)
	assert.Less(t, allocated()-before, uint64(size+1<<20)) // a second copy would be as large again
}

func TestGlob(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"a.hlo", "x/b.hlo", "x/y/c.hlo", "x/y/d.txt", "z/e.hlo.gz", "z/f.json"} {
		path := filepath.Join(dir, filepath.FromSlash(f))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, nil, 0o666))
	}
	t.Chdir(dir)
	for arg, want := range map[string][]string{
		"*.hlo":       {"a.hlo"},
		"*/*.hlo":     {"x/b.hlo"},
		"**/*.hlo":    {"a.hlo", "x/b.hlo", "x/y/c.hlo"},
		"x/**/*.hlo":  {"x/b.hlo", "x/y/c.hlo"},
		"*/**/*.hlo":  {"x/b.hlo", "x/y/c.hlo"},
		"**/y/**/*.*": {"x/y/c.hlo", "x/y/d.txt"},
		"x":           {"x/b.hlo", "x/y/c.hlo", "x/y/d.txt"},
		"?":           {"x/b.hlo", "x/y/c.hlo", "x/y/d.txt", "z/e.hlo.gz"},
		"none.hlo":    {"none.hlo"},
		"-":           {"-"},
		"x/../a.hlo":  {"x/../a.hlo"},
		"z/e.hlo.gz":  {"z/e.hlo.gz"},
		"[ax]*":       {"a.hlo", "x/b.hlo", "x/y/c.hlo", "x/y/d.txt"},
		"z/f.json":    {"z/f.json"},
	} {
		found, err := (&finder{}).expand(arg)
		require.NoError(t, err, arg)
		got := make([]string, len(found))
		for i := range got {
			got[i] = filepath.ToSlash(found[i].path)
		}
		assert.Equal(t, want, got, arg)
	}
	for arg, want := range map[string]string{
		"*.pb":      "matches no file",
		"**/*.pb":   "matches no file",
		"[":         "syntax error in pattern",
		"no/**/*.x": "matches no file",
	} {
		_, err := (&finder{}).expand(arg)
		require.ErrorContains(t, err, want, arg)
	}
}

func TestRunReportsPanic(t *testing.T) {
	var out, log bytes.Buffer
	s := streams{in: strings.NewReader(""), out: &out, err: &log, settings: &settings{}}
	err := s.each([]input{{path: "a"}, {path: "b"}}, func(j *job) error {
		j.out = []byte(j.path)
		if j.path == "a" {
			var none []int
			_ = none[len(j.path)]
		}
		return nil
	})
	assert.Equal(t, exitCode(exitTrouble), err)
	assert.Equal(t, "b", out.String())
	assert.Regexp(t, `^a: internal error: .*index out of range.* \(input_test\.go:\d+\); this is a bug`, log.String())
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o640))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink("file", link))

	require.NoError(t, writeFile(link, []byte("new"), plain))
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "new", string(got))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.Equal(t, os.ModeSymlink, info.Mode().Type(), "a link stays one")
	info, err = os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode().Perm(), "permissions stay")

	require.NoError(t, writeFile(os.DevNull, []byte("new"), plain))
	info, err = os.Stat(os.DevNull)
	require.NoError(t, err)
	assert.False(t, info.Mode().IsRegular(), "a device stays one")

	assert.ErrorContains(t, writeFile(dir, nil, plain), "is a directory")
	assert.ErrorContains(t, writeFile(filepath.Join(dir, "no", "file"), nil, plain), "no such file")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "no temporary file remains")
}

// failing is a standard output on a full disk.
type failing struct{ io.Writer }

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestFailedStandardOutput(t *testing.T) {
	for _, args := range [][]string{{"targets"}, {"targets", "--format=json"}} {
		var log bytes.Buffer
		assert.Equal(t, exitTrouble, run(args, streams{in: strings.NewReader(""), out: failing{}, err: &log}))
		assert.Equal(t, "hlolayout: standard output: short write\n", log.String())
	}
}

// However many work in parallel, the results are in the order of the inputs.
func TestEachKeepsTheOrder(t *testing.T) {
	var inputs []input
	var want strings.Builder
	for i := range 100 {
		inputs = append(inputs, input{path: strconv.Itoa(i)})
		if i%10 != 3 {
			want.WriteString(strconv.Itoa(i) + "\n")
		}
	}
	for workers := 1; workers <= 4; workers++ {
		var out, log bytes.Buffer
		s := streams{in: strings.NewReader(""), out: &out, err: &log, settings: &settings{}}
		err := s.work(workers, inputs, func(j *job) error {
			if j.path[len(j.path)-1] == '3' {
				return j.errorf("three")
			}
			j.out = []byte(j.path + "\n")
			return nil
		})
		assert.Equal(t, exitCode(exitTrouble), err)
		assert.Equal(t, want.String(), out.String(), workers)
		assert.Equal(t, 10, strings.Count(log.String(), "three"))
	}
}

// An output that cannot be written ends the work.
func TestEachStopsWithoutOutput(t *testing.T) {
	inputs := make([]input, 1000)
	var ran atomic.Int64
	s := streams{in: strings.NewReader(""), out: failing{}, err: io.Discard, settings: &settings{}}
	err := s.work(2, inputs, func(j *job) error {
		ran.Add(1)
		time.Sleep(time.Millisecond) // the one that writes gets its turn
		j.out = []byte("x")
		return nil
	})
	require.ErrorContains(t, err, "standard output")
	assert.Less(t, ran.Load(), int64(200))
}
