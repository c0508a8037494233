package main

import (
	"archive/tar"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTarReader holds tarReader against archive/tar, in all formats, also of archives that end early.
func TestTarReader(t *testing.T) {
	folder, long := strings.Repeat("f", 120)+"/", strings.Repeat("n", 300)
	for format, names := range map[tar.Format][]string{
		tar.FormatUSTAR: {"a.hlo", folder + "b.hlo", "d/", "d/c.hlo"},
		tar.FormatPAX:   {"a.hlo", long, "ü.hlo", folder + long, "d/", "z"},
		tar.FormatGNU:   {"a.hlo", long, folder, folder + long, "z"},
	} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i, n := range names {
			h := &tar.Header{Name: n, Mode: 0o644, Size: int64(i * 511), Format: format}
			if strings.HasSuffix(n, "/") {
				h.Typeflag, h.Size = tar.TypeDir, 0
			}
			require.NoError(t, w.WriteHeader(h))
			_, err := w.Write(bytes.Repeat([]byte{'a' + byte(i)}, int(h.Size)))
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		whole := b.String()
		for _, n := range []int{len(whole), len(whole) - 512, len(whole) - 1024, len(whole) - 1025, 1000, 300} {
			ours, ourErr := namesAndContents(whole[:n])
			theirs, err := theirNamesAndContents(whole[:n])
			assert.Equalf(t, theirs, ours, "%v, %d bytes", format, n)
			assert.Equalf(t, err, ourErr, "%v, %d bytes", format, n)
		}
		_, err := namesAndContents(strings.Replace(whole, "a.hlo", "A.hlo", 1))
		assert.ErrorIs(t, err, errTarHeader)
	}
}

func namesAndContents(archive string) (all []string, err error) {
	for r := (tarReader{archive}); ; {
		name, content, err := r.next()
		if err != nil {
			return all, unlessEnd(err)
		}
		all = append(all, name, content)
	}
}

func theirNamesAndContents(archive string) (all []string, err error) {
	for r := tar.NewReader(strings.NewReader(archive)); ; {
		h, err := r.Next()
		if err != nil {
			return all, unlessEnd(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return all, err
		}
		if h.Typeflag == tar.TypeReg {
			all = append(all, h.Name, string(content))
		}
	}
}

func unlessEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
