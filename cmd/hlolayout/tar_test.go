package main

import (
	"archive/tar"
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// filesInTar is what eachInTar finds.
func filesInTar(text string) (files []string, err error) {
	err = eachInTar(text, func(name, content string) error {
		files = append(files, name+"="+content)
		return nil
	})
	return files, err
}

// goFilesInTar is what archive/tar finds.
func goFilesInTar(text string) (files []string, err error) {
	for r := tar.NewReader(strings.NewReader(text)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return files, err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return files, err
		}
		if h.Typeflag == tar.TypeReg {
			files = append(files, h.Name+"="+string(content))
		}
	}
}

// tarsOf returns one archive in each format, with what is special to it.
func tarsOf(t *testing.T) (texts []string) {
	long := strings.Repeat("directory/", 12)
	for format, names := range map[tar.Format][]string{
		tar.FormatUSTAR: {"a.hlo", long + "b.hlo"},
		tar.FormatPAX:   {"a.hlo", long + strings.Repeat("x", 200), "träger.hlo"},
		tar.FormatGNU:   {"a.hlo", long + strings.Repeat("x", 200), "träger.hlo"},
	} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		add := func(h tar.Header, content string) {
			h.Format, h.Mode, h.Size = format, 0o644, int64(len(content))
			require.NoError(t, w.WriteHeader(&h))
			_, err := io.WriteString(w, content)
			require.NoError(t, err)
		}
		add(tar.Header{Name: "d/", Typeflag: tar.TypeDir}, "")
		for i, n := range names {
			add(tar.Header{Name: n, Typeflag: tar.TypeReg}, strings.Repeat("text\n", 100*i))
			add(tar.Header{Name: "link", Linkname: n[max(0, len(n)-99):], Typeflag: tar.TypeSymlink}, "")
		}
		if format == tar.FormatGNU {
			add(tar.Header{Name: "link", Linkname: long + "b.hlo", Typeflag: tar.TypeLink}, "")
		}
		require.NoError(t, w.Close())
		texts = append(texts, b.String())
	}
	return texts
}

// TestTar holds eachInTar against archive/tar: on archives of every format, cut ones, and ones with a wrong byte.
func TestTar(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, text := range tarsOf(t) {
		want, err := goFilesInTar(text)
		require.NoError(t, err)
		got, err := filesInTar(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Greater(t, len(got), 1)
		for range 3000 {
			other := []byte(text)
			other[r.IntN(len(other))] ^= byte(1 << r.IntN(8))
			if r.IntN(4) == 0 {
				other = other[:r.IntN(len(other))]
			}
			want, wantErr := goFilesInTar(string(other))
			got, err := filesInTar(string(other))
			require.Equal(t, wantErr != nil, err != nil, "%v %v", wantErr, err)
			if err == nil {
				require.Equal(t, want, got)
			}
		}
	}
}

// TestTarNumbers are sizes that do not fit octal digits, and those that nothing writes.
func TestTarNumbers(t *testing.T) {
	for field, want := range map[string]int64{"00000000017\x00": 15, " 17 \x00\x00\x00\x00\x00\x00\x00\x00": 15, "": 0,
		"\x80\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01": 1<<33 + 1, "8": -1, "-7": -1,
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff": -1} {
		n, err := tarNumber(field + strings.Repeat("\x00", 12-len(field)))
		if want < 0 {
			assert.Equal(t, errTarHeader, err, "%q", field)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, want, n)
	}
	for records, want := range map[string]error{"9 size=7\n": nil, "9 size=x\n": errTarHeader, "3 size=7\n": errTarHeader,
		"19 GNU.sparse.a=1\n": errTarHeader, "18 GNU.sparse.a=1\n": errTarSparse, "x": errTarHeader} {
		_, size, err := paxOf(records)
		assert.Equal(t, want, err, records)
		if want == nil {
			assert.EqualValues(t, 7, size)
		}
	}
}
