package passes_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hlolayout/tpu"
)

// What random modules have shown, made small. All of it holds now, scheduled or not.
func TestFound(t *testing.T) {
	for name, text := range found {
		t.Run(name, func(t *testing.T) {
			for _, generation := range tpu.Names() {
				x, err := tpu.ByName(generation)
				require.NoError(t, err)
				holds(t, text, x)
				holds(t, scheduled(text), x)
			}
		})
	}
}

var found = map[string]string{
	// The interface kept its tiles and lacked the E(4) that the parameter has.
	"s4 with tiles in the interface": `HloModule m,
entry_computation_layout={(s4[7,129]{1,0:T(8,128)(4,1)})->f32[7,129]{1,0}}

ENTRY %main {
  %p = s4[7,129]{1,0} parameter(0)
  ROOT %c = f32[7,129]{1,0} convert(%p)
}
`,
	// The elements of a fusion's result were descending in its body, whatever they are outside.
	"a fusion of several results": `HloModule random

%fusion.6 {
%parameter.7 = bf16[2,300,16] parameter(0)
%parameter.8 = bf16[2,300,16] parameter(1)
%sine.11 = bf16[2,300,16] sine(%parameter.7)
%log-plus-one.12 = bf16[2,300,16] log-plus-one(%sine.11)
ROOT %tuple.13 = (bf16[2,300,16], bf16[2,300,16], bf16[2,300,16]) tuple(%parameter.8, %sine.11, %log-plus-one.12)
}

ENTRY %main {
%parameter.2 = bf16[2,300,16] parameter(0)
%fusion.14 = (bf16[2,300,16], bf16[2,300,16], bf16[2,300,16]) fusion(%parameter.2, %parameter.2),
    kind=kLoop, calls=%fusion.6
%get-tuple-element.15 = bf16[2,300,16] get-tuple-element(%fusion.14), index=0
%get-tuple-element.16 = bf16[2,300,16] get-tuple-element(%fusion.14), index=1
%get-tuple-element.17 = bf16[2,300,16] get-tuple-element(%fusion.14), index=2
ROOT %tuple.28 = (bf16[2,300,16], bf16[2,300,16], bf16[2,300,16]) tuple(%get-tuple-element.15, %get-tuple-element.16,
    %get-tuple-element.17)
}
`,
	// The entry was left out as what a reduce applies to scalars.
	"the entry is the sum of a reduce": `HloModule m

ENTRY %sum {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

%main {
  %p = f32[8,128] parameter(0)
  %zero = f32[] constant(0)
  ROOT %r = f32[8] reduce(%p, %zero), dimensions={1}, to_apply=%sum
}
`,
	// A conditional that is overridden propagated to its users, of which one requires another layout (the compiler
	// keeps what was asked for).
	"LayoutConstraint after a conditional": `HloModule random, entry_computation_layout={(f32[32,256,32,1]{0,1,2,3},
pred[])->(f32[32,256,32,1]{1,0,2,3}, f32[32,256,32,1]{1,3,0,2})}

%branch.1 {
%p.1 = f32[32,256,32,1] parameter(0)
ROOT %reverse = f32[32,256,32,1] reverse(%p.1), dimensions={2}
}

%branch.2 {
%p.2 = f32[32,256,32,1] parameter(0)
ROOT %sine = f32[32,256,32,1] sine(%p.2)
}

ENTRY %main {
%p = f32[32,256,32,1] parameter(0)
%which = pred[] parameter(1)
%conditional = f32[32,256,32,1] conditional(%which, %p, %p), true_computation=%branch.1, false_computation=%branch.2
%asked = f32[32,256,32,1]{1,2,0,3} custom-call(%conditional), custom_call_target="LayoutConstraint",
    operand_layout_constraints={f32[32,256,32,1]{1,2,0,3}}
%logistic = f32[32,256,32,1] logistic(%p)
ROOT %tuple = (f32[32,256,32,1], f32[32,256,32,1]) tuple(%asked, %logistic)
}
`,
	// A gather of one slice: no dimension of the result counts slices.
	"a gather of one slice": `HloModule random

ENTRY %main {
%p = f32[127,300,4,1] parameter(0)
%i = s32[2] parameter(1)
ROOT %gather = f32[127,4] gather(%p, %i), offset_dims={0,1}, collapsed_slice_dims={1,3}, start_index_map={3,1},
    index_vector_dim=0, slice_sizes={127,1,4,1}
}
`,
	// The compiler has neither barriers nor calls in a schedule.
	"a barrier around nested tuples": `HloModule random

ENTRY %main {
%p = bf16[] parameter(0)
%round = bf16[] round-nearest-even(%p)
%broadcast = bf16[8,128,7,3] broadcast(%round), dimensions={}
%inner = (bf16[8,128,7,3]) tuple(%broadcast)
%outer = ((bf16[8,128,7,3]), bf16[]) tuple(%inner, %p)
%barrier = ((bf16[8,128,7,3]), bf16[]) opt-barrier(%outer)
%element = (bf16[8,128,7,3]) get-tuple-element(%barrier), index=0
%array = bf16[8,128,7,3] get-tuple-element(%element), index=0
%scalar = bf16[] get-tuple-element(%barrier), index=1
ROOT %tuple = (bf16[8,128,7,3], bf16[]) tuple(%array, %scalar)
}
`,
	"a call that gives what it made": `HloModule random

%call.7 {
%parameter.8 = pred[4,8] parameter(0)
%transpose = pred[8,4] transpose(%parameter.8), dimensions={1,0}
%not = pred[8,4] not(%transpose)
%reshape = pred[32] reshape(%parameter.8)
ROOT %made = (pred[8,4], pred[32]) tuple(%not, %reshape)
}

ENTRY %main {
%p = pred[4,8] parameter(0)
%call = (pred[8,4], pred[32]) call(%p), to_apply=%call.7
%a = pred[8,4] get-tuple-element(%call), index=0
%b = pred[32] get-tuple-element(%call), index=1
ROOT %tuple = (pred[8,4], pred[32]) tuple(%a, %b)
}
`,
	"a single element that is updated in place": `HloModule random

ENTRY %main {
%p = u32[] parameter(0)
%reshape = u32[1] reshape(%p)
%transpose = u32[1] transpose(%reshape), dimensions={0}
%update = u32[1] parameter(1)
%one = s32[] constant(1)
%updated = u32[1] dynamic-update-slice(%transpose, %update, %one)
%not = u32[1] not(%transpose)
ROOT %tuple = (u32[1], u32[1]) tuple(%updated, %not)
}
`,
	"nothing to prefetch": `HloModule random

ENTRY %main {
%p = u8[0] parameter(0)
ROOT %transpose = u8[0] transpose(%p), dimensions={0}
}
`,
	"a branch that hands on what a loop made": `HloModule random

%cond {
%state.1 = (s32[], bf16[32,2]) parameter(0)
%i.1 = s32[] get-tuple-element(%state.1), index=0
%n = s32[] constant(3)
ROOT %less = pred[] compare(%i.1, %n), direction=LT
}

%body {
%state.2 = (s32[], bf16[32,2]) parameter(0)
%i.2 = s32[] get-tuple-element(%state.2), index=0
%x.2 = bf16[32,2] get-tuple-element(%state.2), index=1
%one = s32[] constant(1)
%next = s32[] add(%i.2, %one)
%tanh = bf16[32,2] tanh(%x.2)
ROOT %state.3 = (s32[], bf16[32,2]) tuple(%next, %tanh)
}

%branch.1 {
%x.3 = bf16[32,2] parameter(0)
%zero = s32[] constant(0)
%state.4 = (s32[], bf16[32,2]) tuple(%zero, %x.3)
%while = (s32[], bf16[32,2]) while(%state.4), condition=%cond, body=%body
ROOT %x.4 = bf16[32,2] get-tuple-element(%while), index=1
}

%branch.2 {
%x.5 = bf16[32,2] parameter(0)
ROOT %sine = bf16[32,2] sine(%x.5)
}

ENTRY %main {
%x = bf16[32,2] parameter(0)
%which = pred[] parameter(1)
%conditional = bf16[32,2] conditional(%which, %x, %x), true_computation=%branch.1, false_computation=%branch.2
ROOT %floor = bf16[32,2] floor(%conditional)
}
`,
	// The concatenate has the layout of its larger operand whatever the conditional gives.
	"a conditional before a concatenate of something larger": `HloModule random

%branch.1 {
%p.1 = s32[7,2,1,129] parameter(0)
ROOT %asks = s32[7,2,1,129]{3,2,0,1} custom-call(%p.1), custom_call_target="unknown",
    operand_layout_constraints={s32[7,2,1,129]{3,2,0,1}}
}

%branch.2 {
%p.2 = s32[7,2,1,129] parameter(0)
ROOT %asks.2 = s32[7,2,1,129]{3,2,0,1} custom-call(%p.2), custom_call_target="unknown2",
    operand_layout_constraints={s32[7,2,1,129]{3,2,0,1}}
}

ENTRY %main {
%x = s32[7,3,1,129] parameter(0)
%y = s32[7,2,1,129] parameter(1)
%which = pred[] parameter(2)
%p = s32[7,3,1,129]{2,0,1,3} custom-call(%x), custom_call_target="unknown3",
    operand_layout_constraints={s32[7,3,1,129]{3,2,1,0}}
%conditional = s32[7,2,1,129] conditional(%which, %y, %y), true_computation=%branch.1, false_computation=%branch.2
%popcnt = s32[7,2,1,129] popcnt(%conditional)
%concatenate = s32[7,5,1,129] concatenate(%p, %conditional), dimensions={1}
%q = s32[7,5,1,129]{2,3,0,1} custom-call(%concatenate), custom_call_target="unknown3",
    operand_layout_constraints={s32[7,5,1,129]{2,3,0,1}}
ROOT %tuple = (s32[7,5,1,129], s32[7,2,1,129]) tuple(%q, %popcnt)
}
`,
	// The branch copies its parameter once for itself and once because the operand has another layout: the one reads
	// the other.
	"a branch that copies its parameter, which is copied": `HloModule random

%branch.1 {
%p.1 = bf16[129,3,7] parameter(0)
%asks = bf16[129,3,7]{1,2,0} custom-call(%p.1), custom_call_target="unknown",
    operand_layout_constraints={bf16[129,3,7]{2,0,1}}
ROOT %divide = bf16[129,3,7] divide(%asks, %p.1)
}

%branch.2 {
%p.2 = bf16[129,3,7] parameter(0)
ROOT %logistic = bf16[129,3,7] logistic(%p.2)
}

ENTRY %main {
%x = bf16[129,3,7] parameter(0)
%which = pred[] parameter(1)
%negate = bf16[129,3,7] negate(%x)
ROOT %conditional = bf16[129,3,7] conditional(%which, %negate, %negate), true_computation=%branch.1,
    false_computation=%branch.2
}
`,
	"a branch that copies an element of its parameter, which is copied": `HloModule random

%branch.1 {
%p.1 = (s32[8,129,3,8], s32[8,129,3,8]) parameter(0)
%e.1 = s32[8,129,3,8] get-tuple-element(%p.1), index=1
%asks = s32[8,129,3,8]{1,0,2,3} custom-call(%e.1), custom_call_target="unknown",
    operand_layout_constraints={s32[8,129,3,8]{0,1,2,3}}
ROOT %xor = s32[8,129,3,8] xor(%asks, %e.1)
}

%branch.2 {
%p.2 = (s32[8,129,3,8], s32[8,129,3,8]) parameter(0)
%e.2 = s32[8,129,3,8] get-tuple-element(%p.2), index=1
%negate = s32[8,129,3,8] negate(%e.2)
ROOT %reverse = s32[8,129,3,8] reverse(%negate), dimensions={1,2}
}

ENTRY %main {
%x = s32[8,129,3,8]{1,0,3,2} parameter(0)
%which = pred[] parameter(1)
%tuple.1 = (s32[8,129,3,8], s32[8,129,3,8]) tuple(%x, %x)
%tuple.2 = (s32[8,129,3,8], s32[8,129,3,8]) tuple(%x, %x)
ROOT %conditional = s32[8,129,3,8] conditional(%which, %tuple.1, %tuple.2), true_computation=%branch.1,
    false_computation=%branch.2
}
`,
	"a branch whose loop copies an element of its parameter, which is copied": `HloModule random

%cond {
%state.1 = (s32[], s32[3,2,8]) parameter(0)
%i.1 = s32[] get-tuple-element(%state.1), index=0
%n = s32[] constant(3)
ROOT %less = pred[] compare(%i.1, %n), direction=LT
}

%body {
%state.2 = (s32[], s32[3,2,8]) parameter(0)
%i.2 = s32[] get-tuple-element(%state.2), index=0
%x.2 = s32[3,2,8] get-tuple-element(%state.2), index=1
%one = s32[] constant(1)
%next = s32[] add(%i.2, %one)
%asks = s32[3,2,8]{0,2,1} custom-call(%x.2), custom_call_target="unknown",
    operand_layout_constraints={s32[3,2,8]{1,2,0}}
ROOT %state.3 = (s32[], s32[3,2,8]) tuple(%next, %asks)
}

%branch.1 {
%p.1 = (s32[3,2,8]) parameter(0)
%e.1 = s32[3,2,8] get-tuple-element(%p.1), index=0
%zero = s32[] constant(0)
%state.4 = (s32[], s32[3,2,8]) tuple(%zero, %e.1)
%while = (s32[], s32[3,2,8]) while(%state.4), condition=%cond, body=%body
%made = s32[3,2,8] get-tuple-element(%while), index=1
ROOT %concatenate = s32[3,2,16] concatenate(%e.1, %made), dimensions={2}
}

%branch.2 {
%p.2 = (s32[3,2,8]) parameter(0)
%e.2 = s32[3,2,8] get-tuple-element(%p.2), index=0
ROOT %twice = s32[3,2,16] concatenate(%e.2, %e.2), dimensions={2}
}

ENTRY %main {
%x = s32[3,2,8] parameter(0)
%which = pred[] parameter(1)
%tuple.1 = (s32[3,2,8]) tuple(%x)
%tuple.2 = (s32[3,2,8]) tuple(%x)
ROOT %conditional = s32[3,2,16] conditional(%which, %tuple.1, %tuple.2), true_computation=%branch.1,
    false_computation=%branch.2
}
`,
	// What the branches take is in HBM after the loop, which hands it on, and in the fast space before it.
	"a loop that hands on what branches take": `HloModule random

%region.7 {
%parameter.8 = s32[] parameter(0)
%parameter.9 = s32[] parameter(1)
ROOT %add.10 = s32[] add(%parameter.8, %parameter.9)
}

%cond.15 {
%parameter.16 = (s32[], s32[2,127,1], s32[2], s8[8,8,129]) parameter(0)
%get-tuple-element.17 = s32[] get-tuple-element(%parameter.16), index=0
%constant.21 = s32[] constant(1)
ROOT %compare.22 = pred[] compare(%get-tuple-element.17, %constant.21), direction=LT
}

%body.23 {
%parameter.24 = (s32[], s32[2,127,1], s32[2], s8[8,8,129]) parameter(0)
%get-tuple-element.25 = s32[] get-tuple-element(%parameter.24), index=0
%get-tuple-element.26 = s32[2,127,1] get-tuple-element(%parameter.24), index=1
%get-tuple-element.27 = s32[2] get-tuple-element(%parameter.24), index=2
%get-tuple-element.28 = s8[8,8,129] get-tuple-element(%parameter.24), index=3
%constant.29 = s32[] constant(1)
%add.30 = s32[] add(%get-tuple-element.25, %constant.29)
%not.32 = s8[8,8,129] not(%get-tuple-element.28)
%abs.33 = s8[8,8,129] abs(%not.32)
ROOT %tuple.34 = (s32[], s32[2,127,1], s32[2], s8[8,8,129]) tuple(%add.30, %get-tuple-element.26, %get-tuple-element.27,
    %abs.33)
}

%branch.43 {
ROOT %parameter.44 = s32[2,127,1] parameter(0)
}

%branch.48 {
%parameter.49 = s32[2,127,1] parameter(0)
ROOT %negate.51 = s32[2,127,1] negate(%parameter.49)
}

ENTRY %main {
%parameter.1 = s32[2] parameter(0)
%parameter.2 = s8[8,8,129] parameter(1)
%iota.4 = s32[2,127,1] iota(), iota_dimension=1
%constant.5 = s32[] constant(1)
%broadcast.6 = s32[2,127] broadcast(%constant.5), dimensions={}
%scatter.11 = s32[2] scatter(%parameter.1, %iota.4, %broadcast.6), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=%region.7
%constant.13 = s32[] constant(0)
%tuple.14 = (s32[], s32[2,127,1], s32[2], s8[8,8,129]) tuple(%constant.13, %iota.4, %parameter.1, %parameter.2)
%while.35 = (s32[], s32[2,127,1], s32[2], s8[8,8,129]) while(%tuple.14), condition=%cond.15, body=%body.23
%get-tuple-element.37 = s32[2,127,1] get-tuple-element(%while.35), index=1
%parameter.42 = pred[] parameter(2)
%conditional.52 = s32[2,127,1] conditional(%parameter.42, %iota.4, %iota.4), true_computation=%branch.43,
    false_computation=%branch.48
ROOT %tuple.57 = (s32[2,127,1], s32[2,127,1], s32[2]) tuple(%get-tuple-element.37, %conditional.52, %scatter.11)
}
`,
	// The branch's root is an element of an element: what it names is where the conditional's result does.
	"a branch that gives an element of an element": `HloModule random

%branch.9 {
%parameter.11 = (u32[4,2,2,1]) parameter(0)
ROOT %get-tuple-element.12 = u32[4,2,2,1] get-tuple-element(%parameter.11), index=0
}

%region.18 {
%parameter.19 = u32[] parameter(0)
%parameter.20 = u32[] parameter(1)
ROOT %maximum.21 = u32[] maximum(%parameter.19, %parameter.20)
}

%branch.14 {
%parameter.15 = u32[4,2,2,1] parameter(0)
%iota.16 = s32[256,2] iota(), iota_dimension=1
%iota.17 = u32[2,2,256,2] iota(), iota_dimension=1
%scatter.22 = u32[4,2,2,1] scatter(%parameter.15, %iota.16, %iota.17), update_window_dims={0,1,3},
    inserted_window_dims={3}, scatter_dims_to_operand_dims={0,3}, index_vector_dim=1, to_apply=%region.18
%tuple.23 = (u32[4,2,2,1]) tuple(%scatter.22)
%tuple.24 = ((u32[4,2,2,1]), u32[2,2,256,2]) tuple(%tuple.23, %iota.17)
%get-tuple-element.25 = (u32[4,2,2,1]) get-tuple-element(%tuple.24), index=0
ROOT %get-tuple-element.26 = u32[4,2,2,1] get-tuple-element(%get-tuple-element.25), index=0
}

ENTRY %main {
%parameter.1 = s8[] parameter(0)
%parameter.2 = bf16[300,2,4,1] parameter(1)
%parameter.3 = u32[4,2,1,2] parameter(2)
%transpose.5 = u32[4,2,2,1] transpose(%parameter.3), dimensions={0,3,1,2}
%parameter.8 = pred[] parameter(3)
%tuple.10 = (u32[4,2,2,1]) tuple(%transpose.5)
%conditional.28 = u32[4,2,2,1] conditional(%parameter.8, %tuple.10, %transpose.5), true_computation=%branch.9,
    false_computation=%branch.14
%bitcast-convert.32 = f32[4,2,2,1] bitcast-convert(%conditional.28)
%parameter.40 = bf16[2,7,4] parameter(4)
%parameter.45 = f32[2,1,4,2] parameter(5)
ROOT %tuple.49 = (f32[4,2,2,1]) tuple(%bitcast-convert.32)
}
`,
	// The same of a conditional that hands on what the next one takes.
	"a conditional that hands on what branches take": `HloModule random

%branch.20 {
ROOT %parameter.21 = u32[7] parameter(0)
}

%branch.25 {
%parameter.27 = (u32[7], f32[4,8,6]) parameter(0)
ROOT %get-tuple-element.28 = u32[7] get-tuple-element(%parameter.27), index=0
}

%branch.33 {
%parameter.35 = (u32[32,16], u32[7]) parameter(0)
ROOT %get-tuple-element.36 = u32[32,16] get-tuple-element(%parameter.35), index=0
}

%branch.40 {
%parameter.42 = (u32[32,16], u32[7]) parameter(0)
%get-tuple-element.43 = u32[32,16] get-tuple-element(%parameter.42), index=0
ROOT %not.45 = u32[32,16] not(%get-tuple-element.43)
}

ENTRY %main {
%parameter.1 = pred[300,8,64,1] parameter(0)
%parameter.2 = u32[128] parameter(1)
%parameter.3 = (u32[7], (u32[32,16])) parameter(2)
%get-tuple-element.4 = u32[7] get-tuple-element(%parameter.3), index=0
%get-tuple-element.5 = (u32[32,16]) get-tuple-element(%parameter.3), index=1
%get-tuple-element.6 = u32[32,16] get-tuple-element(%get-tuple-element.5), index=0
%reverse.8 = u32[7] reverse(%get-tuple-element.4), dimensions={0}
%count-leading-zeros.9 = u32[7] count-leading-zeros(%reverse.8)
%parameter.11 = f32[3,8,12] parameter(3)
%iota.12 = f32[3,4,1] iota(), iota_dimension=0
%convolution.13 = f32[4,8,6] convolution(%parameter.11, %iota.12), window={size=1 stride=2 pad=0_0},
    dim_labels=fb0_io0->fb0
%parameter.19 = pred[] parameter(4)
%tuple.26 = (u32[7], f32[4,8,6]) tuple(%reverse.8, %convolution.13)
%conditional.32 = u32[7] conditional(%parameter.19, %reverse.8, %tuple.26), true_computation=%branch.20,
    false_computation=%branch.25
%tuple.34 = (u32[32,16], u32[7]) tuple(%get-tuple-element.6, %reverse.8)
%tuple.41 = (u32[32,16], u32[7]) tuple(%get-tuple-element.6, %reverse.8)
%conditional.47 = u32[32,16] conditional(%parameter.19, %tuple.34, %tuple.41), true_computation=%branch.33,
    false_computation=%branch.40
ROOT %tuple.74 = (u32[7], u32[7], u32[32,16]) tuple(%count-leading-zeros.9, %conditional.32, %conditional.47)
}
`,
	// What a conditional hands on is read from it after it, in whatever memory it is there.
	"a conditional that hands on what is read by another name": `HloModule random

%branch.51 {
%p.53 = (bf16[13,8,8,10], f32[7,2,1,129]) parameter(0)
ROOT %element.54 = bf16[13,8,8,10] get-tuple-element(%p.53), index=0
}

%branch.57 {
%p.59 = (bf16[13,8,8,10], f32[7,2,1,129]) parameter(0)
ROOT %element.60 = bf16[13,8,8,10] get-tuple-element(%p.59), index=0
}

ENTRY %main {
%p.1 = s32[7,2,1,129] parameter(0)
%bitcast-convert.2 = f32[7,2,1,129] bitcast-convert(%p.1)
%constant.4 = bf16[] constant(1)
%broadcast.5 = bf16[13,8,8,10] broadcast(%constant.4), dimensions={}
%p.6 = bf16[8,1,2,1] parameter(1)
%convolution.7 = bf16[7,8,1,13] convolution(%broadcast.5, %p.6), window={size=2x1 stride=2x1 pad=2_2x0_0},
    dim_labels=1fb0_i10o->0bf1
%ceil.11 = f32[7,2,1,129] ceil(%bitcast-convert.2)
%tuple.12 = (f32[7,2,1,129], bf16[13,8,8,10]) tuple(%ceil.11, %broadcast.5)
%opt-barrier.13 = (f32[7,2,1,129], bf16[13,8,8,10]) opt-barrier(%tuple.12)
%element.15 = bf16[13,8,8,10] get-tuple-element(%opt-barrier.13), index=1
%constant.19 = s32[] constant(1)
%abs.50 = s32[] abs(%constant.19)
%tuple.52 = (bf16[13,8,8,10], f32[7,2,1,129]) tuple(%broadcast.5, %bitcast-convert.2)
%tuple.58 = (bf16[13,8,8,10], f32[7,2,1,129]) tuple(%broadcast.5, %bitcast-convert.2)
%conditional.66 = bf16[13,8,8,10] conditional(%abs.50, %tuple.52, %tuple.58), branch_computations={%branch.51,
    %branch.57}
ROOT %tuple.72 = (bf16[13,8,8,10], bf16[7,8,1,13], bf16[13,8,8,10]) tuple(%element.15, %convolution.7, %conditional.66)
}
`,
	// The outer loop carries it in the fast memory, the inner one in HBM.
	"a loop that carries what the loop inside reads elsewhere": `HloModule random

%cond.14 {
%p.15 = (s32[], u32[], bf16[10], bf16[4]) parameter(0)
%element.16 = s32[] get-tuple-element(%p.15), index=0
%constant.20 = s32[] constant(1)
ROOT %compare.21 = pred[] compare(%element.16, %constant.20), direction=LT
}

%cond.32 {
%p.33 = (s32[], bf16[4], u32[], s32[]) parameter(0)
%element.34 = s32[] get-tuple-element(%p.33), index=0
%constant.38 = s32[] constant(5)
ROOT %compare.39 = pred[] compare(%element.34, %constant.38), direction=LT
}

%body.40 {
%p.41 = (s32[], bf16[4], u32[], s32[]) parameter(0)
%element.42 = s32[] get-tuple-element(%p.41), index=0
%element.43 = bf16[4] get-tuple-element(%p.41), index=1
%element.44 = u32[] get-tuple-element(%p.41), index=2
%constant.46 = s32[] constant(1)
%add.47 = s32[] add(%element.42, %constant.46)
ROOT %tuple.49 = (s32[], bf16[4], u32[], s32[]) tuple(%add.47, %element.43, %element.44, %add.47)
}

%body.22 {
%p.23 = (s32[], u32[], bf16[10], bf16[4]) parameter(0)
%element.24 = s32[] get-tuple-element(%p.23), index=0
%element.25 = u32[] get-tuple-element(%p.23), index=1
%element.26 = bf16[10] get-tuple-element(%p.23), index=2
%element.27 = bf16[4] get-tuple-element(%p.23), index=3
%constant.28 = s32[] constant(1)
%add.29 = s32[] add(%element.24, %constant.28)
%constant.30 = s32[] constant(0)
%tuple.31 = (s32[], bf16[4], u32[], s32[]) tuple(%constant.30, %element.27, %element.25, %element.24)
%while.50 = (s32[], bf16[4], u32[], s32[]) while(%tuple.31), condition=%cond.32, body=%body.40
%element.52 = bf16[4] get-tuple-element(%while.50), index=1
%count-leading-zeros.56 = u32[] count-leading-zeros(%element.25)
ROOT %tuple.57 = (s32[], u32[], bf16[10], bf16[4]) tuple(%add.29, %count-leading-zeros.56, %element.26, %element.52)
}

ENTRY %main {
%p.1 = u32[] parameter(0)
%p.2 = bf16[] parameter(1)
%p.3 = (bf16[4], (f32[0])) parameter(2)
%element.4 = bf16[4] get-tuple-element(%p.3), index=0
%constant.7 = bf16[] constant(0)
%pad.8 = bf16[10] pad(%element.4, %constant.7), padding=2_1_1
%p.9 = bf16[4] parameter(3)
%dot.10 = f32[] dot(%element.4, %p.9), lhs_contracting_dims={0}, rhs_contracting_dims={0}
%subtract.11 = bf16[4] subtract(%element.4, %p.9)
%constant.12 = s32[] constant(0)
%tuple.13 = (s32[], u32[], bf16[10], bf16[4]) tuple(%constant.12, %p.1, %pad.8, %p.9)
%while.58 = (s32[], u32[], bf16[10], bf16[4]) while(%tuple.13), condition=%cond.14, body=%body.22
ROOT %tuple.67 = (bf16[], f32[], bf16[4], (s32[], u32[], bf16[10], bf16[4])) tuple(%p.2, %dot.10, %subtract.11,
    %while.58)
}
`,
	// The loop takes it in the fast memory; after the loop the program reads what was there before.
	"a loop that carries unchanged what the program gives": `HloModule random

%cond.33 {
%p.34 = (s32[], s8[3], s8[3]) parameter(0)
%element.35 = s32[] get-tuple-element(%p.34), index=0
%constant.38 = s32[] constant(8)
ROOT %compare.39 = pred[] compare(%element.35, %constant.38), direction=LT
}

%body.40 {
%p.41 = (s32[], s8[3], s8[3]) parameter(0)
%element.42 = s32[] get-tuple-element(%p.41), index=0
%element.43 = s8[3] get-tuple-element(%p.41), index=1
%element.44 = s8[3] get-tuple-element(%p.41), index=2
%constant.45 = s32[] constant(1)
%add.46 = s32[] add(%element.42, %constant.45)
%compare.47 = pred[3] compare(%element.44, %element.43), direction=GE
%select.48 = s8[3] select(%compare.47, %element.44, %element.43)
%select.49 = s8[3] select(%compare.47, %element.44, %select.48)
ROOT %tuple.51 = (s32[], s8[3], s8[3]) tuple(%add.46, %select.49, %element.44)
}

ENTRY %main {
%p.1 = s8[3] parameter(0)
%tuple.3 = (s8[3]) tuple(%p.1)
%opt-barrier.4 = (s8[3]) opt-barrier(%tuple.3)
%element.5 = s8[3] get-tuple-element(%opt-barrier.4), index=0
%negate.12 = s8[3] negate(%p.1)
%constant.31 = s32[] constant(0)
%tuple.32 = (s32[], s8[3], s8[3]) tuple(%constant.31, %element.5, %negate.12)
%while.52 = (s32[], s8[3], s8[3]) while(%tuple.32), condition=%cond.33, body=%body.40
%element.55 = s8[3] get-tuple-element(%while.52), index=2
ROOT %tuple.63 = (s8[3]) tuple(%element.55)
}
`,
	// Where one branch runs, what the others take is needed no more.
	"branches that need their operands one at a time": `HloModule random

%branch.36 {
%p.38 = (u32[300,8,32,4]) parameter(0)
%element.39 = u32[300,8,32,4] get-tuple-element(%p.38), index=0
%and.40 = u32[300,8,32,4] and(%element.39, %element.39)
ROOT %custom-call.41 = u32[300,8,32,4]{3,2,0,1} custom-call(%and.40), custom_call_target="unknown",
    operand_layout_constraints={u32[300,8,32,4]{1,2,0,3}}
}

%branch.42 {
%p.44 = (u32[300,8,32,4]) parameter(0)
%element.45 = u32[300,8,32,4] get-tuple-element(%p.44), index=0
%multiply.46 = u32[300,8,32,4] multiply(%element.45, %element.45)
ROOT %subtract.48 = u32[300,8,32,4] subtract(%multiply.46, %multiply.46)
}

%branch.49 {
%p.50 = u32[300,8,32,4] parameter(0)
ROOT %popcnt.51 = u32[300,8,32,4] popcnt(%p.50)
}

ENTRY %main {
%p.1 = u32[300,8,32,1] parameter(0)
%concatenate.2 = u32[300,8,32,4] concatenate(%p.1, %p.1, %p.1, %p.1), dimensions={3}
%custom-call.3 = u32[300,8,32,4]{3,2,1,0} custom-call(%concatenate.2), custom_call_target="unknown",
    operand_layout_constraints={u32[300,8,32,4]{3,0,2,1}}
%custom-call.5 = u32[300,8,32,4] custom-call(%concatenate.2), custom_call_target="unknown"
%reverse.6 = u32[300,8,32,4] reverse(%custom-call.3), dimensions={0,1}
%constant.13 = s32[] constant(0)
%tuple.37 = (u32[300,8,32,4]) tuple(%custom-call.5)
%tuple.43 = (u32[300,8,32,4]) tuple(%custom-call.5)
%conditional.52 = u32[300,8,32,4] conditional(%constant.13, %tuple.37, %tuple.43, %custom-call.5),
    branch_computations={%branch.36, %branch.42, %branch.49}
ROOT %tuple.87 = (u32[300,8,32,4], u32[300,8,32,4]) tuple(%reverse.6, %conditional.52)
}
`,
	// What the barrier hands on of it is read from the copy in HBM.
	"a barrier around what is evicted": `HloModule random

ENTRY %main {
%p.1 = u32[128,8,128,1] parameter(0)
%or.2 = u32[128,8,128,1] or(%p.1, %p.1)
%custom-call.3 = u32[128,8,128,1] custom-call(%p.1), custom_call_target="unknown"
%custom-call.4 = u32[128,8,128,1]{3,0,1,2} custom-call(%p.1), custom_call_target="unknown",
    operand_layout_constraints={u32[128,8,128,1]{3,2,1,0}}
%not.5 = u32[128,8,128,1] not(%custom-call.3)
%add.6 = u32[128,8,128,1] add(%custom-call.4, %or.2)
%maximum.13 = u32[128,8,128,1] maximum(%add.6, %not.5)
%tuple.26 = (u32[128,8,128,1], u32[128,8,128,1]) tuple(%custom-call.3, %add.6)
%opt-barrier.27 = (u32[128,8,128,1], u32[128,8,128,1]) opt-barrier(%tuple.26)
%element.29 = u32[128,8,128,1] get-tuple-element(%opt-barrier.27), index=1
ROOT %tuple.36 = (u32[128,8,128,1], u32[128,8,128,1]) tuple(%element.29, %maximum.13)
}
`,
	// The scalar is in a tuple that goes when a copy takes the place of its other part.
	"a scalar that nothing reads": `HloModule random

ENTRY %main {
%p = u32[64] parameter(0)
%i = s32[] parameter(1)
%negate = s32[] negate(%i)
%not = u32[64] not(%p)
%tuple.1 = (s32[], u32[64]) tuple(%negate, %not)
%element = u32[64] get-tuple-element(%tuple.1), index=1
%popcnt = u32[64] popcnt(%not)
%bits = u32[64] popcnt(%popcnt)
ROOT %tuple = (u32[64], u32[64]) tuple(%element, %bits)
}
`,
	// The order that the reshape was repaired to differs from the conditional's in a dimension of size 1, and under
	// tiles.
	"a reshape that does not read through": `HloModule random

%branch.1 {
%p.1 = f32[256,8,8,1] parameter(0)
ROOT %negate = f32[256,8,8,1] negate(%p.1)
}

%branch.2 {
%p.2 = f32[256,8,8,1] parameter(0)
ROOT %exponential = f32[256,8,8,1] exponential(%p.2)
}

ENTRY %main {
%p = f32[256,8,8,1] parameter(0)
%which = s32[] parameter(1)
%conditional = f32[256,8,8,1] conditional(%which, %p, %p), branch_computations={%branch.1, %branch.2}
ROOT %reshape = f32[2,128,8,8] reshape(%conditional)
}
`,
}
