package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is allocated after the advice is in memory for which huge pages are asked, the flag hg of smaps.
func TestHeapInHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the system has no huge pages")
	}
	advised := func() (bytes int) {
		maps, err := os.ReadFile("/proc/self/smaps")
		require.NoError(t, err)
		size := 0
		for line := range strings.Lines(string(maps)) {
			f := strings.Fields(line)
			switch f[0] {
			case "Size:":
				size, err = strconv.Atoi(f[1])
				require.NoError(t, err)
			case "VmFlags:":
				if slices.Contains(f, "hg") {
					bytes += size << 10
				}
			}
		}
		return bytes
	}
	before := advised()
	useHugePages(16 * hugePage)
	assert.GreaterOrEqual(t, advised()-before, 16*hugePage)

	// Where it was done before, what is advised is still not used.
	resident := func() (bytes int) {
		var pages int
		statm, err := os.ReadFile("/proc/self/statm")
		require.NoError(t, err)
		_, err = fmt.Sscan(string(statm), new(int), &pages)
		require.NoError(t, err)
		return pages * os.Getpagesize()
	}
	before = resident()
	useHugePages(32 * hugePage)
	assert.Less(t, resident()-before, 8*hugePage)
}
