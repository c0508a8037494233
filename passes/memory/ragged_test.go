package memory

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// ragged writes a scheduled program of seeded, random instructions on arrays of many sizes, types and ranks, 2 KiB to
// 32 MiB: what crowded, whose arrays are alike, cannot tell apart. Its tuples nest, its loops carry what they do not
// change, its conditionals have up to three branches, its fusions nest, slice, update and scatter.
type ragged struct {
	*rand.Rand
	shapes []string
	rows   []int
	comps  strings.Builder
	n      int
}

// datum is a value and the index of its shape.
type datum struct {
	name string
	kind int
}

// block is a computation as it is written: its lines, and what they may read.
type block struct {
	strings.Builder
	live  []datum
	depth int
}

func (r *ragged) name(base string) string {
	r.n++
	return fmt.Sprintf("%s.%d", base, r.n)
}

// add writes an instruction of a shape and returns its name.
func (r *ragged) add(b *block, base, shape, format string, args ...any) string {
	name := r.name(base)
	fmt.Fprintf(b, "  %%%s = %s %s\n", name, shape, fmt.Sprintf(format, args...))
	return name
}

// keep adds a value to what later lines read.
func (b *block) keep(name string, kind int) { b.live = append(b.live, datum{name, kind}) }

// some returns a value of a kind that b has, an old one as likely as a new one. It makes one where there is none.
func (r *ragged) some(b *block, kind int) string {
	for _, i := range r.Perm(len(b.live)) {
		if d := b.live[i]; d.kind == kind {
			return d.name
		}
	}
	zero := r.add(b, "zero", "f32[]{:T(128)}", "constant(0)")
	name := r.add(b, "fill", r.shapes[kind], "broadcast(%%%s), dimensions={}", zero)
	b.keep(name, kind)
	return name
}

// fused writes the body of a fusion of some operands and returns it.
func (r *ragged) fused(params []int, write func(b *block, p []string) string) string {
	b, body := &block{}, r.name("fused")
	var p []string
	for i, kind := range params {
		p = append(p, r.add(b, "p", r.shapes[kind], "parameter(%d)", i))
	}
	root := write(b, p)
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "  %"+root+" = ") {
			lines[i] = "  ROOT " + strings.TrimSpace(l)
		}
	}
	fmt.Fprintf(&r.comps, "%%%s {\n%s\n}\n\n", body, strings.Join(lines, "\n"))
	return body
}

// own returns a copy, which nothing else reads: what shares a place with another value must not be needed with it.
func (r *ragged) own(b *block, kind int) string {
	return r.add(b, "own", r.shapes[kind], "copy(%%%s)", r.some(b, kind))
}

func (r *ragged) kind() string { return []string{"kLoop", "kInput", "kOutput", "kCustom"}[r.IntN(4)] }

// line writes one thing to do, of what costs and places differently.
func (r *ragged) line(b *block) {
	k, to := r.IntN(len(r.shapes)), r.IntN(len(r.shapes))
	shape, x, y := r.shapes[k], r.some(b, k), r.some(b, k)
	plain := func(format string, args ...any) { b.keep(r.add(b, "v", shape, format, args...), k) }
	zeros := func(n int) (out string) {
		for range n {
			out += ", %" + r.add(b, "at", "s32[]{:T(128)}", "constant(%d)", r.IntN(2))
		}
		return out
	}
	rank := 1 + strings.Count(shape[:strings.Index(shape, "]")], ",")
	switch r.IntN(17) {
	case 0, 1:
		plain("%s(%%%s, %%%s)", []string{"add", "multiply", "maximum", "divide"}[r.IntN(4)], x, y)
	case 2:
		plain("%s(%%%s)", []string{"negate", "sine", "exponential", "copy", "bitcast"}[r.IntN(5)], x)
	case 3: // of another shape altogether
		body := r.fused([]int{k}, func(b *block, p []string) string {
			one := r.add(b, "one", shape, "negate(%%%s)", p[0])
			cut := r.add(b, "cut", "f32[1024]{0:T(1024)}", "custom-call(%%%s), custom_call_target=\"cut\"", one)
			return r.add(b, "made", r.shapes[to], "custom-call(%%%s), custom_call_target=\"make\"", cut)
		})
		b.keep(r.add(b, "f", r.shapes[to], "fusion(%%%s), kind=%s, calls=%%%s", x, r.kind(), body), to)
	case 4: // an update in place, of a fusion's first operand
		z := r.some(b, to)
		body := r.fused([]int{k, k, to}, func(b *block, p []string) string {
			inner := r.fused([]int{to, k}, func(b *block, p []string) string {
				u := r.add(b, "u", shape, "custom-call(%%%s), custom_call_target=\"to\"", p[0])
				return r.add(b, "w", shape, "add(%%%s, %%%s)", p[1], u)
			})
			some := r.add(b, "some", shape, "fusion(%%%s, %%%s), kind=kLoop, calls=%%%s", p[2], p[1], inner)
			var at string
			for range rank {
				at += ", %" + r.add(b, "at", "s32[]{:T(128)}", "constant(0)")
			}
			return r.add(b, "u", shape, "dynamic-update-slice(%%%s, %%%s%s)", p[0], some, at)
		})
		plain("fusion(%%%s, %%%s, %%%s), kind=kLoop, calls=%%%s", r.own(b, k), y, z, body)
	case 5: // two results of different sizes
		z := r.some(b, to)
		pair := fmt.Sprintf("(%s, %s)", shape, r.shapes[to])
		body := r.fused([]int{k, to, k}, func(b *block, p []string) string {
			one := r.add(b, "one", shape, "add(%%%s, %%%s)", p[0], p[2])
			two := r.add(b, "two", r.shapes[to], "negate(%%%s)", p[1])
			return r.add(b, "both", pair, "tuple(%%%s, %%%s)", one, two)
		})
		f := r.add(b, "f", pair, "fusion(%%%s, %%%s, %%%s), kind=%s, calls=%%%s", x, z, y, r.kind(), body)
		plain("get-tuple-element(%%%s), index=0", f)
		b.keep(r.add(b, "v", r.shapes[to], "get-tuple-element(%%%s), index=1", f), to)
	case 6:
		plain("dynamic-update-slice(%%%s, %%%s%s)", r.own(b, k), y, zeros(rank))
	case 7: // rows of a table, and sums into them
		c := r.some(b, 1)
		at := fmt.Sprintf("s32[%d,1]{0,1:T(1,128)}", r.rows[1])
		rows := r.add(b, "rows", at, "iota(), iota_dimension=0")
		if r.IntN(2) == 0 {
			b.keep(r.add(b, "g", r.shapes[1], "gather(%%%s, %%%s), offset_dims={1}, collapsed_slice_dims={0}, "+
				"start_index_map={0}, index_vector_dim=1, slice_sizes={1,1024}", r.some(b, 0), rows), 1)
			return
		}
		body := r.name("fused")
		fmt.Fprintf(&r.comps, "%%%s {\n  %%x.%s = %s parameter(0)\n  %%i.%s = %s parameter(1)\n  %%u.%s = %s "+
			"parameter(2)\n  ROOT %%s.%s = %s scatter(%%x.%s, %%i.%s, %%u.%s), update_window_dims={1}, "+
			"inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%%sum\n}\n\n",
			body, body, r.shapes[0], body, at, body, r.shapes[1], body, r.shapes[0], body, body, body)
		b.keep(r.add(b, "s", r.shapes[0], "fusion(%%%s, %%%s, %%%s), kind=kCustom, calls=%%%s", r.own(b, 0), rows, c,
			body), 0)
	case 8: // a product
		kind := r.IntN(2)
		plain("negate(%%%s)", x)
		b.keep(r.add(b, "d", r.shapes[kind], "convolution(%%%s, %%%s), dim_labels=bf_io->bf", r.some(b, kind),
			r.some(b, 3)), kind)
	case 9: // meanwhile
		pair := fmt.Sprintf("(%s, %s, u32[], u32[])", shape, shape)
		start := r.add(b, "start", pair, "collective-permute-start(%%%s), channel_id=%d, source_target_pairs={{0,1}}", x, r.n)
		for range r.IntN(4) {
			r.line(b)
		}
		plain("collective-permute-done(%%%s)", start)
	case 10: // a call in another thread
		called := r.fused([]int{k, to}, func(b *block, p []string) string {
			return r.add(b, "c", shape, "custom-call(%%%s, %%%s), custom_call_target=\"work\"", p[0], p[1])
		})
		all := fmt.Sprintf("((%s, %s), %s, s32[])", shape, r.shapes[to], shape)
		start := r.add(b, "begin", all, "async-start(%%%s, %%%s), calls=%%%s", x, r.some(b, to), called)
		for range r.IntN(3) {
			r.line(b)
		}
		plain("async-done(%%%s), calls=%%%s", start, called)
	case 11, 12:
		if b.depth < 2 {
			r.loop(b)
		}
	case 13, 14:
		if b.depth < 2 {
			r.branches(b)
		}
	case 15: // through tuples
		pair := fmt.Sprintf("(%s, (%s, %s))", shape, r.shapes[to], shape)
		in := fmt.Sprintf("(%s, %s)", r.shapes[to], shape)
		inner := r.add(b, "inner", in, "tuple(%%%s, %%%s)", r.some(b, to), y)
		t := r.add(b, "t", pair, "tuple(%%%s, %%%s)", x, inner)
		if r.IntN(2) == 0 {
			t = r.add(b, "held", pair, "opt-barrier(%%%s)", t)
		}
		e := r.add(b, "e", in, "get-tuple-element(%%%s), index=1", t)
		plain("get-tuple-element(%%%s), index=1", e)
		b.keep(r.add(b, "v", r.shapes[to], "get-tuple-element(%%%s), index=0", e), to)
	default: // a copy that waits, and several arrays sorted together
		if r.IntN(2) == 0 || rank > 2 {
			after := b.live[len(b.live)-1].name
			plain("copy(%%%s), control-predecessors={%%%s}", x, after)
			return
		}
		pair := fmt.Sprintf("(%s, %s)", shape, shape)
		s := r.add(b, "sorted", pair, "sort(%%%s, %%%s), dimensions={0}, to_apply=%%less", x, y)
		plain("get-tuple-element(%%%s), index=%d", s, r.IntN(2))
	}
}

// lines writes n things to do; at most most values stay readable.
func (r *ragged) lines(b *block, n int) {
	const most = 16
	for range n {
		r.line(b)
		if len(b.live) > most {
			i := r.IntN(len(b.live) - 4)
			b.live = append(b.live[:i:i], b.live[i+1+r.IntN(2):]...)
		}
	}
}

// carried returns values that a computation takes, at most one of them twice, and the shape of their tuple.
func (r *ragged) carried(b *block) (in []datum, shape string) {
	var list []string
	for range 2 + r.IntN(4) {
		kind := r.IntN(len(r.shapes))
		in = append(in, datum{r.some(b, kind), kind})
		list = append(list, r.shapes[kind])
	}
	return in, "(" + strings.Join(list, ", ") + ")"
}

func names(list []datum) string {
	var out []string
	for _, d := range list {
		out = append(out, "%"+d.name)
	}
	return strings.Join(out, ", ")
}

// inside writes a computation that takes a tuple of values and returns one of the same shapes, of which a loop's body
// leaves some as they are.
func (r *ragged) inside(base string, in []datum, shape string, depth int) string {
	b := &block{depth: depth}
	p := r.add(b, "p", shape, "parameter(0)")
	var own []datum
	for i, d := range in {
		own = append(own, datum{r.add(b, "a", r.shapes[d.kind], "get-tuple-element(%%%s), index=%d", p, i), d.kind})
	}
	b.live = append(b.live, own...)
	r.lines(b, 1+r.IntN(5))
	out := make([]datum, len(in))
	for i, d := range own {
		if out[i] = d; base != "body" || r.IntN(3) > 0 {
			out[i].name = r.own(b, d.kind)
		}
	}
	body, root := r.name(base), r.name("r")
	fmt.Fprintf(&r.comps, "%%%s {\n%s  ROOT %%%s = %s tuple(%s)\n}\n\n", body, b.String(), root, shape, names(out))
	return body
}

func (r *ragged) results(b *block, in []datum, of string) {
	for i, d := range in {
		if r.IntN(3) > 0 {
			b.keep(r.add(b, "g", r.shapes[d.kind], "get-tuple-element(%%%s), index=%d", of, i), d.kind)
		}
	}
}

// loop writes a loop; its condition reads one of the values that it carries.
func (r *ragged) loop(b *block) {
	in, shape := r.carried(b)
	body, cond := r.inside("body", in, shape, b.depth+1), r.name("cond")
	c := &block{}
	p := r.add(c, "p", shape, "parameter(0)")
	a := r.add(c, "a", r.shapes[in[0].kind], "get-tuple-element(%%%s), index=0", p)
	fmt.Fprintf(&r.comps, "%%%s {\n%s  ROOT %%%s = pred[]{:T(512)} custom-call(%%%s), custom_call_target=\"more\"\n}\n\n",
		cond, c.String(), r.name("r"), a)
	t := r.add(b, "in", shape, "tuple(%s)", names(in))
	w := r.add(b, "w", shape, "while(%%%s), condition=%%%s, body=%%%s", t, cond, body)
	r.results(b, in, w)
}

// branches writes a conditional of two or three branches, each with its own operand, or a call.
func (r *ragged) branches(b *block) {
	in, shape := r.carried(b)
	t := r.add(b, "in", shape, "tuple(%s)", names(in))
	if r.IntN(4) == 0 {
		c := r.add(b, "c", shape, "call(%%%s), to_apply=%%%s", t, r.inside("called", in, shape, b.depth+1))
		r.results(b, in, c)
		return
	}
	operands, called := "", ""
	for i := range 2 + r.IntN(2) {
		if i > 0 && r.IntN(2) == 0 {
			other := make([]datum, len(in))
			for j, d := range in {
				other[j] = datum{r.some(b, d.kind), d.kind}
			}
			t = r.add(b, "in", shape, "tuple(%s)", names(other))
		}
		operands += ", %" + t
		called += ", %" + r.inside("branch", in, shape, b.depth+1)
	}
	which := r.add(b, "which", "s32[]{:T(128)}", "constant(%d)", r.IntN(3))
	c := r.add(b, "if", shape, "conditional(%%%s%s), branch_computations={%s}", which, operands, called[2:])
	r.results(b, in, c)
}

func uneven(seed uint64) string {
	r := &ragged{Rand: rand.New(rand.NewPCG(seed, 2))}
	a, c, d, e := 64<<r.IntN(8), 8<<r.IntN(8), 256<<r.IntN(7), 1+r.IntN(400)
	r.rows = []int{a + c, c}
	r.shapes = []string{fmt.Sprintf("f32[%d,1024]{1,0:T(8,128)}", a+c), fmt.Sprintf("f32[%d,1024]{1,0:T(8,128)}", c),
		fmt.Sprintf("bf16[%d,512]{1,0:T(8,128)(2,1)}", d), "f32[1024,1024]{1,0:T(8,128)}", "f32[1024]{0:T(1024)}",
		fmt.Sprintf("f32[%d,40,256]{2,1,0:T(8,128)}", e)}
	r.comps.WriteString("%sum {\n  %sum.x = f32[] parameter(0)\n  %sum.y = f32[] parameter(1)\n  ROOT %sum.z = f32[] " +
		"add(%sum.x, %sum.y)\n}\n\n%less {\n")
	for i, x := range []string{"x", "y", "u", "v"} {
		fmt.Fprintf(&r.comps, "  %%less.%s = f32[] parameter(%d)\n", x, i)
	}
	r.comps.WriteString("  ROOT %less.z = pred[] compare(%less.x, %less.y), direction=LT\n}\n\n")
	b := &block{}
	const params = 12
	for k := range params {
		kind := r.IntN(len(r.shapes))
		b.keep(r.add(b, "param", r.shapes[kind], "parameter(%d)", k), kind)
	}
	pair := fmt.Sprintf("(%s, (%s, %s))", r.shapes[0], r.shapes[2], r.shapes[5])
	p := r.add(b, "params", pair, "parameter(%d)", params)
	b.keep(r.add(b, "e", r.shapes[0], "get-tuple-element(%%%s), index=0", p), 0)
	in := r.add(b, "e", fmt.Sprintf("(%s, %s)", r.shapes[2], r.shapes[5]), "get-tuple-element(%%%s), index=1", p)
	b.keep(r.add(b, "e", r.shapes[5], "get-tuple-element(%%%s), index=1", in), 5)
	first := b.live[0].kind
	r.lines(b, 12+r.IntN(24))
	out := []datum{{r.own(b, first), first}, {r.own(b, 0), 0}, {r.own(b, 5), 5}}
	alias := []string{"", ", input_output_alias={ {0}: (0, {}, may-alias) }",
		", input_output_alias={ {0}: (0, {}, may-alias), {1}: (12, {0}, may-alias), {2}: (12, {1,1}, must-alias) }"}
	return fmt.Sprintf("HloModule uneven, is_scheduled=true%s\n\n%sENTRY %%main {\n%s  ROOT %%out = (%s, %s, %s) "+
		"tuple(%s)\n}\n",
		alias[r.IntN(3)], r.comps.String(), b.String(), r.shapes[first], r.shapes[0], r.shapes[5], names(out))
}
