package main

import (
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unsafe"

	"github.com/klauspost/compress/zstd"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/dumps"
)

// A text that was compressed may have maxUnpacked bytes, and no more than maxGrowth times its compressed size and
// freeUnpacked bytes: that keeps a small file from filling the memory. Deflate cannot grow more than that; modules in
// zstd grow 13 to 33 times.
const (
	maxUnpacked  = 1 << 30
	maxGrowth    = 1032
	freeUnpacked = 8 << 20
)

// input is one text to read.
type input struct {
	path string // "-" is standard input
	std  io.Reader
	done *doneList // of --resume; nil where the command has none
	// folder is the directory among the arguments that the text was found in, "" for none; named says that --module
	// chose the text of it. module is the module of a dump folder that the text is a stage of, with the files next to
	// it; nil for a single text.
	folder string
	named  bool
	module *dumps.Module
	stage  *dumps.File
	twin   int // how many modules of its function come before it in its folder
	// wanted is the module of a single text that --module names, "" for all; choosable says that the command has the
	// flag.
	wanted    string
	choosable bool
	failed    error // the argument could not be examined
}

// name is the input's name in messages: a path that could end a line or move a cursor shows its characters by escapes.
func (in input) name() string {
	switch in.path {
	case "-":
		return "<stdin>"
	case "":
		return `""`
	}
	return hlo.Visible(in.path)
}

// errorf returns an error about the input as a whole.
func (in input) errorf(format string, args ...any) error {
	return &hlo.Error{File: in.name(), Msg: fmt.Sprintf(format, args...)}
}

// packing is how a file is compressed.
type packing string

// The packings, by the extension that they have in file names.
const (
	plain packing = ""
	gz    packing = ".gz"
	zst   packing = ".zst"
)

// packingOf returns the packing that a file's name implies.
func packingOf(path string) packing {
	for _, p := range []packing{gz, zst} {
		if strings.HasSuffix(path, string(p)) {
			return p
		}
	}
	return plain
}

// read returns the text, unpacked, and how it was packed, which is seen from the content, not the name.
func (in input) read() (text string, p packing, err error) {
	text, p, err = in.readPacked()
	if err == nil {
		text, err = in.unpack(text, p)
	}
	return text, p, err
}

// readPacked returns what the file holds, and how it is packed.
func (in input) readPacked() (packed string, p packing, err error) {
	r, size := in.std, int64(0)
	if in.failed != nil {
		return "", plain, in.failed
	}
	if in.path != "-" {
		f, err := os.Open(in.path)
		if err != nil {
			if packed, err = memberAt(in.path, err); err != nil {
				return "", plain, in.errorf("%v", reason(err))
			}
			return unmarked(packed), packingIn(packed), nil
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return "", plain, in.errorf("is a directory")
		} else if err == nil {
			if size = info.Size(); size <= parser.MaxBytes {
				collectLate(textAtWork.Load() + size)
			}
		}
		r = f
	}
	packed, err = readAll(r, size, parser.MaxBytes)
	if err != nil {
		return "", plain, in.errorf("%v", reason(err))
	}
	return unmarked(packed), packingIn(packed), nil
}

// unmarked takes off the byte order mark that Windows puts before a text in UTF-8.
func unmarked(text string) string { return strings.TrimPrefix(text, "\ufeff") }

// packingIn tells a packing from the first bytes.
func packingIn(data string) packing {
	switch {
	case strings.HasPrefix(data, "\x1f\x8b"):
		return gz
	case strings.HasPrefix(data, "\x28\xb5\x2f\xfd"):
		return zst
	}
	return plain
}

// unpack returns the text of what readPacked returned.
func (in input) unpack(packed string, p packing) (string, error) {
	text, err := unpackText(packed, p, maxUnpacked)
	if err != nil {
		return "", in.errorf("%v", reason(err))
	}
	return text, nil
}

// unpackText unpacks a text. It fails for one of more than limit bytes, or less for a small one (see maxUnpacked). The
// text is held once: its buffer is made of its size and becomes the string.
func unpackText(packed string, p packing, limit int64) (text string, err error) {
	limit = min(limit, freeUnpacked+maxGrowth*int64(len(packed)))
	switch p {
	case plain:
		return packed, nil
	case zst:
		return unzstd(packed, limit)
	}
	r, err := gzip.NewReader(strings.NewReader(packed))
	if err == nil {
		text, err = readAll(r, unpackedSize(packed), limit)
	}
	switch {
	case errors.As(err, new(tooLong)):
		err = fmt.Errorf("unpacked, %w", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("damaged gzip file: it ends too early")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, new(flate.CorruptInputError)):
		err = fmt.Errorf("damaged gzip file: %w", err)
	}
	return text, err
}

// unzstd unpacks zstd. The window that a file may request is limited, for it is memory.
func unzstd(packed string, unpacked int64) (string, error) {
	d, err := zstd.NewReader(strings.NewReader(packed), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return "", fmt.Errorf("damaged zstd file: %w", err)
	}
	defer d.Close()
	text, err := readAll(d, 4*int64(len(packed)), unpacked)
	if err != nil && !errors.As(err, new(tooLong)) {
		return "", fmt.Errorf("damaged zstd file: %w", err)
	} else if err != nil {
		return "", fmt.Errorf("unpacked, %w", err)
	}
	return text, nil
}

// unpackedSize returns the size that the last four bytes of a gzip file state, but no more than deflate can make of it:
// a wrong one only costs time.
func unpackedSize(packed string) int64 {
	if len(packed) < 4 {
		return 0
	}
	stated := binary.LittleEndian.Uint32([]byte(packed[len(packed)-4:]))
	return min(int64(stated), maxGrowth*int64(len(packed)))
}

// tooLong is the error for a text of more bytes than its limit.
type tooLong int64

func (t tooLong) Error() string {
	return fmt.Sprintf("the text is longer than the limit of %d bytes", int64(t))
}

func readAll(r io.Reader, size, limit int64) (string, error) {
	text := make([]byte, 0, max(min(size, limit), 4096)+1) // one more than the size, to see the end
	for r = io.LimitReader(r, limit+1); ; {
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case int64(len(text)) > limit:
			return "", tooLong(limit)
		case err == io.EOF:
			return unsafe.String(unsafe.SliceData(text), len(text)), nil // nothing writes to it any more
		case err != nil:
			return "", err
		case len(text) == cap(text):
			text = append(make([]byte, 0, 2*len(text)), text...)
		}
	}
}

// reason strips from an error what a message about a file says already: the operation and the path.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
