package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// writeFile writes data to a file in one step: the old content stays until all of the new one is on the disk. A link is
// followed, and what is no regular file (a device, a pipe) is written as it is, for replacing it would destroy it.
func writeFile(path string, data []byte, p packing) error {
	data = compress(data, p)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a directory", path)
	case err == nil && !info.Mode().IsRegular():
		err = writeDevice(path, data)
	case err == nil, errors.Is(err, fs.ErrNotExist):
		err = replaceFile(path, data, 0o666)
	}
	if err != nil {
		return fmt.Errorf("%s: %v", path, reason(err))
	}
	return nil
}

func writeDevice(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// compress returns data packed: the same bytes for the same data, for no time and no name are written.
func compress(data []byte, p packing) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch p {
	case gz:
		w = gzip.NewWriter(&b)
	case zst:
		w, _ = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1)) // only wrong options fail
	default:
		return data
	}
	w.Write(data) // a Buffer takes everything
	w.Close()
	return b.Bytes()
}
