package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// pending are the names of temporary files that there are, or that there will be in a moment. Nothing is added
// once an interrupt has come: the lock stays taken.
var pending = struct {
	sync.Mutex
	files map[string]bool
}{files: map[string]bool{}}

// A replacement is new content for a file.
type replacement struct {
	path string
	what content
}

// replaceFiles gives files new content, all of them or none: the data goes to temporary files in the same
// folders, which take their places when all of it is on the disk. Whatever happens on the way, each file has
// its old content or the new one, whole. What exists keeps its permissions; perm, less the umask, is for a new
// file.
//
// Where the file system has files without a name, a temporary file gets one only when it is whole. A kill in
// the moment until it takes its place would leave it behind, and one between the first and the last file a
// mixture: a guard, a separate process where there is a shell, then removes what is left, or finishes what
// was begun.
func replaceFiles(list []replacement, perm os.FileMode) (err error) {
	if len(list) == 0 {
		return nil
	}
	heed()
	temporary := make([]*temporaryFile, 0, len(list))
	at := ""
	defer func() {
		for _, f := range temporary {
			err = errors.Join(err, f.close())
		}
		if err != nil {
			err = &fs.PathError{Op: "write", Path: at, Err: reason(err)}
		}
	}()
	for _, r := range list {
		at = r.path
		f, err := newTemporary(r.path, perm)
		if err != nil {
			return err
		}
		temporary = append(temporary, f)
		if err := f.fill(r.what); err != nil {
			return err
		}
	}
	if len(temporary) == 1 && temporary[0].unnamed {
		f := temporary[0]
		if _, err := os.Lstat(f.path); errors.Is(err, fs.ErrNotExist) && giveName(f.File, f.path) == nil {
			return nil // a new file gets its name immediately
		}
	}
	pending.Lock() // an interrupt waits
	defer pending.Unlock()
	for _, f := range temporary {
		pending.files[f.name] = true
	}
	guarded(pending.files, nil)
	for _, f := range temporary {
		if at = f.path; f.unnamed {
			if err := giveName(f.File, f.name); err != nil {
				return err
			}
		}
	}
	if len(temporary) > 1 {
		guarded(pending.files, temporary)
	}
	for _, f := range temporary {
		at = f.path
		if err := os.Rename(f.name, f.path); err != nil {
			return err
		}
	}
	for _, f := range temporary {
		delete(pending.files, f.name)
	}
	guarded(pending.files, nil)
	return nil
}

// temporaryFile is a file that will take the place of another.
type temporaryFile struct {
	*os.File
	path, name string
	unnamed    bool // it has no name yet
}

func newTemporary(path string, perm os.FileMode) (*temporaryFile, error) {
	dir := filepath.Dir(path)
	t := &temporaryFile{path: path, name: filepath.Join(dir, fmt.Sprintf(".hlolayout-%016x", rand.Uint64()))}
	var err error
	if t.File, err = newUnnamed(dir, perm); err == nil {
		t.unnamed = true
	} else {
		err = claim(t.name, func() (err error) {
			t.File, err = os.OpenFile(t.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil {
		if err := t.Chmod(info.Mode().Perm()); err != nil {
			return nil, errors.Join(err, t.close())
		}
	}
	return t, nil
}

// fill writes the content to the disk.
func (t *temporaryFile) fill(what content) error {
	if err := what(t); err != nil {
		return err
	}
	return t.Sync() // a name that stands for data that is not there yet would be worse than none after a crash
}

// close closes the file, and removes it if it has not taken its place.
func (t *temporaryFile) close() error {
	pending.Lock()
	defer pending.Unlock()
	if pending.files[t.name] {
		os.Remove(t.name)
		delete(pending.files, t.name)
		guarded(pending.files, nil)
	}
	return t.Close()
}

// newUnnamed is createUnnamed; tests take it away.
var newUnnamed = createUnnamed

// claim calls create, which makes the temporary file of that name.
func claim(name string, create func() error) error {
	pending.Lock()
	defer pending.Unlock()
	pending.files[name] = true
	guarded(pending.files, nil)
	err := create()
	if err != nil {
		delete(pending.files, name)
	}
	return err
}

// lastWords is a func() []byte that returns what a command has found so far, or empty.
var lastWords atomic.Value

// heed has the program heed signals from here on. It does nothing where main has not set it, as in tests.
var heed = func() {}

// beforeHeeding is how long the program works before it heeds signals of itself. Until then one ends it as it ends any
// program, and nothing needs more: signals take a twentieth of what a small module takes in all.
const beforeHeeding = 10 * time.Millisecond

// heedLater has heed call onInterrupt once, and calls it when the program takes longer.
func heedLater(out, log io.Writer) {
	heed = sync.OnceFunc(func() { onInterrupt(out, log) })
	time.AfterFunc(beforeHeeding, heed)
}

// onInterrupt ends the program at Ctrl-C, a request to end, or the end of its terminal, immediately: temporary files
// are removed, what was found so far goes to out, and the exit code is 128 and the signal's number, as a shell has it.
// What the program was started to ignore (nohup, a job in the background of a script) it goes on to ignore.
func onInterrupt(out, log io.Writer) {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		s := <-signals
		pending.Lock()
		for name := range pending.files {
			os.Remove(name)
		}
		var found []byte
		if words, ok := lastWords.Load().(func() []byte); ok {
			found = words()
		}
		told := make(chan bool)
		go func() {
			if len(found) > 0 { // an empty write, too, waits for one that is under way, in a full pipe forever
				out.Write(found)
			}
			io.WriteString(log, "hlolayout: "+s.String()+"\n")
			close(told)
		}()
		select {
		case <-told:
		case <-time.After(50 * time.Millisecond): // it is a pipe that nobody reads
		}
		code := 128
		if n, ok := s.(syscall.Signal); ok {
			code += int(n)
		}
		os.Exit(code)
	}()
}
