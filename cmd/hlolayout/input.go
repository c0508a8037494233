package main

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"hlolayout/hlo"
	"hlolayout/parser"
)

// maxUnpacked is the greatest size of a text that was compressed, in bytes: it keeps a small file from filling the memory.
const maxUnpacked = 1 << 30

// input is one text to read.
type input struct {
	path string // "-" is standard input
	std  io.Reader
}

// name is the input's name in messages.
func (in input) name() string {
	if in.path == "-" {
		return "<stdin>"
	}
	return in.path
}

// errorf returns an error about the input as a whole.
func (in input) errorf(format string, args ...any) error {
	return &hlo.Error{File: in.name(), Msg: fmt.Sprintf(format, args...)}
}

// read returns the text; gzipped says that it was compressed, which is seen from the content, not the name.
func (in input) read() (text string, gzipped bool, err error) {
	r, size := in.std, int64(0)
	if in.path != "-" {
		f, err := os.Open(in.path)
		if err != nil {
			return "", false, in.errorf("%v", reason(err))
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return "", false, in.errorf("is a directory")
		} else if err == nil {
			size = info.Size()
		}
		r = f
	}
	text, gzipped, err = readText(r, size, parser.MaxBytes, maxUnpacked)
	if err != nil {
		return "", gzipped, in.errorf("%v", reason(err))
	}
	return text, gzipped, nil
}

// readText reads a text of about size bytes, and unpacks it where it is gzip. It fails for texts of more than limit bytes,
// or more than unpacked bytes after unpacking. The text is held once: the buffer is grown to its size beforehand and
// becomes the string.
func readText(r io.Reader, size, limit, unpacked int64) (text string, gzipped bool, err error) {
	buffered := bufio.NewReader(r)
	if magic, _ := buffered.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		text, err := readAll(buffered, size, limit)
		return text, false, err
	}
	packed, err := readAll(buffered, size, limit)
	if err != nil {
		return "", true, err
	}
	gz, err := gzip.NewReader(strings.NewReader(packed))
	if err == nil {
		text, err = readAll(gz, unpackedSize(packed), unpacked)
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("damaged gzip file: it ends too early")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, new(flate.CorruptInputError)):
		err = fmt.Errorf("damaged gzip file: %w", err)
	}
	return text, true, err
}

// unpackedSize returns the size that the last four bytes of a gzip file state, but no more than deflate can make of it: a
// wrong one only costs time.
func unpackedSize(packed string) int64 {
	if len(packed) < 4 {
		return 0
	}
	stated := binary.LittleEndian.Uint32([]byte(packed[len(packed)-4:]))
	return min(int64(stated), 1032*int64(len(packed)))
}

func readAll(r io.Reader, size, limit int64) (string, error) {
	var b strings.Builder
	b.Grow(int(min(size, limit)) + 1)
	n, err := io.Copy(&b, io.LimitReader(r, limit+1))
	if err != nil {
		return "", err
	}
	if n > limit {
		return "", fmt.Errorf("the text is longer than the limit of %d bytes", limit)
	}
	return b.String(), nil
}

// reason strips from an error what a message about a file says already: the operation and the path.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
