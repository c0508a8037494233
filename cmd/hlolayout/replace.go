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
)

// pending are the temporary files that are being written. Nothing is added once an interrupt has come: the lock stays taken.
var pending = struct {
	sync.Mutex
	files map[string]bool
}{files: map[string]bool{}}

// replaceFile gives a file new content in one step: the data goes to a temporary file beside it, which takes its place
// when all of it is on the disk. Whatever happens on the way, the old content or the new one is there, whole. What exists keeps its
// permissions; perm, less the umask, is for a new file.
func replaceFile(path string, data []byte, perm os.FileMode) (err error) {
	f, err := createPending(path, perm)
	if err != nil {
		return err
	}
	name := f.Name()
	defer func() {
		pending.Lock()
		defer pending.Unlock()
		if err != nil {
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
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(name, path)
}

// createPending creates a temporary file beside path.
func createPending(path string, perm os.FileMode) (*os.File, error) {
	pending.Lock()
	defer pending.Unlock()
	name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".hlolayout-%016x", rand.Uint64()))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err == nil {
		pending.files[name] = true
	}
	return f, err
}

// onInterrupt ends the program at Ctrl-C or a request to end, at once: temporary files are removed, and the exit code is
// 128 and the signal's number, as a shell has it.
func onInterrupt(log io.Writer) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-signals
		pending.Lock()
		for name := range pending.files {
			os.Remove(name)
		}
		io.WriteString(log, "hlolayout: "+s.String()+"\n")
		code := 128
		if n, ok := s.(syscall.Signal); ok {
			code += int(n)
		}
		os.Exit(code)
	}()
}
