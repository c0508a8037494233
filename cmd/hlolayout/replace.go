package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// pending are the names of temporary files that there are, or that there will be in a moment. Nothing is added once an interrupt has come:
// the lock stays taken.
var pending = struct {
	sync.Mutex
	files map[string]bool
}{files: map[string]bool{}}

// replaceFile gives a file new content in one step: the data goes to a temporary file in the same folder, which takes its place
// when all of it is on the disk. Whatever happens on the way, the old content or the new one is there, whole. What exists keeps its
// permissions; perm, less the umask, is for a new file.
//
// Where the file system has files without a name, the temporary file gets one only when it is whole: a program that is killed leaves
// nothing behind. Elsewhere it may leave a file .hlolayout-*, which nobody needs.
func replaceFile(path string, data []byte, perm os.FileMode) (err error) {
	name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".hlolayout-%016x", rand.Uint64()))
	f, err := newUnnamed(filepath.Dir(path), perm)
	unnamed := err == nil
	if !unnamed {
		err = claim(name, func() (err error) {
			f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
			return err
		})
		if err != nil {
			return err
		}
	}
	defer func() {
		pending.Lock()
		defer pending.Unlock()
		if err != nil && pending.files[name] {
			os.Remove(name)
		}
		delete(pending.files, name)
	}()
	if info, statErr := os.Stat(path); statErr == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync() // a name that stands for data that is not there yet would be worse than none after a crash
	}
	if err == nil && unnamed {
		err = claim(name, func() error { return giveName(f, name) })
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(name, path)
}

// newUnnamed is createUnnamed; tests take it away.
var newUnnamed = createUnnamed

// claim calls create, which makes the temporary file of that name.
func claim(name string, create func() error) error {
	pending.Lock()
	defer pending.Unlock()
	err := create()
	if err == nil {
		pending.files[name] = true
	}
	return err
}

// onInterrupt ends the program at Ctrl-C, a request to end, or the end of its terminal, at once: temporary files are removed, and the
// exit code is 128 and the signal's number, as a shell has it. What the program was started to ignore (nohup, a job in the background
// of a script) it goes on to ignore.
func onInterrupt(log io.Writer) {
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
		told := make(chan bool)
		go func() {
			io.WriteString(log, "hlolayout: "+s.String()+"\n")
			close(told)
		}()
		select {
		case <-told:
		case <-time.After(20 * time.Millisecond): // it is a pipe that nobody reads
		}
		code := 128
		if n, ok := s.(syscall.Signal); ok {
			code += int(n)
		}
		os.Exit(code)
	}()
}
