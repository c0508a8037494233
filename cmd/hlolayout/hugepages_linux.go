package main

import (
	"os"
	"runtime"
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

// growHeap makes the heap larger by n bytes at once, in huge pages: the system hands out memory in pages of 4 KB, 2.5 us each, which is a
// quarter of parsing a large text, and threads that ask at the same time wait for each other (.ci/speed, second core: parse of
// gpt_L350 1.6 times as fast with it, 1.3 without). Many Linux systems give huge pages to whom asks for them only, and Go does not ask.
// A collection, in the background, makes them free for use. The limit must be above that, or it would come while they are in use.
func growHeap(n int64) {
	var free strings.Builder // make would clear what was in use before
	free.Grow(int(n))
	free.WriteByte(0)
	adviseHuge(unsafe.Slice(unsafe.StringData(free.String()), n))
	go runtime.GC()
}
