package lint

// Page returns the page that explains a rule, by id or name. ok is false if there is no such rule.
func Page(id string) (page string, ok bool) {
	c := Default()
	r, err := c.Rule(id)
	if err != nil {
		return "", false
	}
	return r.ID + " " + r.Name + " (" + r.Severity.String() + ")\n\n" + r.Page, true
}

// pages explain the rules. Each says what is found, why it costs, an example, and what helps.
var pages = map[string]string{
	PaddingWaste: `An array takes far more memory than its data.

A TPU stores arrays in tiles, such as 8x128 elements of f32. The two minor dimensions (the first two in
minor_to_major) are filled up to whole tiles, and the rest of a tile is lost: in memory, and in every transfer.

   s32[8388608,8,4]{2,1,0:T(8,128)}
   Unpadded size: 1.00G. Extra memory due to padding: 31.00G (32.0x expansion)

The 4 elements of dimension 2 take a row of 128. As {0,2,1:T(4,128)} the array takes 1 GiB.

What helps: a larger minor dimension. Merge dimensions (reshape [n,8,4] to [n,32]), pass parameters in an order
whose minor dimension is a multiple of 128, or choose sizes such as head_dim that are multiples of 128.
Thresholds: min_bytes (of padding) and min_factor (padded/unpadded). Values inside fusions are not counted: they
are never in memory.
`,
	NarrowMinor: `The minor dimension has one or two elements, and a tile has 128 of them.

   u32[12582912,1]{1,0:T(8,128)}
   Unpadded size: 48.00M. Extra memory due to padding: 5.95G (128.0x expansion)

Trailing dimensions of size 1 come from keepdims=True, expand_dims and index arrays, those of size 2 from (real,
imaginary) pairs. Drop the dimension, move it to the front, or let the array be made inside of a fusion.
`,
	WideElements: `Elements are stored wider than their type: E(32) on a PRED is 32 bits for one of 8.

   pred[64,512,2048]{2,1,0:T(8,128)E(32)}
   Unpadded size: 64.00M. Extra memory due to padding: 192.00M (4.0x expansion)

Masks that are kept for the backward pass are the usual case. Compute the mask again from what made it (remat), or
keep it as the narrower type that the user of the mask reads.
`,
	MovesData: `A copy or transpose does nothing but move an array into another physical order.

Two sides want different layouts: the producer or another reader of the array wants one, the reader of the copy the
other. The finding names both.

   %copy = bf16[2,4,64,64]{3,2,1,0:T(8,128)(2,1)} copy(%div)
   moves 128.0K from {2,3,1,0:T(8,128)(2,1)} to {3,2,1,0:T(8,128)(2,1)}
      %exp (exponential) reads it as {2,3,1,0:T(8,128)(2,1)}, %dot.3 (dot) reads it as {3,2,1,0:T(8,128)(2,1)}

A copy between memories (HBM to VMEM) that keeps the order is not reported. What helps: fold
the transpose into an einsum, order the dimensions of an intermediate as its heaviest user reads them, or free a
layout that a custom call pins.
Bytes are the padded size of the result; the same number is read.
`,
	MovesInLoop: `A copy or transpose inside a loop moves an array into another order in every iteration.

The bytes are those of one iteration times the trip count, which comes from known_trip_count in the loop's
backend_config or from its condition against a constant. An array that is the same in all iterations can be moved
once, before the loop: carry it in the order that the body reads.
`,
	MovesParameter: `A parameter of the entry is copied into another order on every call.

   parameter 1 is copied on every call: moves 512.00M from {1,0:T(8,128)} to {0,1:T(8,128)}

Weights are the usual case: the caller passes them in the default order, the program reads them in another. Where
nothing else reads the parameter, give it the order of the copy once, when it is loaded: transpose it and swap the
dimensions in the program, or pass it with that layout (jax.experimental.layout, in_shardings=Format(Layout(...))).
Note that JAX writes orders major to minor, HLO minor to major.
`,
	DonationLost: `A donated parameter and the output that reuses its buffer have different layouts.

input_output_alias promises the buffer of a parameter to an output. Where the two differ in order, tiles, memory or
type, the compiler copies or refuses the donation, and both buffers exist at the same time. Give both sides one
layout; the parameter's is the cheapest to keep.
`,
	CustomCallLayout: `An operand of a custom call does not have the layout that operand_layout_constraints require.

A kernel reads its operands in one order, with its own tiles and from its own memory. With another layout it reads
wrong elements or is refused ("expected {1,0:T(128)S(1)}, got {1,0:T(8,128)S(1)}"). A pass after layout assignment
changed the operand or dropped the copy: report it with 'hlolayout extract FILE %call --radius 1'.
`,
	HostOutput: `An output that is meant for host memory is not placed there.

The front end asked for host memory, S(5), by out_memory_spaces or by an annotation (MoveToHost), but the result in
entry_computation_layout is elsewhere; or the root and entry_computation_layout disagree. The caller then finds the
array on the device, or the compiler stops with "not set to host memory". Ask for the output's memory in out_shardings
(memory_kind="pinned_host").
`,
	ParameterLayout: `A parameter does not have the layout that the compiler gives by default.

This is not an error: layouts are chosen with jax.experimental.layout, or follow from an earlier program. But every
caller must pass the parameter in that layout; one that does not is refused or makes a copy ("expected parameter 2 of
size 5242880 ... but got 1638400"). It is a note, shown with --severity note.
`,
	PaddingBudget: `The padding of all values of the module exceeds --max-padding (max_padding in the configuration).

It is the sum of what tiles add to each array in memory over the whole program. Values live at different times, so it
is not a part of the peak; it is a number to keep from growing unnoticed. 'hlolayout stats' lists the arrays.
`,
	RelayoutBudget: `The relayouts of one run move more bytes than --max-relayout-bytes (max_relayout_bytes).

It is the sum over all copies and transposes that change the physical order, times the rounds of their loops.
'hlolayout stats' lists them.
`,
}
