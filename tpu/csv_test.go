package tpu_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

// rows returns the records of a CSV file below its header.
func rows(t testing.TB, path string) [][]string {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(records), 1, path)
	return records[1:]
}

// dataFiles runs a test on the sample in testdata and, where it is there, on the whole file next to the repository.
func dataFiles(t *testing.T, sample, whole string, test func(t *testing.T, rows [][]string)) {
	t.Run("sample", func(t *testing.T) {
		test(t, rows(t, filepath.Join("../testdata/tpu", sample)))
	})
	t.Run("whole", func(t *testing.T) {
		path := filepath.Join("../../shared/tpu", whole)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("%s is not there; only the sample in testdata/tpu was tested", whole)
		}
		test(t, rows(t, path))
	})
}

func numbers[T int | int64](t testing.TB, text string) []T {
	out := []T{}
	for _, f := range strings.Fields(text) {
		n, err := strconv.ParseInt(f, 10, 64)
		require.NoError(t, err)
		out = append(out, T(n))
	}
	return out
}

func target(t testing.TB, name string) *tpu.Target {
	out, err := tpu.ByName(name)
	require.NoError(t, err)
	return out
}

func dtype(t testing.TB, name string) hlo.DType {
	d, ok := hlo.ParseDType(name)
	require.True(t, ok, name)
	return d
}

// tally counts rows and those that are right, and fails the test with the first wrong ones.
type tally struct{ right, rows int }

func (c *tally) count(t *testing.T, row []string, want, got string) {
	c.rows++
	if want == got {
		c.right++
	} else if c.rows-c.right <= 10 {
		t.Errorf("%s: want %s, got %s", strings.Join(row, ","), want, got)
	}
}

func testDefaultLayouts(t *testing.T, rows [][]string) {
	var layouts, sizes tally
	for _, row := range rows {
		tgt, d, dims := target(t, row[0]), dtype(t, row[1]), numbers[int64](t, row[2])
		order := tgt.BoundaryOrder(d, dims)
		layouts.count(t, row, row[3], tgt.Layout(d, dims, order, true).String())
		if row[4] != "" {
			n, ok := tgt.Bytes(d, dims, order)
			require.True(t, ok, row)
			sizes.count(t, row, row[4], strconv.FormatInt(n, 10))
		}
	}
	t.Logf("layouts right %d of %d, bytes right %d of %d", layouts.right, layouts.rows, sizes.right, sizes.rows)
	require.Equal(t, len(rows), layouts.right)
	require.Equal(t, sizes.rows, sizes.right)
}

func TestDefaultLayouts(t *testing.T) {
	dataFiles(t, "default_layouts.csv", "default_layouts_public.csv", testDefaultLayouts)
}

func testInternalLayouts(t *testing.T, rows [][]string) {
	kinds := map[string]*tally{"entry": {}, "internal": {}, "free": {}}
	for _, row := range rows {
		tgt, kind, d, dims := target(t, row[0]), row[1], dtype(t, row[2]), numbers[int64](t, row[3])
		require.Contains(t, kinds, kind)
		order := numbers[int](t, row[4])
		if kind == "free" {
			order = tgt.FreeOrder(d, dims)
		}
		want := "{" + strings.ReplaceAll(row[4], " ", ",") + ":" + row[5] + "}"
		kinds[kind].count(t, row, want, tgt.Layout(d, dims, order, kind == "entry").String())
	}
	all := 0
	for _, kind := range []string{"entry", "internal", "free"} {
		c := kinds[kind]
		all += c.rows
		t.Logf("%s: right %d of %d", kind, c.right, c.rows)
		require.Equal(t, c.rows, c.right, kind)
	}
	require.Equal(t, len(rows), all)
}

func TestInternalLayouts(t *testing.T) {
	dataFiles(t, "internal_layouts.csv", "internal_layouts_public.csv", testInternalLayouts)
}

// Types of 4 and 8 bits as iota -> multiply -> add -> reduce to a scalar, asked of libtpu 0.0.51.
func TestFreeLayouts(t *testing.T) {
	testInternalLayouts(t, rows(t, "../testdata/tpu/free_layouts.csv"))
}

// The six-bit types were asked of libtpu 0.0.51 as parameters that nothing uses.
func TestSixBitLayouts(t *testing.T) {
	testDefaultLayouts(t, rows(t, "../testdata/tpu/six_bit_layouts.csv"))
}
