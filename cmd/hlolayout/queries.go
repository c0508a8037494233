package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

// answerer answers one query: it appends text, or one JSON object and a line end. It is called for several queries at
// once.
type answerer func(dst []byte, query string) ([]byte, error)

// asker runs an answerer on queries and tells what is wrong with them: as JSON in the place of the answer, else on
// standard error.
type asker struct {
	answer answerer
	json   bool // else a blank line stands between two answers
}

// ask answers the queries of a command line; "-" stands for the lines of standard input. One that cannot be answered
// does not keep the others from it; the exit code then is 2.
func (s streams) ask(c *cli.Command, queries []string, answer answerer) error {
	a := asker{answer, c.String("format") == "json"}
	var total answers
	for _, q := range queries {
		var err error
		if q == "-" {
			err = s.askLines(a, &total)
		} else {
			var r answers
			if a.one(&r, q, ""); r.failed {
				if info, err := os.Stat(q); err == nil && info.Mode().IsRegular() {
					return usage(c.Name, "%s is a file: %s - <%[1]s reads the lines of one", q, c.Name)
				}
			}
			err = s.tell(a, &total, r)
		}
		if err != nil {
			return err
		}
	}
	if total.failed {
		return exitCode(exitTrouble)
	}
	return nil
}

// answers are what came of some queries.
type answers struct {
	out, log []byte
	any      bool // whether a text was written to out
	failed   bool
}

// one answers a query; where, if not empty, says where it stands.
func (a *asker) one(r *answers, query, where string) {
	start := len(r.out)
	if !a.json && r.any {
		r.out = append(r.out, '\n')
	}
	out, err := a.safe(r.out, query)
	if err == nil {
		r.out, r.any = out, true
		return
	}
	r.out, r.failed = r.out[:start], true
	if a.json {
		var o object
		o.b = r.out
		o.begin()
		o.str("query", query)
		o.str("error", oneLine(err))
		r.out = o.end()
		return
	}
	r.log = append(append(append(append(r.log, "hlolayout: "...), where...), oneLine(err)...), '\n')
	if list := (hlo.ErrorList)(nil); errors.As(err, &list) && len(list) > 0 {
		r.log = append(r.log, list[0].Snippet()...)
	} else if e := (*snippet)(nil); errors.As(err, &e) {
		r.log = append(r.log, (&hlo.Error{Source: e.text, Col: e.col}).Snippet()...)
	}
}

// safe calls the answerer; a panic in it becomes an error.
func (a *asker) safe(dst []byte, query string) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v%s; this is a bug in hlolayout, please report it with %q", p,
				panicPlace(), query)
		}
	}()
	return a.answer(dst, query)
}

// snippet is an error at a column, from 1 on, of a text.
type snippet struct {
	text string
	col  int
	msg  string
}

func (e *snippet) Error() string { return e.msg }

// oneLine returns an error's first finding, without file and line.
func oneLine(err error) string {
	var list hlo.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return err.Error()
	}
	e := *list[0]
	e.Line = 0
	return fmt.Sprintf("column %d: %s", e.Col, e.Error())
}

// tell writes answers to the standard streams.
func (s streams) tell(a asker, total *answers, r answers) error {
	total.failed = total.failed || r.failed
	s.err.Write(r.log)
	if !a.json && total.any && r.any {
		r.out = append([]byte("\n"), r.out...)
	}
	total.any = total.any || r.any
	if _, err := s.out.Write(r.out); err != nil {
		return fmt.Errorf("standard output: %v", reason(err))
	}
	return nil
}

const (
	chunkSize = 32 << 10
	maxQuery  = 1 << 20 // the longest line, in bytes
)

// chunk is some whole lines of standard input.
type chunk struct {
	text  []byte
	first int // number of its first line, from 1 on
	done  chan answers
	err   error // why standard input ended, if not at its end
}

// askLines answers the lines of standard input, each as soon as it came, in their order, several at a time. Blank lines
// are passed over.
func (s streams) askLines(a asker, total *answers) error {
	workers := runtime.GOMAXPROCS(0)
	work, order := make(chan *chunk, workers), make(chan *chunk, 2*workers)
	stop := make(chan struct{})
	defer close(stop)
	go s.readChunks(work, order, stop)
	for range workers {
		go func() {
			for c := range work {
				c.done <- a.lines(c)
			}
		}()
	}
	for c := range order {
		if c.err != nil {
			return fmt.Errorf("standard input: %v", reason(c.err))
		}
		r := <-c.done
		if err := s.tell(a, total, r); err != nil {
			return err
		}
		outputs.Put(&r.out)
	}
	return nil
}

// outputs keeps the buffers of answers that were written for the next ones.
var outputs = sync.Pool{New: func() any { return new([]byte) }}

// readChunks cuts standard input into chunks and gives them to the workers, and in their order to who writes the
// answers.
func (s streams) readChunks(work, order chan<- *chunk, stop <-chan struct{}) {
	defer close(work)
	defer close(order)
	give := func(c *chunk) bool {
		select {
		case order <- c:
		case <-stop:
			return false
		}
		if c.err != nil {
			return false
		}
		select {
		case work <- c:
			return true
		case <-stop:
			return false
		}
	}
	line := 1
	var rest []byte // of the line that the last read ended in
	for {
		buf := make([]byte, len(rest)+chunkSize)
		copy(buf, rest)
		n, err := s.in.Read(buf[len(rest):])
		text := buf[:len(rest)+n]
		end := bytes.LastIndexByte(text, '\n') + 1
		if err == io.EOF {
			end = len(text)
		}
		if end > 0 {
			c := &chunk{text: text[:end], first: line, done: make(chan answers, 1)}
			line += bytes.Count(c.text, []byte{'\n'})
			if !give(c) {
				return
			}
		}
		rest = text[end:]
		switch {
		case err == io.EOF:
			return
		case err == nil && len(rest) > maxQuery:
			err = fmt.Errorf("line %d is longer than %d bytes", line, maxQuery)
			fallthrough
		case err != nil:
			give(&chunk{err: err})
			return
		}
	}
}

// lines answers the lines of a chunk.
func (a *asker) lines(c *chunk) answers {
	r := answers{out: (*outputs.Get().(*[]byte))[:0]}
	for n := c.first; len(c.text) > 0; n++ {
		line, rest, _ := bytes.Cut(c.text, []byte{'\n'})
		c.text = rest
		if line = bytes.TrimSpace(line); len(line) > 0 {
			where := ""
			if !a.json {
				where = fmt.Sprintf("<stdin>:%d: ", n)
			}
			a.one(&r, string(line), where)
		}
	}
	return r
}

// The flags of the commands that answer queries.
func formatFlag() cli.Flag {
	return oneOfFlag(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` of the output: text, or json: " +
		"one object a line"}, "text", "json")
}

func generationFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "tpu", Value: "v5e", Usage: usage + ": " + strings.Join(tpu.Names(), ", ")}
}

func targetFileFlag() cli.Flag {
	return &cli.StringFlag{Name: "target-file", Usage: "judge for the target in the JSON `FILE` (hlolayout targets " +
		"prints one to start from)"}
}
