package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"path"
	"time"
)

// file is one entry of an archive; its path has slashes.
type file struct {
	path string
	data []byte
	mode fs.FileMode
}

// built is the time of every entry, the same in all archives: the first that zip can express.
var built = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// tarGz returns a .tar.gz of the files, in their order, below one folder.
func tarGz(folder string, files []file) ([]byte, error) {
	var b bytes.Buffer
	packer := gzip.NewWriter(&b)
	w := tar.NewWriter(packer)
	for _, f := range files {
		h := &tar.Header{Name: folder + "/" + f.path, Size: int64(len(f.data)), Mode: int64(f.mode), ModTime: built,
			Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err := packer.Close()
	return b.Bytes(), err
}

// zipped returns a .zip of the files, in their order, below one folder; "" for none.
func zipped(folder string, files []file) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: path.Join(folder, f.path), Method: zip.Deflate, Modified: built}
		h.SetMode(f.mode)
		entry, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
