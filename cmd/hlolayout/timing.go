package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime/metrics"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"
)

// timer measures the phases of one file. A nil timer measures nothing.
type timer struct {
	phases []phase
	wall   time.Time
	cpu    time.Duration
	bytes  uint64
}

// phase is what one step took. Bytes counts what was allocated on the heap meanwhile, freed again or not; both Bytes
// and CPU are those of the whole process.
type phase struct {
	Name  string  `json:"name"`
	MS    float64 `json:"ms"`
	CPUMS float64 `json:"cpu_ms"`
	Bytes uint64  `json:"bytes"`
}

// start begins to measure; done ends it and begins the next.
func (t *timer) start() {
	if t != nil {
		t.bytes = allocated() // it takes time itself
		t.wall, t.cpu = time.Now(), cpuTime()
	}
}

func (t *timer) done(name string) {
	if t == nil {
		return
	}
	t.phases = append(t.phases, phase{name, milliseconds(time.Since(t.wall)), milliseconds(cpuTime() - t.cpu),
		allocated() - t.bytes})
	t.start()
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// allocated is how many bytes were allocated so far. Small objects count when the page that they are in is full:
// counting each, as runtime.ReadMemStats does, empties what processors keep for the next ones, and a small text takes
// a tenth longer to parse after it.
func allocated() uint64 {
	bytes := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(bytes)
	return bytes[0].Value.Uint64()
}

// appendJSON appends one line: an object with the file's name, the size of its text in bytes, and the phases.
func (t *timer) appendJSON(dst []byte, file string, size int) []byte {
	line, err := json.Marshal(struct {
		File   string  `json:"file"`
		Bytes  int     `json:"bytes"`
		Phases []phase `json:"phases"`
	}{file, size, t.phases})
	if err != nil {
		panic(err) // strings and finite numbers
	}
	return append(append(dst, line...), '\n')
}

// appendText appends a table for reading.
func (t *timer) appendText(dst []byte, file string, size int) []byte {
	dst = fmt.Appendf(dst, "%s: %d bytes\n", file, size)
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "phase\tms\tcpu ms\tbytes allocated\t")
	for _, p := range t.phases {
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%d\t\n", p.Name, p.MS, p.CPUMS, p.Bytes)
	}
	w.Flush()
	return append(dst, b.Bytes()...)
}

// newTimer returns a timer if --timing requests one, else nil.
func newTimer(c *cli.Command) *timer {
	if c.IsSet("timing") {
		return &timer{}
	}
	return nil
}

// logTiming adds what was measured to the job's log; if there is a rest to write, after that.
func (j *job) logTiming(c *cli.Command) {
	rest := j.rest
	switch {
	case j.timer == nil:
	case rest != nil:
		j.rest = func(w io.Writer) error {
			err := rest(w)
			j.rest = nil
			j.logTiming(c)
			return err
		}
	case c.String("timing") == "json":
		j.log = j.timer.appendJSON(j.log, j.name(), len(j.text))
	default:
		j.log = j.timer.appendText(j.log, j.name(), len(j.text))
	}
}
