package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// full is the local file system of a disk that is full: half of what is written arrives.
type full struct{ filesystem.Interface }

func (f full) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	w, err := f.Interface.OpenWrite(ctx, name)
	return half{w}, err
}

func (f full) Remove(_ context.Context, name string) error { return os.Remove(name) }

func (f full) Rename(_ context.Context, from, to string) error { return os.Rename(from, to) }

type half struct{ io.WriteCloser }

func (h half) Write(b []byte) (int, error) {
	n, err := h.WriteCloser.Write(b[:len(b)/2])
	return n, errors.Join(err, errors.New("disk full"))
}

// TestFilesAreReplacedWhole: a write that fails leaves the file that an earlier attempt made, and nothing else.
func TestFilesAreReplacedWhole(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	name := filepath.Join(dir, "x-00000-of-00001.jsonl")
	require.NoError(t, replace(ctx, local.New(ctx), name, []string{"a", "b"}))
	require.ErrorContains(t, replace(ctx, full{local.New(ctx)}, name, []string{"c", "d"}), "disk full")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "a\nb\n", string(text))
	require.NoError(t, replace(ctx, local.New(ctx), name, []string{"c"}))
	text, err = os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "c\n", string(text))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no part is left")
}

// TestWorkIsNotFusedWithTheMatch: between the listing and the work a reshuffle lets the runner spread the files.
func TestWorkIsNotFusedWithTheMatch(t *testing.T) {
	p := beam.NewPipeline()
	build(p.Root(), options{Input: "*", Output: "x", Work: "lint", Target: "v5e", Shards: 1})
	edges, _, err := p.Build()
	require.NoError(t, err)
	var names []string
	for _, e := range edges {
		if e.Op == graph.Reshuffle {
			names = append(names, string(e.Op))
		} else if e.DoFn != nil {
			names = append(names, e.DoFn.Name())
		}
	}
	match := slices.IndexFunc(names, func(n string) bool { return filepath.Ext(n) == ".matchFn" })
	work := slices.IndexFunc(names, func(n string) bool { return filepath.Ext(n) == ".work" })
	require.Less(t, match, work, names)
	require.GreaterOrEqual(t, match, 0, names)
	assert.Contains(t, names[match:work], string(graph.Reshuffle))
}
