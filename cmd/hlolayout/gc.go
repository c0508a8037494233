package main

import (
	"os"
	"runtime/debug"
	"sync/atomic"
)

// The garbage collector's settings. Most of what a run allocates lives until its end, so that collecting early finds little:
// with Go's default a parse spends a quarter of its time on it. The command therefore collects only when its memory
// reaches a limit that grows with the text it works on (.ci/speed measures time and peak memory). GOGC and GOMEMLIMIT in
// the environment override this. The library leaves the settings alone.
const (
	// memoryPerByte is the limit per byte of text: IR 2 to 4, text 1, result 1, a pass's working set.
	memoryPerByte = 5
	// leastMemory is the limit for small texts, in bytes: below it nothing is ever collected.
	leastMemory = 64 << 20
)

// textAtWork is the size in bytes of all texts that jobs hold.
var textAtWork atomic.Int64

// collectLate sets the limit for texts of that many bytes.
func collectLate(size int64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(leastMemory + memoryPerByte*size)
}
