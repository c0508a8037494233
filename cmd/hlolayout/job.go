package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/forms"
	"hlolayout/printer"
)

// job is the work on one input. What it leaves for the standard streams is kept until it is done, so that an input that
// fails writes only its messages.
type job struct {
	input
	*settings
	timer    *timer
	text     string
	packing  packing
	partial  bool                // parts of modules will do
	lines    bool                // instructions without a module will do
	strict   bool                // the text was parsed as XLA parses it
	form     string              // what the text is, one of package forms
	holds    int                 // how many modules the text has
	places   []int               // those of the modules to work on among them
	twins    []int               // how many modules of its name come before each of these in the text
	numbers  map[*hlo.Module]int // the places of those in the text that share their names
	out, log []byte
	foreign  []string                // modules that were left out, for they are another platform's
	alone    bool                    // it is the only one of the run
	rest     func(w io.Writer) error // writes what follows out; nil for nothing
	// differs requests exit code 1, failed exit code 2: part of the work failed, and the log says why.
	differs bool
	failed  bool
	ran     chan error // receives what run returned
}

// each runs f on every input and writes what it leaves in the order of the inputs. An input that fails does not keep
// the others from being worked on. The error is an exitCode, or says why standard output could not be written.
func (s streams) each(inputs []input, f func(*job) error) error { return s.work(1, inputs, f) }

// eachAtOnce is each with an f that may work on several inputs in parallel, one per processor.
func (s streams) eachAtOnce(inputs []input, f func(*job) error) error {
	return s.work(runtime.GOMAXPROCS(0), inputs, f)
}

func (s streams) work(workers int, inputs []input, f func(*job) error) error {
	code := exitSame
	s.bar().start(len(inputs))
	defer s.bar().clear()
	var due []*job
	var foreign []string
	for _, in := range inputs {
		if was, done := in.done.code(in.path); done {
			code = max(code, was)
			continue
		}
		due = append(due, &job{input: in, settings: s.settings, alone: len(inputs) == 1})
	}
	collectLate(0) // reading a text would begin a collection
	through := ahead(workers, due, f)
	defer close(through)
	for i, j := range due {
		in, left := j.input, exitSame
		err := <-j.ran
		size := j.held()
		foreign = append(foreign, j.foreign...)
		if err != nil {
			j.out, j.rest, j.log, left = nil, nil, appendErrors(j.log, err), exitTrouble
		} else if j.failed {
			left = exitTrouble
		} else if j.differs {
			left = exitDiffers
		}
		code = max(code, left)
		s.bar().clear()
		s.err.Write(j.log)
		j.log = j.log[:0]
		if err := j.safe(func(j *job) error { return j.writeOut(s.out) }); err != nil {
			return err
		}
		s.err.Write(j.log)
		s.bar().done()
		if out := j.out; out != nil {
			written.Put(&out)
		}
		due[i] = nil // what it holds is written
		through <- size
		if left == exitTrouble {
			continue
		}
		if err := in.done.add(in.path, left); err != nil {
			return err
		}
	}
	if !s.quiet() && len(foreign) > 0 {
		s.bar().clear()
		fmt.Fprintln(s.err, foreignNote(foreign))
	}
	if code != exitSame {
		return exitCode(code)
	}
	return nil
}

// mostHeld is how much of jobs that are done may wait for its turn to be written, in bytes: jobs take times that differ
// much, and a worker that waits for another's large job does not help (.ci/speed, second core, assign).
const mostHeld = 4 << 20

// ahead lets workers run f on the jobs, in their order, and tell each job's ran. They keep ahead of the caller by twice
// as many jobs as there are workers, and if there are several of them, by as many more as mostHeld allows: the caller
// sends on the channel that is returned what each job held that it is through with, and closes it at the end.
func ahead(workers int, jobs []*job, f func(*job) error) (through chan int64) {
	next := make(chan *job)
	through = make(chan int64, len(jobs)+1)
	for _, j := range jobs {
		j.ran = make(chan error, 1)
	}
	var held atomic.Int64 // by jobs that are done, as long as no more is known
	for range min(workers, len(jobs)) {
		go func() {
			deepen(-1)
			for j := range next {
				err := j.run(f)
				j.release()
				held.Add(j.held())
				j.ran <- err
			}
		}()
	}
	go func(jobs []*job) {
		defer close(next)
		for i, open := 0, 0; i < len(jobs); i, open = i+1, open+1 {
			for open >= 2*workers-1 && (workers == 1 || held.Load() >= mostHeld) {
				size, more := <-through
				if !more {
					return
				}
				open--
				held.Add(-size)
			}
			j := jobs[i]
			jobs[i] = nil // the worker and the caller hold it as long as they need it
			next <- j
		}
	}(slices.Clone(jobs))
	return through
}

// held is about what the job takes until it is written, in bytes.
func (j *job) held() int64 { return int64(len(j.text)+len(j.out)+len(j.log)) + 1<<12 }

// run calls f; a panic in it becomes an error that names the place.
func (j *job) run(f func(*job) error) (err error) {
	return j.safe(f)
}

// writeOut writes what the job leaves for standard output.
func (j *job) writeOut(w io.Writer) error {
	_, err := w.Write(j.out)
	if err == nil && j.rest != nil {
		err = j.rest(w)
	}
	if err != nil {
		return fmt.Errorf("standard output: %v", reason(err))
	}
	return nil
}

// release says that the job needs its text no more.
func (j *job) release() { textAtWork.Add(-int64(len(j.text))) }

// safe is run for a part of the work.
func (j *job) safe(f func(*job) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = j.bug("internal error: %v%s", p, panicPlace())
		}
	}()
	return f(j)
}

// bug is errorf for errors that the input did not cause.
func (j *job) bug(format string, args ...any) error {
	return j.errorf(format+"; this is a bug in hlolayout, please report it with the file", args...)
}

// panicPlace returns " (file.go:12)" for the place that panicked; it is called by the function that recovers.
func panicPlace() string {
	callers := make([]uintptr, 16)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf(" (%s:%d)", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		}
	}
	return ""
}

// appendErrors appends each error in err: a line, and below it the line of the text with a caret.
func appendErrors(dst []byte, err error) []byte {
	var list hlo.ErrorList
	var one *hlo.Error
	if errors.As(err, &one) {
		list = hlo.ErrorList{one}
	} else if !errors.As(err, &list) {
		return append(append(dst, visibleLines(err.Error())...), '\n')
	}
	for _, e := range list {
		dst = append(append(dst, hlo.Visible(e.Error())...), '\n')
		dst = append(dst, e.Snippet()...)
	}
	return dst
}

// visibleLines is hlo.Visible for a text whose ends of lines stay.
func visibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = hlo.Visible(l)
	}
	return strings.Join(lines, "\n")
}

// readAll reads and parses the input's modules; warnings go to the log.
func (j *job) readAll(strict bool) (ms []*hlo.Module, err error) {
	if err := j.load(); err != nil {
		return nil, err
	}
	return j.modules(strict)
}

// load reads the input's text.
func (j *job) load() (err error) {
	j.timer.start()
	j.text, j.packing, err = j.readPacked()
	j.timer.done("read")
	if err == nil && j.packing != plain {
		j.text, err = j.unpack(j.text, j.packing)
		j.timer.done("unpack")
	}
	if err == nil {
		collectLate(textAtWork.Add(int64(len(j.text))))
	}
	return err
}

// modules parses the text that was loaded.
func (j *job) modules(strict bool) ([]*hlo.Module, error) {
	ms, err := j.parse(strict)
	j.timer.done("parse")
	if j.verbose() && err == nil {
		n := 0
		for _, m := range ms {
			for _, c := range m.Computations {
				n += len(c.Instructions)
			}
		}
		j.log = fmt.Appendf(j.log, "%s: %d bytes, %s, %s\n", hlo.Visible(j.name()), len(j.text),
			plural(len(ms), "module", "modules"), plural(n, "instruction", "instructions"))
	}
	return ms, err
}

// note reports what is not an error, unless the command is to be quiet.
func (j *job) note(format string, args ...any) {
	if !j.quiet() {
		j.log = fmt.Appendf(j.log, format+"\n", args...)
	}
}

// parse parses the text that was read.
func (j *job) parse(strict bool) ([]*hlo.Module, error) {
	var warnings []byte
	j.strict = strict
	config := parser.Config{Strict: strict, Partial: j.partial, Warn: func(w *hlo.Error) {
		warnings = appendErrors(warnings, w)
	}}
	in, err := forms.Parse(config, j.name(), j.text)
	switch {
	case err == nil || !forms.HasLines(j.text):
	case !j.lines:
		if !forms.IsOOM(j.text) {
			j.note("%s: note: these are instructions without their module: summary, stats and decode take them",
				j.name())
		}
	default:
		before := warnings
		warnings = nil
		if alone, other := forms.ParseLines(config, j.name(), j.text); other == nil {
			in, err = alone, nil
		} else {
			warnings = before
		}
	}
	if !j.quiet() {
		j.log = append(j.log, warnings...)
	}
	if err != nil {
		return nil, err
	}
	j.form = in.Form
	if j.form != forms.Plain && j.form != forms.Proto {
		left := ""
		if in.Left > 0 {
			left = ", " + plural(in.Left, "other line", "other lines") + " left out"
		}
		j.note("%s: note: %s: %s%s", j.name(), in.Form, plural(len(in.Modules), "module", "modules"), left)
	}
	ms, err := j.choose(in.Modules)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		if m.Cut != "" && j.form != forms.Lines {
			j.note("%s: warning: module %s is cut: %s; the results are partial", j.name(), hlo.Visible(m.Name),
				hlo.Visible(m.Cut))
		}
	}
	return ms, nil
}

// choose returns the modules that --module names: by name, or by the place among the text's.
func (j *job) choose(all []*hlo.Module) (ms []*hlo.Module, err error) {
	j.holds, j.places, j.twins, j.numbers = len(all), nil, nil, map[*hlo.Module]int{}
	seen := map[string]int{}
	place, other := strconv.Atoi(j.wanted)
	for i, m := range all {
		if j.wanted == "" || j.wanted == m.Name || other == nil && i == place {
			ms, j.places, j.twins = append(ms, m), append(j.places, i), append(j.twins, seen[m.Name])
		}
		seen[m.Name]++
	}
	for i, m := range all {
		if seen[m.Name] > 1 {
			j.numbers[m] = i
		}
	}
	if len(ms) == 0 && len(all) > 0 {
		return nil, j.errorf("no module %s: the file holds %s", j.wanted, listed(all, nil))
	}
	return ms, nil
}

// listed lists modules by name, with their places in the text.
func listed(ms []*hlo.Module, places []int) string {
	var names []string
	for i, m := range ms {
		if places != nil {
			i = places[i]
		}
		names = append(names, fmt.Sprintf("%d %s", i, m.Name))
	}
	return several(names, 40)
}

// label names a module in messages: by its text, and where that has several, by its own name, and its place where
// others have that name, too.
func (j *job) label(m *hlo.Module) string {
	if j.holds < 2 {
		return j.name()
	}
	return j.name() + ", module " + hlo.Visible(j.called(m))
}

// called returns a module's name, after its place in the text where other modules have that name, too.
func (j *job) called(m *hlo.Module) string {
	if n, twice := j.numbers[m]; twice {
		return fmt.Sprintf("%d %s", n, m.Name)
	}
	return m.Name
}

// again parses the text once more, in the same way and without a word: passes rewrite the modules that they are given.
// The job is the one to run passes in.
func (j *job) again() (*job, []*hlo.Module, error) {
	other := &job{input: j.input, settings: &settings{q: true}, text: j.text, partial: j.partial, lines: j.lines}
	ms, err := other.parse(j.strict)
	return other, ms, err
}

// read is readAll for commands that take one module a file.
func (j *job) read(strict bool) (*hlo.Module, error) {
	ms, err := j.readAll(strict)
	if err != nil {
		return nil, err
	}
	return j.onlyOf(ms)
}

// onlyOf returns the module of a text, or says which there are.
func (j *job) onlyOf(ms []*hlo.Module) (*hlo.Module, error) {
	switch {
	case len(ms) == 1:
		return ms[0], nil
	case j.choosable:
		return nil, j.errorf("the file holds %d modules, choose one with --module NUMBER: %s", j.holds,
			listed(ms, j.places))
	}
	return nil, j.errorf("the file holds %d modules, this command takes one; hlolayout fmt --module NUMBER writes "+
		"it: %s", j.holds, listed(ms, j.places))
}

// divider stands between the modules of a text, as hlo-opt divides its input.
const divider = "// -----\n\n"

// print returns the modules as text.
func (j *job) print(ms []*hlo.Module, config printer.Config) []byte {
	j.timer.start()
	data := room(len(j.text) + len(j.text)/4) // layouts make a text a little longer
	for i, m := range ms {
		if i > 0 {
			data = append(data, divider...)
		}
		data = config.Append(data, m)
	}
	j.timer.done("print")
	return data
}

// print prints the modules to where results go, piece by piece where nothing else is done with the text, so that a
// large one is not held. To standard output they go only when the job is done: nothing but a failing output can come
// between. Several inputs are printed each as a whole, for their modules would be held until it is their turn.
func (o output) print(j *job, ms []*hlo.Module, config printer.Config) error {
	if o.inPlace || !j.alone || isProtoName(o.path) {
		return o.write(j, j.print(ms, config))
	}
	text := func(w io.Writer) error {
		j.timer.start()
		defer j.timer.done("print")
		for i, m := range ms {
			if i > 0 {
				if _, err := io.WriteString(w, divider); err != nil {
					return err
				}
			}
			if err := config.Write(w, m); err != nil {
				return err
			}
		}
		return nil
	}
	if o.path != "-" {
		return writeTo(o.path, packingOf(o.path), text)
	}
	j.rest = text
	return nil
}

// written are buffers that were printed into and are written: the next print that fits takes one. Memory that is used
// for the first time costs more than printing into it (nv_maxtext in .ci/speed).
var written sync.Pool

// room returns an empty buffer for n bytes.
func room(n int) []byte {
	if old, ok := written.Get().(*[]byte); ok && cap(*old) >= n {
		return (*old)[:0]
	}
	return make([]byte, 0, n)
}
