package parser

import (
	"runtime"
	"sync"
	"sync/atomic"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/parser/internal/build"
	"hlolayout/parser/internal/grammar"
)

// A piece has between leastPiece and mostPiece bytes: enough to be worth the search for what it takes from other
// pieces, and so few that no processor waits long for the last one (BenchmarkParse with -cpu 1,2; a processor reads 100
// KB in a millisecond).
const (
	leastPiece = 1 << 18
	mostPiece  = 1 << 21
)

func (c Config) options() build.Options {
	return build.Options{Strict: c.Strict, Warn: c.Warn, Infer: verify.InferShape, Origin: c.Origin}
}

// parsePieces reads a large module in text[from:to] by several goroutines, no more than GOMAXPROCS. It returns nil
// where the text is too short for that, or holds an error or anything else that takes reading it from the start to the
// end: the result of parse does not depend on the number of processors.
func (c Config) parsePieces(file, text string, from, to int) *hlo.Module {
	workers := runtime.GOMAXPROCS(0)
	if workers < 2 || to-from < 2*leastPiece || c.Strict || c.ruleFor(text[from:to]) != build.ModuleRule {
		return nil
	}
	size := min(max((to-from)/(8*workers), leastPiece), mostPiece)
	return c.parseCut(file, text, from, to, build.Cut(text, from, to, (to-from)/size))
}

// parseCut reads the pieces of text[from:to] between cuts. Each goroutine takes the next piece that nobody reads yet;
// what is read is joined in the order of the text by whoever has read the piece that was waited for.
func (c Config) parseCut(file, text string, from, to int, cuts []int) *hlo.Module {
	if len(cuts) == 0 {
		return nil
	}
	whole := build.NewWhole(file, text, c.options(), from, to, cuts)
	grammar.New(whole.Builder)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(cuts)+1) {
		wait.Go(func() {
			defer func() {
				if recover() != nil { // a bug shows when the text is read as a whole
					whole.Fail()
				}
			}()
			reader := whole.Reader()
			p := grammar.New(reader)
			for i := int(next.Add(1)) - 1; i <= len(cuts) && !whole.Failed(); i = int(next.Add(1)) - 1 {
				rule, piece := whole.Begin(reader, i)
				if !p.ParsePiece(rule, piece) {
					whole.Fail()
					return
				}
				whole.Join(i, reader.Part())
			}
		})
	}
	wait.Wait()
	return whole.Finish()
}
