package main

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

const (
	openUnnamed  = 0x400000 | syscall.O_DIRECTORY // O_TMPFILE of open(2)
	fromHere     = ^uintptr(99)                   // AT_FDCWD, -100
	followsLinks = 0x400                          // AT_SYMLINK_FOLLOW
)

// umask is read before anything is written: kernels before 6.0 forget it for files without a name on some file systems.
var umask = func() os.FileMode {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return os.FileMode(mask)
}()

// createUnnamed creates a file in dir that has no name yet, so that nothing of it stays when the program is killed. It
// fails where the file system knows no such files.
func createUnnamed(dir string, perm os.FileMode) (*os.File, error) {
	if _, err := os.Lstat("/proc/self/fd"); err != nil {
		return nil, err // giveName needs it
	}
	f, err := os.OpenFile(dir, os.O_WRONLY|openUnnamed, perm)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(perm &^ umask); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// giveName gives a file of createUnnamed a name that does not exist yet.
func giveName(f *os.File, name string) error {
	from, err := syscall.BytePtrFromString(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return err
	}
	to, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	if _, _, errno := syscall.Syscall6(syscall.SYS_LINKAT, fromHere, uintptr(unsafe.Pointer(from)), fromHere,
		uintptr(unsafe.Pointer(to)), followsLinks, 0); errno != 0 {
		return &os.PathError{Op: "link", Path: name, Err: errno}
	}
	return nil
}
