package main

import (
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// advised returns how many bytes of the process's memory are advised to lie in huge pages: mappings with the flag hg in
// /proc/self/smaps (proc(5)).
func advised(t *testing.T) (n int) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this kernel has no transparent huge pages")
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^Size: +(\d+) kB$(?:\n.*)*?\nVmFlags:(.*)$`).FindAllStringSubmatch(string(maps), -1) {
		if regexp.MustCompile(`\bhg\b`).MatchString(m[2]) {
			size, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			n += size << 10
		}
	}
	return n
}

// What growHeap leaves is advised, and is what the next allocations take.
func TestGrowHeap(t *testing.T) {
	const n = 64 << 20
	growHeap(n)
	runtime.GC()
	require.GreaterOrEqual(t, advised(t), n-1<<20)
	was := mapped(t)
	var blocks [][]byte
	for range n / 2 >> 16 {
		blocks = append(blocks, make([]byte, 1<<16))
	}
	require.InDelta(t, was, mapped(t), 8<<20, "%d blocks of 64 KB are not in what was reserved", len(blocks))
}

// mapped returns the size in bytes of the process's writable memory.
func mapped(t *testing.T) (n int) {
	maps, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^[0-9a-f]+-[0-9a-f]+ rw.*\nSize: +(\d+) kB$`).FindAllStringSubmatch(string(maps), -1) {
		size, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		n += size << 10
	}
	return n
}
