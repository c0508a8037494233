package main

import (
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// adviseHuge asks for huge pages under the capacity of memory, as far as nothing has touched it yet. Where the system gives none, all works
// as without.
func adviseHuge(memory []byte) {
	memory = memory[:cap(memory)]
	page := uintptr(os.Getpagesize())
	begin := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) & (page - 1)
	if uintptr(len(memory)) >= begin+page {
		_ = syscall.Madvise(memory[begin:uintptr(len(memory))&^(page-1)], syscall.MADV_HUGEPAGE)
	}
}

// growHeap makes the heap larger by n bytes under huge pages, none of which is touched. They can be used when the next collection has found
// that nobody holds them.
func growHeap(n int) {
	var free strings.Builder // make would clear what was in use before
	free.Grow(n)
	free.WriteByte(0)
	adviseHuge(unsafe.Slice(unsafe.StringData(free.String()), n))
}
