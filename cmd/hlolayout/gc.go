package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// The garbage collector's settings. Most of what a run allocates lives until its end, so that collecting early finds little:
// with Go's default a parse spends a quarter of its time on it. The command therefore collects only when its memory
// reaches a limit that grows with the texts it works on (.ci/speed measures time and peak memory). GOGC and GOMEMLIMIT in
// the environment override this. The library leaves the settings alone.
const (
	// memoryPerByte is the limit per byte of text: 1 for the text, about 3 for its IR, 1.25 for the print.
	memoryPerByte = 5.25
	// leastMemory is the limit for small texts, in bytes: below it nothing is ever collected.
	leastMemory = 64 << 20
)

// textAtWork is the size in bytes of all texts that jobs hold.
var textAtWork atomic.Int64

var memoryLimit atomic.Int64

// collectLate sets the limit for texts of that many bytes.
func collectLate(size int64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if memoryLimit.Swap(leastMemory+int64(memoryPerByte*float64(size))) == 0 {
		debug.SetGCPercent(-1)
		growLimit(nil)
	}
	debug.SetMemoryLimit(memoryLimit.Load())
}

// growLimit runs after each collection. Where more lives than the limit foresaw, it grows to a third more than that, or the
// next collection would follow at once.
func growLimit(*[16]byte) {
	runtime.SetFinalizer(new([16]byte), growLimit)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if need := int64(live[0].Value.Uint64()) / 3 * 4; need > memoryLimit.Load() {
		memoryLimit.Store(need)
		debug.SetMemoryLimit(need)
	}
}
