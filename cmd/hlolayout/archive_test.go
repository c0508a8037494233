package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const archived = "HloModule a\n\nENTRY e {\n  ROOT p = f32[2]{0} parameter(0)\n}\n"

func tarOf(t *testing.T, names ...string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, n := range names {
		require.NoError(t,
			w.WriteHeader(&tar.Header{Name: n, Mode: 0o644, Size: int64(len(archived)), Format: tar.FormatPAX}))
		_, err := w.Write([]byte(archived))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func gzipOf(t *testing.T, data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func zipOf(t *testing.T, names ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, n := range names {
		f, err := w.Create(n)
		require.NoError(t, err)
		_, err = f.Write([]byte(archived))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// TestArchives reads archives as the folders that they hold, whatever their names are.
func TestArchives(t *testing.T) {
	dir := t.TempDir()
	const first, final = "d/module_0001.jit_a.before_optimizations.txt", "d/module_0001.jit_a.after_optimizations.txt"
	whole := tarOf(t, first, final, "d/._x.hlo", "../../x.hlo", "notes.md")
	for name, data := range map[string][]byte{"a.tar": whole, "a.tgz": gzipOf(t, whole), "a.bin": gzipOf(t, whole),
		"a.zip": zipOf(t, final, first, "/x.hlo", "notes.md")} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, data, 0o666))
		var out, log bytes.Buffer
		code := run([]string{"stats", "-q", file}, streams{in: strings.NewReader(""), out: &out, err: &log})
		assert.Equal(t, 0, code, log.String())
		assert.Equal(t, 2, strings.Count(out.String(), "module a, 1 array in memory"), out.String())
		assert.Contains(t, out.String(), filepath.Join(file, final)+": ")
		assert.Contains(t, out.String(), filepath.Join(file, "x.hlo")+": ", "a member stays in the archive")
		out.Reset()
		assert.Equal(t, 0, run([]string{"dump", file}, streams{in: strings.NewReader(""), out: &out, err: &log}),
			log.String())
		assert.Contains(t, out.String(), "module_0001 jit_a")
		assert.Equal(t, 0, run([]string{"diff", file, file}, streams{in: strings.NewReader(""), out: &out, err: &log}),
			log.String())
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut.tar":   {whole[:540], "damaged archive: unexpected EOF"},
		"notes.zip": {zipOf(t, "notes.md"), "this is a zip archive"},
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, c.data, 0o666))
		var out, log bytes.Buffer
		assert.Equal(t, 2, run([]string{"stats", file}, streams{in: strings.NewReader(""), out: &out, err: &log}))
		assert.Contains(t, log.String(), name)
		assert.Contains(t, log.String(), c.want)
	}
}

// TestArchiveMembers names single files and folders of an archive, as the commands that summary advises do.
func TestArchiveMembers(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("two.zip", zipOf(t, "a.hlo", "d/[b].hlo"), 0o666))
	require.NoError(t, os.WriteFile("two.tgz", gzipOf(t, tarOf(t, "a.hlo", "d/[b].hlo")), 0o666))
	require.NoError(t, os.WriteFile("many.zip", zipOf(t, "1.hlo", "2.hlo", "3.hlo", "4.hlo", "5.hlo", "6.hlo"), 0o666))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"two.zip"}, 0, "hlolayout summary two.zip/a.hlo\n"},
		{[]string{"./two.zip"}, 0, "hlolayout summary two.zip/a.hlo\n"},
		{[]string{"two.zip/a.hlo"}, 0, "two.zip/a.hlo: module a\n"},
		{[]string{"summary", "./two.tgz/d/[b].hlo"}, 0, "two.tgz/d/[b].hlo: module a\n"},
		{[]string{"stats", "two.tgz/"}, 0, "two.tgz/a.hlo: module a, "},
		{[]string{"explain", "two.tgz/a.hlo", "%p"}, 0, "%p in %e: "},
		{[]string{"diff", "two.zip/a.hlo", "two.tgz/d/[b].hlo"}, 0, "same"},
		{[]string{"explain", "two.zip", "%p"}, 2, "two.zip holds 2 texts: name one of its files: two.zip/a.hlo, " +
			"two.zip/d/[b].hlo\n"},
		{[]string{"stats", "two.zip/e.hlo"}, 2, "two.zip/e.hlo: no such file in the archive two.zip: " +
			"did you mean a.hlo?\n"},
		{[]string{"stats", "two.zip/else"}, 2, "no such file in the archive two.zip: known are a.hlo, d/[b].hlo\n"},
		{[]string{"check", "two.zip/a.hlo"}, 1, "two.zip/a.hlo: no golden two.zip/a.lock\n"},
		{[]string{"fmt", "-w", "--canonical", "two.zip/a.hlo"}, 2, "it is in an archive, use -o FILE.hlo\n"},
		{[]string{"two.tgz/d"}, 0, "two.tgz/d/[b].hlo: module a\n"},
		{[]string{"stats", "two.zip/d/"}, 0, "two.zip/d/[b].hlo: module a, "},
		{[]string{"diff", "two.zip/d", "two.tgz/d"}, 0, "same"},
		{[]string{"stats", "many.zip/nothing"}, 2, "known are 1.hlo, 2.hlo, 3.hlo, 4.hlo, 5.hlo, and 1 more\n"},
	} {
		var out bytes.Buffer
		code := run(c.args, streams{in: strings.NewReader(""), out: &out, err: &out})
		assert.Equal(t, c.code, code, c.args)
		assert.Contains(t, filepath.ToSlash(out.String()), c.want, c.args)
		archives.Clear() // as in another process
	}
}

// TestArchiveTarget: the chip is the one that files next to a dump name, as in a folder on a disk.
func TestArchiveTarget(t *testing.T) {
	t.Chdir(t.TempDir())
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range map[string]string{"d/module_0001.jit_a.after_optimizations.txt": archived,
		"d/module_0001.jit_a.target_arguments.txt":    "version: TPU_VERSION_VIPERFISH\n",
		"e/module_0001.jit_b.after_optimizations.txt": archived,
		"e/module_0001.jit_b/topology.textproto":      "version: TPU_VERSION_VIPERFISH\nvariant: \"lite\"\n"} {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile("a.zip", b.Bytes(), 0o666))
	for _, arg := range []string{"a.zip", "a.zip/d/module_0001.jit_a.after_optimizations.txt"} {
		var log bytes.Buffer
		code := run([]string{"stats", arg}, streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &log})
		assert.Equal(t, 0, code, log.String())
		assert.Contains(t, log.String(), " for v5p (target_arguments.txt): ")
		assert.Equal(t, arg == "a.zip", strings.Contains(log.String(), " for v5e (topology.textproto): "), log.String())
		archives.Clear()
	}
}

// TestArchiveLimits: an archive has a limited number of members. What it unpacks to has the limits of a packed text.
func TestArchiveLimits(t *testing.T) {
	a := &archive{members: map[string]string{}}
	for i := range maxMembers {
		require.True(t, a.add("a.tar", fmt.Sprint(i), ""))
	}
	assert.False(t, a.add("a.tar", "one more", ""))
}
