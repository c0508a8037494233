package diff

import (
	"hash/maphash"

	"hlolayout/hlo"
)

// structure knows the instructions of a module by what they compute: hashes that do not see names, numbers, layouts,
// metadata, and copies.
type structure struct {
	computations map[*hlo.Computation]*hashes
	shapes       map[*hlo.Shape]uint64
	values       map[*hlo.Value]uint64
	ignore       Ignore
	entry        entryIDs
	// loose leaves out sizes, element types, places in tuples and literals: what another batch size or precision
	// changes.
	loose bool
}

// hashes are those of one computation, by instruction index.
type hashes struct {
	// local is of the operation alone: opcode, type, attributes, literal, what it calls.
	local []uint64
	// up adds all that it is computed from, down all that is computed from it.
	up, down []uint64
	whole    uint64
	// params are the hashes of the parameters, by number, where these say how a parameter is used and not its number: a
	// compiler numbers the parameters of a fusion as it likes, and its operands with them. nil elsewhere.
	params []uint64
}

// seed is one for both modules of a comparison. Only whether hashes are equal matters, never their order, so that
// results are the same with any seed.
var seed = maphash.MakeSeed()

func newStructure(m *hlo.Module, ignore Ignore, entry entryIDs, loose bool) *structure {
	s := &structure{computations: make(map[*hlo.Computation]*hashes, len(m.Computations)),
		shapes: map[*hlo.Shape]uint64{}, values: map[*hlo.Value]uint64{}, ignore: ignore, entry: entry, loose: loose}
	for _, c := range m.Computations {
		s.computations[c] = s.hash(c)
	}
	return s
}

func (s *structure) of(in *hlo.Instruction) (local, up, down uint64) {
	h := s.computations[in.Computation]
	return h.local[in.Index], h.up[in.Index], h.down[in.Index]
}

// mix joins hashes; the order matters (splitmix64's finalizer).
func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (s *structure) hash(c *hlo.Computation) *hashes {
	n := len(c.Instructions)
	all := make([]uint64, 3*n)
	h := &hashes{local: all[:n:n], up: all[n : 2*n : 2*n], down: all[2*n:]}
	for i, in := range c.Instructions {
		h.local[i] = s.local(in)
	}
	s.hashDown(c, h)
	if s.unnumbered(c) {
		list := c.Parameters()
		h.params = make([]uint64, len(list))
		for k, in := range list {
			if in != nil {
				h.local[in.Index] = mix(s.shape(in.Shape), h.down[in.Index])
				h.params[k] = h.local[in.Index]
			}
		}
	}
	for i, in := range c.Instructions {
		if o := through(in); o != nil && o.Computation == c {
			h.up[i] = h.up[o.Index]
			continue
		}
		up := h.local[i]
		keys := s.operandKeys(in)
		for k, o := range in.Operands {
			switch {
			case o.Computation != c:
			case keys != nil:
				up += mix(h.up[o.Index], keys[k])
			case commutes(in):
				up += mix(h.up[o.Index], h.local[i])
			default:
				up = mix(up, h.up[o.Index])
			}
		}
		h.up[i] = up
	}
	if c.Root != nil {
		h.whole = h.up[c.Root.Index]
	}
	for _, in := range c.Instructions { // parameters that nothing reads count too
		if in.Opcode == hlo.OpParameter {
			h.whole += mix(h.local[in.Index], 1)
		}
	}
	return h
}

// hashDown fills in what is computed from each instruction.
func (s *structure) hashDown(c *hlo.Computation, h *hashes) {
	for i := len(c.Instructions) - 1; i >= 0; i-- {
		in := c.Instructions[i]
		if in == c.Root {
			h.down[i] += 0x2545f4914f6cdd1d
		}
		if o := through(in); o != nil && o.Computation == c {
			h.down[o.Index] += h.down[i]
			continue
		}
		if in.Opcode == hlo.OpTuple && h.down[i] == 0 {
			continue // its elements went past it
		}
		if in == s.entry.root {
			for k, o := range in.Operands {
				h.down[o.Index] += mix(s.entry.results[k], 0x9e3779b97f4a7c15)
			}
			continue
		}
		keys := s.operandKeys(in)
		for k, o := range in.Operands {
			key := uint64(k)
			switch {
			case o.Computation != c:
				continue
			case keys != nil:
				key = keys[k]
			case commutes(in):
				key = 0
			}
			h.down[o.Index] += mix(mix(h.down[i], h.local[i]), key)
		}
	}
}

// unnumbered reports whether the numbers of a computation's parameters say nothing: in fusions, and in a cut text in
// what is not called there, which are fusions nearly always.
func (s *structure) unnumbered(c *hlo.Computation) bool {
	return c.IsFused() || c.Module != nil && c.Module.Cut != "" && c != c.Module.Entry && len(c.Callers()) == 0
}

// operandKeys returns what each operand of a fusion is to its computation, nil where operands are known by their
// number.
func (s *structure) operandKeys(in *hlo.Instruction) []uint64 {
	if in.Opcode != hlo.OpFusion || len(in.Called()) != 1 {
		return nil
	}
	if h := s.computations[in.Called()[0]]; h != nil && len(h.params) == len(in.Operands) {
		return h.params
	}
	return nil
}

// commutes reports whether an instruction computes the same with its two operands exchanged.
func commutes(in *hlo.Instruction) bool {
	switch in.Opcode {
	case hlo.OpAdd, hlo.OpMultiply, hlo.OpMaximum, hlo.OpMinimum, hlo.OpAnd, hlo.OpOr, hlo.OpXor:
		return len(in.Operands) == 2
	}
	return false
}

// through returns the value that an instruction is, when layouts and buffers are ignored: the operand of a copy, the
// element of a tuple in sight, the tuple that is taken apart and built again. nil for anything else.
func through(in *hlo.Instruction) *hlo.Instruction {
	switch in.Opcode {
	case hlo.OpCopy:
		if in.Shape.Compatible(in.Operands[0].Shape) {
			return in.Operands[0]
		}
	case hlo.OpCopyDone:
		if start := in.Operands[0]; start.Opcode == hlo.OpCopyStart && in.Shape.Compatible(start.Operands[0].Shape) {
			return start.Operands[0]
		}
	case hlo.OpGetTupleElement:
		t := in.Operands[0]
		if k, ok := in.Attr("index").Int(); ok && t.Opcode == hlo.OpTuple && k >= 0 && int(k) < len(t.Operands) {
			return t.Operands[k]
		}
	case hlo.OpTuple:
		var whole *hlo.Instruction
		for i, o := range in.Operands {
			for o.Opcode == hlo.OpCopy {
				o = o.Operands[0]
			}
			k, ok := o.Attr("index").Int()
			if o.Opcode != hlo.OpGetTupleElement || !ok || int(k) != i || whole != nil && whole != o.Operands[0] {
				return nil
			}
			whole = o.Operands[0]
		}
		if whole != nil && len(whole.Shape.Elems) == len(in.Operands) {
			return whole
		}
	}
	return nil
}

// origin follows through to its end, which is noted: of chains, every instruction is asked.
func (m *Matching) origin(in *hlo.Instruction) *hlo.Instruction {
	var way []*hlo.Instruction
	for {
		if end := m.origins[in]; end != nil {
			in = end
			break
		}
		next := through(in)
		if next == nil {
			break
		}
		way = append(way, in)
		in = next
	}
	for _, x := range way {
		m.origins[x] = in
	}
	return in
}

func (s *structure) local(in *hlo.Instruction) uint64 {
	h := mix(uint64(in.Opcode), s.shape(in.Shape))
	if in.OpText() != "" && in.Opcode == hlo.OpUnknown {
		h = mix(h, maphash.String(seed, in.OpText()))
	}
	switch in.Opcode {
	case hlo.OpParameter:
		n, ok := s.entry.parameters[in]
		if !ok {
			n = uint64(in.Parameter)
		}
		h = mix(h, n)
	case hlo.OpConstant:
		if !s.ignore.Constants && !s.loose {
			h = mix(h, textHash(in.Literal()))
		}
	}
	attrs := uint64(0) // the order of attributes does not matter
	for i := range in.Attrs {
		if a := &in.Attrs[i]; !a.Key.Called && !secondary[a.Key.Name] && !(s.loose && sized[a.Key.Name]) {
			attrs += mix(textHash(a.Key.Name), s.value(a.Value))
		}
	}
	h = mix(h, attrs)
	for _, c := range in.Called() {
		if k := s.computations[c]; k != nil {
			h = mix(h, k.whole)
		}
	}
	return h
}

// secondary are the attributes that do not make a value another one: what they say is compared when the pair is found.
var secondary = map[string]bool{
	"metadata": true, "origin": true, "backend_config": true, "frontend_attributes": true, "sharding": true,
	"statistics":           true,
	"control-predecessors": true, "channel_id": true, "operand_layout_constraints": true, "schedule": true,
	"output_to_operand_aliasing": true, "is_composite": true, "cross_program_prefetch_index": true,
	"parameter_replication": true,
}

// sized are the attributes that hold sizes, or places in a tuple.
var sized = map[string]bool{
	"slice": true, "dynamic_slice_sizes": true, "slice_sizes": true, "index": true, "padding": true, "window": true,
	"replica_groups": true, "source_target_pairs": true, "fft_length": true,
}

func (s *structure) shape(shape *hlo.Shape) uint64 {
	h, ok := s.shapes[shape]
	if !ok {
		if s.loose {
			h = uint64(rank(shape) + 2)
		} else {
			h = maphash.Bytes(seed, shape.Append(nil, false))
		}
		s.shapes[shape] = h
	}
	return h
}

func textHash(text string) uint64 { return maphash.String(seed, text) }

func (s *structure) value(v *hlo.Value) uint64 {
	h, ok := s.values[v]
	if !ok {
		h = maphash.String(seed, v.Text)
		s.values[v] = h
	}
	return h
}
