package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// The garbage collector's settings. Most of what a run allocates lives until its end, so that collecting early finds
// little: with Go's default a parse spends a quarter of its time on it. The command therefore collects only when its
// memory reaches a limit that grows with the texts it works on (.ci/speed measures time and peak memory). But not too
// late: memory that was never used before costs the system's clearing of it, 0.6 ns a byte, a third of parsing many
// small texts, and they leave little alive that would have to be marked. GOGC and GOMEMLIMIT in the environment
// override this. The library leaves the settings alone.
const (
	// memoryPerByte is the limit per byte of text: 1 for the text, about 3 for its IR, 1.25 for the print.
	memoryPerByte = 5.25
	// passMemory is what the passes may take per byte of a text besides, as long as it is no more than mostPassMemory.
	// With 10 mixtral takes an eighth more memory, with 4 a sixth less, and two or three collections in place of one.
	passMemory     = 7
	mostPassMemory = 40 << 20
	// leastMemory is the limit for small texts, in bytes: the program itself takes half of it.
	leastMemory = 20 << 20
	// largeText is the size in bytes from which the passes are to be sparing, leanMemory their limit per byte of it:
	// what lives while they work is 3.6 to 4 bytes (gpt_L350; 4.5 take one or two more collections, about 80 ms each,
	// and 4 MB less).
	largeText  = 16 << 20
	leanMemory = 4.7
)

// textAtWork is the size in bytes of all texts that jobs hold.
var textAtWork atomic.Int64

var memoryLimit atomic.Int64

// lean says that the limit was lowered by collectEarly.
var lean atomic.Bool

// collectLate raises the limit to that for texts of so many bytes. It is not lowered again: what is in use costs
// nothing more, and setting it stops all work for a moment.
func collectLate(size int64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := leastMemory + int64(memoryPerByte*float64(size)) + min(passMemory*size, mostPassMemory)
	was := memoryLimit.Load()
	for was < limit && !memoryLimit.CompareAndSwap(was, limit) {
		was = memoryLimit.Load()
	}
	if was == 0 {
		debug.SetGCPercent(-1)
		growLimit(nil)
	}
	if was < limit {
		debug.SetMemoryLimit(memoryLimit.Load())
		useHugePages(limit - was)
	}
}

// collectEarly is called for a text that is alone, between parser and passes. Where it is large, the limit is lowered:
// the passes leave half of what they take, and what the parser left goes with the first collection.
func collectEarly(size int64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" || size < largeText {
		return
	}
	lean.Store(true)
	memoryLimit.Store(leastMemory + int64(leanMemory*float64(size)))
	debug.SetMemoryLimit(memoryLimit.Load())
}

// growLimit runs after each collection. Where more lives than the limit foresaw, it grows to a half more than that,
// the first time after collectEarly to a quarter more, and what the program itself takes: or the next collection would
// follow immediately, and the one after that (gpt_L350: seven in one run, half of its time).
func growLimit(*[16]byte) {
	runtime.SetFinalizer(new([16]byte), growLimit)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	need := int64(live[0].Value.Uint64())
	if lean.Load() {
		need += need/4 + leastMemory
	} else {
		need += need/2 + leastMemory
	}
	if need > memoryLimit.Load() {
		memoryLimit.Store(need)
		lean.Store(false) // a module that lives on ten bytes per byte of text would be collected all the time
		debug.SetMemoryLimit(need)
	}
}
