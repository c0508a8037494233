package main

import (
	"archive/tar"
	"bytes"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTarFiles reads archives of every format as the standard library does, and broken ones without a panic.
func TestTarFiles(t *testing.T) {
	long := strings.Repeat("folder/", 18) + "name.hlo"
	for _, format := range []tar.Format{tar.FormatUSTAR, tar.FormatPAX, tar.FormatGNU} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, h := range []tar.Header{
			{Name: "a.hlo", Size: 3}, {Name: "folder/", Typeflag: tar.TypeDir}, {Name: long, Size: 513},
			{Name: "empty"}, {Name: "link", Typeflag: tar.TypeSymlink, Linkname: "a.hlo"},
			{Name: "folder/z", Size: 512},
		} {
			h.Format, h.Mode = format, 0o644
			if format != tar.FormatUSTAR && h.Name == "folder/z" {
				h.Name = strings.Repeat("ü", 120)
			}
			require.NoError(t, w.WriteHeader(&h))
			w.Write(bytes.Repeat([]byte("x"), int(h.Size)))
		}
		require.NoError(t, w.Close())
		want := map[string]string{}
		for r := tar.NewReader(bytes.NewReader(b.Bytes())); ; {
			h, err := r.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			if h.Typeflag == tar.TypeReg {
				content, err := io.ReadAll(r)
				require.NoError(t, err)
				want[h.Name] = string(content)
			}
		}
		got := map[string]string{}
		require.NoError(t, tarFiles(b.String(), func(name, content string) error { got[name] = content; return nil }))
		assert.Equal(t, want, got)
		assert.Len(t, got, 4)

		none := func(string, string) error { return nil }
		assert.ErrorIs(t, tarFiles(b.String()[:513], none), io.ErrUnexpectedEOF)
		random := rand.New(rand.NewPCG(1, 2))
		for range 2000 {
			broken := bytes.Clone(b.Bytes()[:random.IntN(b.Len())])
			for range min(len(broken), 3) {
				broken[random.IntN(len(broken))] = byte(random.IntN(256))
			}
			tarFiles(string(broken), none)
		}
	}
	broken := strings.Repeat("x", 2*tarBlock)
	assert.ErrorIs(t, tarFiles(broken, nil), errTarHeader)
}

// TestNoCLibrary: packages that take the C library with them make the command slower to start (tar.go).
func TestNoCLibrary(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", ".")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	for _, p := range strings.Fields(string(out)) {
		assert.NotContains(t, []string{"net", "os/user", "runtime/cgo"}, p)
	}
}
