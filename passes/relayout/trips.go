package relayout

import (
	"encoding/json"
	"strconv"

	"hlolayout/hlo"
)

// Run says how often a computation runs.
type Run struct {
	// Times per run of the module; a loop of unknown length counts once.
	Times int64
	// InLoop says that some loop is around it, Exact that the lengths of all of them are known.
	InLoop, Exact bool
}

// Runs returns how often each computation runs that the entry reaches through loops, conditionals and calls. Each
// branch of a conditional counts as if it were taken.
func Runs(m *hlo.Module) map[*hlo.Computation]Run {
	out := map[*hlo.Computation]Run{}
	if m.Entry == nil {
		return out
	}
	out[m.Entry] = Run{Times: 1, Exact: true}
	for i := len(m.Computations) - 1; i >= 0; i-- { // callers follow their callees
		c := m.Computations[i]
		run, ok := out[c]
		if !ok {
			continue
		}
		for _, in := range c.Instructions {
			times := run
			switch in.Opcode {
			case hlo.OpWhile:
				n, known := TripCount(in)
				times.InLoop, times.Exact = true, times.Exact && known
				if known {
					times.Times = multiply(times.Times, n)
				}
			case hlo.OpConditional, hlo.OpCall:
			default:
				continue
			}
			for _, callee := range in.Called() {
				was, again := out[callee]
				sum := times
				if again {
					sum = Run{times.Times + was.Times, times.InLoop || was.InLoop, times.Exact && was.Exact}
				}
				if sum.Times < 0 {
					sum.Times = 1<<63 - 1
				}
				out[callee] = sum
			}
		}
	}
	return out
}

func multiply(a, b int64) int64 {
	if b > 0 && a > (1<<63-1)/b {
		return 1<<63 - 1
	}
	return a * b
}

// TripCount returns how often the body of a while runs: what the compiler noted in backend_config, else what follows
// from its Counter.
func TripCount(while *hlo.Instruction) (n int64, ok bool) {
	if n, ok := notedTrips(while); ok {
		return n, true
	}
	_, n, ok = Counter(while)
	return n, ok
}

// Counter returns which element of a while's state counts, and how often the body runs by its condition
// `counter < constant` with a counter that starts at a constant and grows by a constant.
func Counter(while *hlo.Instruction) (k, n int64, ok bool) {
	condition, body := while.CalledBy("condition"), while.CalledBy("body")
	if condition == nil || body == nil || len(while.Operands) != 1 {
		return 0, 0, false
	}
	test := condition.Root
	if test.Opcode != hlo.OpCompare || len(test.Operands) != 2 {
		return 0, 0, false
	}
	limit, direction := int64(0), ""
	k = -1
	if v := test.Attr("direction"); v != nil {
		direction = v.Text
	}
	swapped := map[string]string{"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE", "NE": "NE"}
	for i, o := range test.Operands {
		other := test.Operands[1-i]
		if c, isConstant := constant(other); isConstant {
			if at, isCarry := carried(o); isCarry {
				k, limit = at, c
				if i == 1 {
					direction = swapped[direction]
				}
			}
		}
	}
	start, known := constant(element(while.Operands[0], k))
	step, steady := increment(element(body.Root, k), k)
	if k < 0 || !known || !steady || step == 0 {
		return 0, 0, false
	}
	n, ok = count(start, limit, step, direction)
	return k, n, ok
}

// notedTrips returns what the compiler noted in backend_config.
func notedTrips(while *hlo.Instruction) (n int64, ok bool) {
	v := while.Attr("backend_config")
	if v == nil {
		return 0, false
	}
	var config struct {
		Known struct {
			N json.RawMessage `json:"n"`
		} `json:"known_trip_count"`
	}
	if json.Unmarshal([]byte(v.Text), &config) != nil || len(config.Known.N) == 0 {
		return 0, false
	}
	text := string(config.Known.N)
	if u, err := strconv.Unquote(text); err == nil {
		text = u
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 0
}

// count solves start + n*step against limit for the least n that ends the loop.
func count(start, limit, step int64, direction string) (int64, bool) {
	const bound = 1 << 40 // keeps the sums below from overflowing
	for _, x := range []int64{start, limit, step} {
		if x > bound || x < -bound {
			return 0, false
		}
	}
	switch direction {
	case "LT", "GT":
	case "LE":
		limit++
	case "GE":
		limit--
	case "NE":
		if (limit-start)%step != 0 {
			return 0, false
		}
	default:
		return 0, false
	}
	distance := limit - start
	if direction == "GT" || direction == "GE" || direction == "NE" && step < 0 {
		distance, step = -distance, -step
	}
	if step <= 0 || direction == "NE" && distance < 0 { // it moves away from the limit
		return 0, false
	}
	return max(0, (distance+step-1)/step), true
}

// carried returns the place of a loop's carry that an instruction of its condition or body reads.
func carried(in *hlo.Instruction) (int64, bool) {
	if in.Opcode != hlo.OpGetTupleElement || in.Operands[0].Opcode != hlo.OpParameter {
		return 0, false
	}
	return in.Attr("index").Int()
}

// element returns part k of a tuple as the instruction that makes it, nil where that is not in sight.
func element(tuple *hlo.Instruction, k int64) *hlo.Instruction {
	if tuple.Opcode != hlo.OpTuple || k < 0 || int(k) >= len(tuple.Operands) {
		return nil
	}
	return tuple.Operands[k]
}

// constant returns the integer that an instruction is, through copies.
func constant(in *hlo.Instruction) (int64, bool) {
	for in != nil && (in.Opcode == hlo.OpCopy || in.Opcode == hlo.OpBitcast || in.Opcode == hlo.OpCopyDone ||
		in.Opcode == hlo.OpCopyStart) {
		in = in.Operands[0]
	}
	if in == nil || in.Opcode != hlo.OpConstant || !in.Shape.IsScalar() {
		return 0, false
	}
	n, err := strconv.ParseInt(in.Literal(), 10, 64)
	return n, err == nil
}

// increment returns the constant that the body adds to part k of its carry.
func increment(in *hlo.Instruction, k int64) (int64, bool) {
	for in != nil && in.Opcode == hlo.OpCopy {
		in = in.Operands[0]
	}
	if in == nil || in.Opcode != hlo.OpAdd {
		return 0, false
	}
	for i, o := range in.Operands {
		for o.Opcode == hlo.OpCopy {
			o = o.Operands[0]
		}
		if at, ok := carried(o); ok && at == k {
			return constant(in.Operands[1-i])
		}
	}
	return 0, false
}
