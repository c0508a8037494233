package main

import (
	"archive/tar"
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hlolayout/parser"
	"hlolayout/parser/dumps"
	"hlolayout/parser/forms"
)

// archive is a tar or zip file, which is read as the folder that it holds: its members have the archive's path in front
// of theirs.
type archive struct {
	paths   []string // of the members that are files, in lexical order
	members map[string]string
	err     error
}

// maxMembers is how many members an archive may have. Their sizes together have the limits of one packed text.
const maxMembers = 100_000

// archives are what opens each archive once, by path; a file that is none is opened as nil.
var archives sync.Map

// archiveAt returns the archive that a file is, nil for another file. What it is shows in its content; names of texts
// are not read.
func archiveAt(file string) *archive {
	file = filepath.Clean(file)
	a, _ := archives.LoadOrStore(file, sync.OnceValue(func() *archive {
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || hasExtension(file) || !looksPacked(file) {
			return nil
		}
		return openArchive(file)
	}))
	return a.(func() *archive)()
}

// archiveAround returns the archive that a path leads into, with its own path; nil for none.
func archiveAround(name string) (a *archive, at string) {
	at = filepath.Dir(name)
	for _, absent := os.Lstat(at); absent != nil && at != filepath.Dir(at); _, absent = os.Lstat(at) {
		at = filepath.Dir(at)
	}
	return archiveAt(at), at
}

// memberAt returns the content of a member of an archive. Where the path leads into none, the error is err, which is
// that of opening the path as a file's.
func memberAt(name string, err error) (string, error) {
	a, at := archiveAround(name)
	if a == nil {
		return "", err
	}
	if text, ok := a.members[filepath.Clean(name)]; ok || a.err != nil {
		return text, a.err
	}
	return "", &noMember{a, at, name}
}

// noMember says that an archive has no such file. The text takes time: it is made when it is printed.
type noMember struct {
	*archive
	at, name string
}

func (e *noMember) Unwrap() error { return fs.ErrNotExist }

func (e *noMember) Error() string {
	known := make([]string, len(e.paths))
	for i, p := range e.paths {
		known[i], _ = filepath.Rel(e.at, p) // they are below it
	}
	name, _ := filepath.Rel(e.at, e.name)
	return fmt.Sprintf("no such file in the archive %s: %s", e.at, didYouMeanOf(name, known, 5))
}

// entriesOf returns what is in a folder, also in one of an archive, and for each name whether it is a folder's.
func entriesOf(folder string) map[string]bool {
	out := map[string]bool{}
	files, err := os.ReadDir(filepath.Join(folder, "."))
	for _, f := range files {
		out[f.Name()] = f.IsDir()
	}
	if err == nil {
		return out
	}
	for _, p := range membersBelow(folder) {
		name, _, deeper := strings.Cut(p[len(filepath.Clean(folder))+1:], string(filepath.Separator))
		out[name] = deeper
	}
	return out
}

// membersBelow returns the paths of what is in a folder of an archive, or in an archive; none for any other path.
func membersBelow(folder string) []string {
	a, _ := archiveAround(filepath.Join(folder, "file"))
	if a == nil {
		return nil
	}
	above := filepath.Clean(folder) + string(filepath.Separator)
	from, _ := slices.BinarySearch(a.paths, above)
	to := from
	for to < len(a.paths) && strings.HasPrefix(a.paths[to], above) {
		to++
	}
	return a.paths[from:to]
}

// exists reports whether a path is that of a file, a directory or a member of an archive.
func exists(path string) bool {
	_, err := os.Stat(path)
	if err != nil {
		_, err = memberAt(path, err)
	}
	return err == nil
}

// looksPacked reports whether a file begins as an archive does, or as something packed does that may hold one.
func looksPacked(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	data := string(head[:n])
	return packingIn(data) != plain || isZip(data) || forms.IsTar(data)
}

func isZip(data string) bool { return strings.HasPrefix(data, "PK\x03\x04") }

// openArchive reads an archive; it returns nil for a file that is none, or holds nothing to read.
func openArchive(file string) *archive {
	a := &archive{members: map[string]string{}}
	in := input{path: file}
	packed, p, err := in.readPacked()
	switch {
	case err != nil:
		return nil
	case isZip(packed):
		a.err = a.readZip(file, packed)
	default:
		text, err := unpackText(packed, p, maxUnpacked)
		if err != nil || !forms.IsTar(text) {
			return nil
		}
		a.err = a.readTar(file, text)
	}
	if a.err != nil {
		a.err = fmt.Errorf("%s: damaged archive: %w", file, a.err)
	}
	slices.Sort(a.paths)
	if a.err == nil && !slices.ContainsFunc(a.paths, func(p string) bool {
		_, dump := dumps.ParseName(p)
		return dump || hasExtension(p)
	}) {
		return nil
	}
	return a
}

func (a *archive) readTar(file, text string) error {
	r := tar.NewReader(strings.NewReader(text))
	for left := int64(maxUnpacked); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		content, err := readAll(r, h.Size, min(left, parser.MaxBytes))
		if err != nil {
			return err
		}
		if left -= int64(len(content)); !a.add(file, h.Name, content) {
			return errTooMany
		}
	}
}

func (a *archive) readZip(file, packed string) error {
	r, err := zip.NewReader(strings.NewReader(packed), int64(len(packed)))
	if err != nil {
		return err
	}
	left := min(maxUnpacked, freeUnpacked+maxGrowth*int64(len(packed)))
	for _, m := range r.File {
		if !m.Mode().IsRegular() {
			continue
		}
		f, err := m.Open()
		if err != nil {
			return err
		}
		content, err := readAll(f, min(int64(m.UncompressedSize64), left), left)
		f.Close()
		if err != nil {
			return err
		}
		if left -= int64(len(content)); !a.add(file, m.Name, content) {
			return errTooMany
		}
	}
	return nil
}

var errTooMany = errors.New("it has more members than 100000")

// add adds a member; false says that there are too many.
func (a *archive) add(file, name, content string) bool {
	if strings.HasPrefix(path.Base(name), "._") { // macOS's metadata of a file
		return true
	}
	p := filepath.Join(file, filepath.FromSlash(path.Clean("/"+name)))
	if _, again := a.members[p]; !again {
		a.paths = append(a.paths, p)
	}
	a.members[p] = content
	return len(a.paths) <= maxMembers
}
