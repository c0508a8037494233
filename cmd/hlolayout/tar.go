package main

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

// tarBlock is what everything in a tar archive is filled up to.
const tarBlock = 512

var (
	errTarHeader = errors.New("invalid tar header")
	errTarSparse = errors.New("a member with holes")
)

// eachInTar calls f with the name and content of each file in a tar archive, as POSIX and GNU write them. It is in
// place of archive/tar, which asks the C library who owns files: a program with the C library takes a sixth longer to
// start.
func eachInTar(text string, f func(name, content string) error) error {
	name, size := "", int64(-1) // that extensions give the next member
	ending := false
	for len(text) > 0 {
		if len(text) < tarBlock {
			return io.ErrUnexpectedEOF
		}
		h := tarHeader(text[:tarBlock])
		text = text[tarBlock:]
		switch zero := h.isZero(); {
		case zero && ending: // two of them are the end
			return nil
		case zero:
			ending = true
			continue
		case ending:
			return errTarHeader
		}
		length, err := h.size()
		if err != nil {
			return err
		}
		kind := h[156]
		if kind == 'x' || kind == 'L' || kind == 'K' || kind == 'g' {
			content, err := takeFromTar(&text, length)
			switch {
			case err != nil:
				return err
			case kind == 'L':
				name = cString(content)
			case kind == 'x':
				if name, size, err = paxOf(content); err != nil {
					return err
				}
			}
			continue
		}
		if size >= 0 {
			length = size
		}
		if kind >= '1' && kind <= '6' { // links, devices and directories
			length = 0
		}
		content, err := takeFromTar(&text, length)
		if err != nil {
			return err
		}
		if name == "" {
			name = h.name()
		}
		if (kind == '0' || kind == 0) && !strings.HasSuffix(name, "/") {
			if err := f(name, content); err != nil {
				return err
			}
		}
		name, size = "", -1
	}
	return nil
}

// takeFromTar cuts n bytes from the front of text, and what fills up their last block.
func takeFromTar(text *string, n int64) (string, error) {
	if n > int64(len(*text)) {
		return "", io.ErrUnexpectedEOF
	}
	content := (*text)[:n]
	*text = (*text)[min((n+tarBlock-1)/tarBlock*tarBlock, int64(len(*text))):]
	return content, nil
}

// tarHeader is the block before a member.
type tarHeader string

func (h tarHeader) isZero() bool { return strings.Trim(string(h), "\x00") == "" }

// name is the member's path; what POSIX cannot write in one field begins in another.
func (h tarHeader) name() string {
	name := cString(string(h[:100]))
	if prefix := cString(string(h[345:500])); prefix != "" && h[257:263] == "ustar\x00" {
		name = prefix + "/" + name
	}
	return name
}

// size is how long the member is, in a header whose checksum is right.
func (h tarHeader) size() (int64, error) {
	var unsigned, signed int64
	for i, c := range []byte(h) {
		if i >= 148 && i < 156 { // the checksum itself
			c = ' '
		}
		unsigned += int64(c)
		signed += int64(int8(c))
	}
	sum, err := tarNumber(string(h[148:156]))
	if err != nil || sum != unsigned && sum != signed {
		return 0, errTarHeader
	}
	return tarNumber(string(h[124:136]))
}

// tarNumber reads a number, in octal digits or, where it has a high first bit, in binary.
func tarNumber(field string) (n int64, err error) {
	if field[0]&0x80 != 0 {
		for i, c := range []byte(field) {
			if i == 0 {
				c &= 0x7f
			}
			if n > 1<<54 {
				return 0, errTarHeader
			}
			n = n<<8 | int64(c)
		}
		return n, nil
	}
	if field = cString(strings.Trim(field, " \x00")); field == "" {
		return 0, nil
	}
	if n, err = strconv.ParseInt(field, 8, 64); err != nil || n < 0 {
		return 0, errTarHeader
	}
	return n, nil
}

// paxOf reads what a POSIX extension says of the next member: lines "LENGTH KEY=VALUE".
func paxOf(records string) (name string, size int64, err error) {
	size = -1
	for len(records) > 0 {
		digits, _, _ := strings.Cut(records, " ")
		n, err := strconv.Atoi(digits)
		if err != nil || n <= len(digits)+1 || n > len(records) || records[n-1] != '\n' {
			return "", 0, errTarHeader
		}
		key, value, ok := strings.Cut(records[len(digits)+1:n-1], "=")
		records = records[n:]
		switch {
		case !ok || key == "" || key == "path" && strings.Contains(value, "\x00"):
			return "", 0, errTarHeader
		case key == "path":
			name = value
		case key == "size":
			if size, err = strconv.ParseInt(value, 10, 64); err != nil || size < 0 {
				return "", 0, errTarHeader
			}
		case strings.HasPrefix(key, "GNU.sparse."):
			return "", 0, errTarSparse
		}
	}
	return name, size, nil
}

func cString(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}
