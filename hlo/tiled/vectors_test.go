package tiled

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/hlo/cute"
)

const (
	sample = "../../testdata/cute/tiled_index_sample.json"
	shared = "../../../shared/cute/tiled_index_public.json"
)

// entry is a tile entry: a number or "*".
type entry int64

func (e *entry) UnmarshalJSON(data []byte) error {
	if string(data) == `"*"` {
		*e = hlo.Combined
		return nil
	}
	return json.Unmarshal(data, (*int64)(e))
}

type indexFile struct {
	Cases []struct {
		format
		PaddedPhysical []int64 `json:"padded_physical"`
		Physical       []int64
		Total          int64
		Padding        int64
		Bytes          int64
		Points         [][]int64
		Layout         *string
		Combined       []int64
		CombinedLayout string `json:"combined_layout"`
	}
	Errors []struct {
		format
		Index []int64
		Error string
	}
	Pairs []struct {
		A, B          string
		SameAddresses bool `json:"same_addresses"`
		Bitcast       bool
		Runs          int64
		LongestRun    int64 `json:"longest_run"`
		ShortestRun   int64 `json:"shortest_run"`
	}
}

type format struct {
	Text         string
	Shape        []int64
	MinorToMajor []int `json:"minor_to_major"`
	Tiles        [][]entry
}

func (f format) array(t *testing.T) (*Array, error) {
	dtype := hlo.F32
	if f.Text != "" {
		dtype = shape(t, f.Text).DType
	}
	layout := &hlo.Layout{MinorToMajor: f.MinorToMajor}
	for _, tile := range f.Tiles {
		to := hlo.Tile{}
		for _, e := range tile {
			to = append(to, int64(e))
		}
		layout.Tiles = append(layout.Tiles, to)
	}
	return New(hlo.NewArray(dtype, f.Shape, layout))
}

func runIndexFile(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		t.Skipf("%s is not there; the sample in testdata/cute is tested instead", path)
	}
	require.NoError(t, err)
	var file indexFile
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file.Cases)
	require.NotEmpty(t, file.Errors)
	require.NotEmpty(t, file.Pairs)

	right := 0
	for _, c := range file.Cases {
		a, err := c.array(t)
		require.NoError(t, err, c.Text)
		ok := assert.Equal(t, c.PaddedPhysical, a.PaddedPhysical(), c.Text) &&
			assert.Equal(t, c.Physical, a.FinalDims(), c.Text) &&
			assert.Equal(t, []int64{c.Total, c.Padding, c.Bytes}, []int64{a.Total(), a.Padding(), a.Bytes()}, c.Text) &&
			assert.Equal(t, read(t, c.Text).String(), a.String()) && pointsRight(t, c.Text, a, c.Points)
		layout, err := a.Layout()
		if c.Layout == nil {
			ok = assert.ErrorIs(t, err, ErrNoLayout, c.Text) && ok
		} else {
			want, parseErr := cute.ParseLayout(*c.Layout)
			require.NoError(t, parseErr)
			ok = assert.NoError(t, err, c.Text) && assert.Equal(t, want.Normal().String(), layout.String(), c.Text) &&
				ok
		}
		if c.Combined != nil {
			j, err := a.Joined()
			ok = assert.NoError(t, err, c.Text) && assert.Equal(t, c.Combined, j.Dims, c.Text) &&
				assert.Equal(t, c.CombinedLayout, j.Layout.String(), c.Text) && ok
			for _, p := range c.Points {
				got, err := j.Index(p[:len(p)-1]...)
				ok = assert.NoError(t, err) && assert.Equal(t, p[len(p)-1], got, c.Text) && ok
			}
		}
		if ok {
			right++
		}
	}
	t.Logf("%s: cases: %d of %d right", filepath.Base(path), right, len(file.Cases))

	right = 0
	for _, c := range file.Errors {
		a, err := c.array(t)
		if err == nil && c.Index != nil {
			_, err = a.Index(c.Index...)
		}
		if assert.True(t, errors.Is(err, Kind(c.Error)), "%+v: %v", c, err) {
			right++
		}
	}
	t.Logf("errors: %d of %d right", right, len(file.Errors))

	right = 0
	for _, p := range file.Pairs {
		a, b := read(t, p.A), read(t, p.B)
		want := Different
		if p.SameAddresses {
			want = SameAddresses
		}
		if p.Bitcast {
			want = SameBytes
		}
		m, err := ReshapeBitcast(a, b)
		ok := assert.NoError(t, err) && assert.Equal(t, want, m, "%s and %s", p.A, p.B)
		if slices.Equal(a.dims, b.dims) {
			m, err := Bitcast(a, b)
			ok = assert.NoError(t, err) && assert.Equal(t, want, m, "%s and %s", p.A, p.B) && ok
		}
		r, err := Runs(a, b, 1<<20)
		ok = assert.NoError(t, err) && assert.Equal(t, RunCount{p.Runs, p.LongestRun, p.ShortestRun}, r, "%s and %s",
			p.A, p.B) && ok
		if ok {
			right++
		}
	}
	t.Logf("pairs: %d of %d right", right, len(file.Pairs))
}

// pointsRight checks the index map forward by both ways and backward.
func pointsRight(t *testing.T, text string, a *Array, points [][]int64) bool {
	ok := true
	for _, p := range points {
		index, want := p[:len(p)-1], p[len(p)-1]
		got, err := a.Index(index...)
		ok = assert.NoError(t, err, text) && assert.Equal(t, want, got, "%s at %v", text, index) && ok
		ok = assert.Equal(t, want, a.staged(index), "%s at %v", text, index) && ok
		back, real, err := a.Element([]int64{}, want)
		ok = assert.NoError(t, err) && assert.True(t, real) && assert.Equal(t, index, back, "%s at %d", text, want) &&
			ok
	}
	return ok
}

func TestIndexFile(t *testing.T)       { runIndexFile(t, shared) }
func TestIndexFileSample(t *testing.T) { runIndexFile(t, sample) }
