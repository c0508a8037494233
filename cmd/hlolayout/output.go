package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2/maybe"
)

// writeFile writes data to a file in one step: the old content stays until all of the new one is on the disk. A link is
// followed, and what is no regular file (a device, a pipe) is written as it is, for replacing it would destroy it.
func writeFile(path string, data []byte, gzipped bool) error {
	if gzipped {
		data = compress(data)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a directory", path)
	case err == nil && !info.Mode().IsRegular():
		err = writeDevice(path, data)
	case err == nil:
		err = maybe.WriteFile(path, data, info.Mode().Perm())
	case errors.Is(err, fs.ErrNotExist):
		err = maybe.WriteFile(path, data, 0o666)
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

// compress returns data as gzip: the same bytes for the same data, for no time and no name are written.
func compress(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data) // a Buffer takes everything
	w.Close()
	return b.Bytes()
}

// isCompressed says whether a file of that name is to be compressed.
func isCompressed(path string) bool { return strings.HasSuffix(path, ".gz") }
