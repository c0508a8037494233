package parser

import (
	"runtime"
	"sync"

	"hlolayout/hlo"
	"hlolayout/hlo/verify"
	"hlolayout/parser/internal/build"
	"hlolayout/parser/internal/grammar"
)

// pieceBytes is the least length of a piece that is worth a goroutine and tables of its own (BenchmarkParse with -cpu 1,2).
const pieceBytes = 1 << 19

func (c Config) options() build.Options {
	return build.Options{Strict: c.Strict, Warn: c.Warn, Infer: verify.InferShape}
}

// parsePieces reads a large module in text[from:to] by several goroutines, no more than GOMAXPROCS. It returns nil where the
// text is too short for that, or holds an error or anything else that takes reading it from the begin to the end: the
// result of parse does not depend on the number of processors.
func (c Config) parsePieces(file, text string, from, to int) *hlo.Module {
	n := min(runtime.GOMAXPROCS(0), (to-from)/pieceBytes)
	if n < 2 || c.Strict || ruleFor(text[from:to]) != build.ModuleRule {
		return nil
	}
	return c.parseCut(file, text, from, to, build.Cut(text, from, to, n))
}

func (c Config) parseCut(file, text string, from, to int, cuts []int) *hlo.Module {
	if len(cuts) == 0 {
		return nil
	}
	builders := build.Pieces(file, text, c.options(), from, to, cuts)
	read := make([]bool, len(builders))
	var wait sync.WaitGroup
	for i, b := range builders {
		rule, piece := build.FurtherRule, build.Text{Off: uint32(from), End: uint32(to)}
		if i == 0 {
			rule = build.FirstRule
		} else {
			piece.Off = uint32(cuts[i-1])
		}
		if i < len(cuts) {
			piece.End = uint32(cuts[i])
		}
		wait.Go(func() {
			defer func() { _ = recover() }() // a bug shows when the text is read as a whole
			read[i] = grammar.New(b).ParsePiece(rule, piece)
		})
	}
	wait.Wait()
	for i, b := range builders {
		if !read[i] || i > 0 && !builders[0].Join(b) {
			return nil
		}
	}
	return builders[0].FinishPieces()
}
