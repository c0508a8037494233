package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"unsafe"
)

const hugePage = 2 << 20

// useHugePages has the system serve the next n bytes of the heap in huge pages where it can: the first use of each page
// of 4 KiB costs about a microsecond, a seventh of what assign takes. Go's allocator has no such setting, but it
// reuses addresses: those of a block that is advised and given back are the next that it hands out. The block is a
// Builder's, which is not cleared: that would use it. For less than one page that is not worth the collection (programs
// of 270 KB to 1 MB take 5 to 15 % less time by it).
func useHugePages(n int64) {
	if n < hugePage {
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the block must not start a collection
	var block strings.Builder
	block.Grow(int(n) + 2*hugePage)
	block.WriteByte(0)
	start := unsafe.StringData(block.String())
	skip := -uintptr(unsafe.Pointer(start)) % hugePage
	pages := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(start), skip)), n)
	_ = syscall.Madvise(pages, syscall.MADV_HUGEPAGE) // without huge pages all works as before
	block, start, pages = strings.Builder{}, nil, nil
	runtime.GC()
}
