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
// heap reaches a goal that grows with the texts it works on (.ci/speed measures time and peak memory). But not too
// late: memory that was never used before costs the system's clearing of it, 0.6 ns a byte, a third of parsing many
// small texts, and they leave little alive that would have to be marked. The goal is set as a percentage of what lives,
// not as a limit of memory: near that, Go gives memory back and takes it again (40,000 conditionals: a seventh of the
// time). GOGC and GOMEMLIMIT in the environment override this. The library leaves the settings alone.
const (
	// memoryPerByte is the goal per byte of text, up to mostMemory: what a parse and the passes take, so that small
	// texts are not collected unless in collectSpent. With 60 MiB a text of 11 MB is collected four times (reduces).
	memoryPerByte = 13.5
	mostMemory    = 100 << 20
	// leanMemory is the goal per byte of a large text: what lives at the end of layout assignment's search (gpt_L350).
	leanMemory = 3.75
	// leastHeap is the goal for no text, in bytes: as much as the program takes in other memory.
	leastHeap = 9 << 20
	// smallText is a size of texts, in bytes, that do not come near leastHeap.
	smallText = 64 << 10
)

// textAtWork is the size in bytes of all texts that jobs hold.
var textAtWork atomic.Int64

var heapGoal atomic.Int64

// collectLate raises the goal to that for texts of so many bytes. It is not lowered again: what is in use costs
// nothing more, and setting it stops all work for a moment.
func collectLate(size int64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	goal := leastHeap + int64(max(min(memoryPerByte*float64(size), mostMemory), leanMemory*float64(size)))
	was := heapGoal.Load()
	for was < goal && !heapGoal.CompareAndSwap(was, goal) {
		was = heapGoal.Load()
	}
	first := was == 0
	if was < goal {
		was = max(was, leastHeap)
		if more := goal - was; more >= was-leastHeap { // not for each of many texts
			useHugePages(hugeGoals * more)
		}
		collectAt(heapGoal.Load(), 0)
	}
	if first { // after the collection of useHugePages
		runtime.SetFinalizer(new([16]byte), growGoal)
	}
}

// hugeGoals is how many times the goal is asked for in huge pages: what is not used costs nothing, and heaps grow.
const hugeGoals = 3

// leastMarked is what the collector takes to live where less does.
const leastMarked = 4 << 20

// collectAt has the next collection begin before the heap exceeds a goal, when so many bytes live.
func collectAt(goal, live int64) {
	debug.SetGCPercent(int(100 * (goal - live) / max(live, leastMarked)))
}

// collectSpent is called where something has become garbage, and collects it if that can be worth its time: where the
// limit is near, which would have it collected some time later, while more lives, and next to a program that goes on to
// allocate. Where it is far, nothing else would (gpt_L57.before: 10 of 60 ms). Where most of what is allocated is
// garbage, half of that is near enough (alphafold3: 54 MB, 44 then).
func collectSpent(most bool) {
	if textAtWork.Load() < smallText || os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	used, live, near := heap[0].Value.Uint64(), heap[1].Value.Uint64(), heapGoal.Load()/2
	if most {
		near /= 2
	}
	if used > max(live+leastHeap*2, uint64(near)) {
		runtime.GC()
		keepGoal()
	}
}

// growGoal runs after each collection. The goal is at least twice what lives, Go's default: or the next collection
// would follow immediately, and the one after that (gpt_L350: seven in one run, half of its time). Where more lives
// than it foresaw (40,000 loops), it grows to three times that: a collection less, and no more memory used.
func growGoal(*[16]byte) {
	runtime.SetFinalizer(new([16]byte), growGoal)
	keepGoal()
}

// keepGoal sets the goal anew for what lives after a collection.
func keepGoal() {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	live := int64(sample[0].Value.Uint64())
	goal := heapGoal.Load()
	if live > goal {
		goal = 3 * live
	}
	heapGoal.Store(max(goal, 2*live))
	collectAt(heapGoal.Load(), live)
}
