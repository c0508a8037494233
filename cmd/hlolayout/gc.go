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
	// memoryPerByte is the limit per byte of text, up to mostMemory: what a parse and the passes take, so that small
	// texts are not collected unless in collectSpent. With 60 MiB a text of 11 MB is collected four times (reduces).
	memoryPerByte = 12.25
	mostMemory    = 100 << 20
	// leanMemory is the limit per byte of a large text: what lives at the end of layout assignment's search (gpt_L350).
	leanMemory = 4.25
	// leastMemory is the limit for no text, in bytes: the program itself takes half of it.
	leastMemory = 20 << 20
	// smallText is a size of texts, in bytes, that do not come near leastMemory.
	smallText = 64 << 10
)

// textAtWork is the size in bytes of all texts that jobs hold.
var textAtWork atomic.Int64

var memoryLimit atomic.Int64

// collectLate raises the limit to that for texts of so many bytes. It is not lowered again: what is in use costs
// nothing more, and setting it stops all work for a moment.
func collectLate(size int64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := leastMemory + int64(max(min(memoryPerByte*float64(size), mostMemory), leanMemory*float64(size)))
	was := memoryLimit.Load()
	for was < limit && !memoryLimit.CompareAndSwap(was, limit) {
		was = memoryLimit.Load()
	}
	if was == 0 {
		debug.SetGCPercent(-1)
		runtime.SetFinalizer(new([16]byte), growLimit)
	}
	if was < limit {
		debug.SetMemoryLimit(memoryLimit.Load())
		if more := limit - was; was > 0 && more >= was-leastMemory { // not for each of many texts
			useHugePages(more)
		}
	}
}

// collectSpent is called where something has become garbage, and collects it if that can be worth its time: where the
// limit is near, which would have it collected some time later, while more lives, and beside a program that goes on to
// allocate. Where it is far, nothing else would (gpt_L57.before: 10 of 60 ms). Where most of what is allocated is
// garbage, half of that is near enough (alphafold3: 54 MB, 44 then).
func collectSpent(most bool) {
	if textAtWork.Load() < smallText || os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	used, live, near := heap[0].Value.Uint64(), heap[1].Value.Uint64(), memoryLimit.Load()/2
	if most {
		near /= 2
	}
	if used > max(live+leastMemory, uint64(near)) {
		runtime.GC()
	}
}

// growLimit runs after each collection. Where more lives than the limit foresaw, it grows to a half more than that and
// what the program itself takes: or the next collection would follow immediately, and the one after that (gpt_L350:
// seven in one run, half of its time).
func growLimit(*[16]byte) {
	runtime.SetFinalizer(new([16]byte), growLimit)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	need := int64(live[0].Value.Uint64())
	if need += need/2 + leastMemory; need > memoryLimit.Load() {
		memoryLimit.Store(need)
		debug.SetMemoryLimit(need)
	}
}
