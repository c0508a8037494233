package main

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

// tarReader reads the files of a tar archive, POSIX or GNU. archive/tar does it too, but asks the C library for the
// names of users: it makes a program that go build links a dynamic one, and its start a millisecond longer.
type tarReader struct{ rest string }

// tarBlock is the size of a header, and what contents are padded to.
const tarBlock = 512

var errTarHeader = errors.New("invalid tar header")

// next returns the next regular file; io.EOF says that there is none.
func (r *tarReader) next() (name, content string, err error) {
	long, size := "", int64(-1) // of the member that follows, in a member of their own
	for {
		header, err := r.header()
		if err != nil {
			return "", "", err
		}
		n, ok := tarNumber(header[124:136])
		if size >= 0 {
			n, size = size, -1
		}
		if !ok || n < 0 {
			return "", "", errTarHeader
		}
		content, err := r.take(n)
		if err != nil {
			return "", "", err
		}
		switch kind := header[156]; {
		case kind == 'L':
			long = tarText(content)
		case kind == 'x':
			if long, size, err = paxOf(content, long); err != nil {
				return "", "", err
			}
		case kind == '0' || kind == 0:
			name := tarText(header[:100])
			if prefix := tarText(header[345:500]); prefix != "" && header[257:263] == "ustar\x00" {
				name = prefix + "/" + name
			}
			if long != "" {
				name = long
			}
			if long = ""; strings.HasSuffix(name, "/") { // a folder, as it was before POSIX
				continue
			}
			return name, content, nil
		case kind != 'K' && kind != 'g':
			long = ""
		}
	}
}

// header takes the next header whose checksum is right; io.EOF says that the archive ends.
func (r *tarReader) header() (string, error) {
	if strings.Trim(r.rest, "\x00") == "" && len(r.rest) <= 2*tarBlock || strings.HasPrefix(r.rest, zeroBlocks) {
		return "", io.EOF
	}
	if len(r.rest) < tarBlock {
		return "", io.ErrUnexpectedEOF
	}
	h := r.rest[:tarBlock]
	r.rest = r.rest[tarBlock:]
	sum := int64(0)
	for i := range len(h) {
		if i >= 148 && i < 156 {
			sum += ' '
		} else {
			sum += int64(h[i])
		}
	}
	if want, ok := tarNumber(h[148:156]); !ok || want != sum {
		return "", errTarHeader
	}
	return h, nil
}

// zeroBlocks end an archive.
var zeroBlocks = strings.Repeat("\x00", 2*tarBlock)

// take takes n bytes and their padding.
func (r *tarReader) take(n int64) (string, error) {
	if n > int64(len(r.rest)) {
		return "", io.ErrUnexpectedEOF
	}
	content := r.rest[:n]
	r.rest = r.rest[min(int64(len(r.rest)), (n+tarBlock-1)/tarBlock*tarBlock):]
	return content, nil
}

// tarText is a field up to its first zero.
func tarText(field string) string {
	text, _, _ := strings.Cut(field, "\x00")
	return text
}

// tarNumber reads a number, in octal digits or, where the first bit is set, in binary.
func tarNumber(field string) (n int64, ok bool) {
	if field[0]&0x80 == 0 {
		digits := strings.Trim(field, " \x00")
		if digits == "" {
			return 0, true
		}
		n, err := strconv.ParseInt(digits, 8, 64)
		return n, err == nil
	}
	for i := range len(field) {
		b := field[i]
		if i == 0 {
			b &= 0x7f
		}
		if n>>55 != 0 {
			return 0, false
		}
		n = n<<8 | int64(b)
	}
	return n, true
}

// paxOf reads the name and the size of the next member out of pax records, "LENGTH key=value\n" each. A name that they
// do not have stays, a size is -1.
func paxOf(records, long string) (name string, size int64, err error) {
	name, size = long, -1
	for records != "" {
		digits, _, _ := strings.Cut(records, " ")
		n, err := strconv.Atoi(digits)
		if err != nil || n <= len(digits)+1 || n > len(records) || records[n-1] != '\n' {
			return "", 0, errTarHeader
		}
		key, value, _ := strings.Cut(records[len(digits)+1:n-1], "=")
		switch records = records[n:]; key {
		case "path":
			name = value
		case "size":
			if size, err = strconv.ParseInt(value, 10, 64); err != nil || size < 0 {
				return "", 0, errTarHeader
			}
		}
	}
	return name, size, nil
}
