package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
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
// or more than unpacked bytes after unpacking. The text is held once: the buffer is grown to size beforehand and becomes
// the string.
func readText(r io.Reader, size, limit, unpacked int64) (text string, gzipped bool, err error) {
	buffered := bufio.NewReader(r)
	r = buffered
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		gz, err := gzip.NewReader(buffered)
		if err != nil {
			return "", true, fmt.Errorf("damaged gzip file: %w", err)
		}
		r, size, limit, gzipped = gz, 8*size, unpacked, true // HLO text shrinks to less than an eighth
	}
	var b strings.Builder
	b.Grow(int(min(size, limit)) + 1)
	n, err := io.Copy(&b, io.LimitReader(r, limit+1))
	switch {
	case err != nil && gzipped:
		return "", true, fmt.Errorf("damaged gzip file: %w", err)
	case err != nil:
		return "", false, err
	case n > limit:
		return "", gzipped, fmt.Errorf("the text is longer than the limit of %d bytes", limit)
	}
	return b.String(), gzipped, nil
}

// reason strips what a message about a file says twice: the operation and the path.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("damaged gzip file: it ends too early")
	}
	return err
}
