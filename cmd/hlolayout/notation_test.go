package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

func TestReadShape(t *testing.T) {
	for text, want := range map[string]string{
		"bf16[16,1280,40]{2,1,0:T(8,128)(2,1)}": "bf16[16,1280,40]{2,1,0:T(8,128)(2,1)}",
		"F32[3,5]{1,0:(2,2)}":                   "f32[3,5]{1,0:T(2,2)}",
		"F32[3,5,7]{2,1,0:(-1,2,2)}":            "f32[3,5,7]{2,1,0:T(*,2,2)}",
		"bfloat16[2,3]":                         "bf16[2,3]",
		"float8_e4m3fn[2,3]{0,1}":               "f8e4m3fn[2,3]{0,1}",
		"bool[4]":                               "pred[4]",
		"uint8[4]":                              "u8[4]",
		"complex64[]":                           "c64[]",
		// JAX, in all the ways its layouts are printed
		"bf16[16,1280,40] major_to_minor=(0,1,2), " +
			"tiling=((8,128),(2,1))": "bf16[16,1280,40]{2,1,0:T(8,128)(2,1)}",
		"bf16[16,1280,40] " +
			"major_to_minor=(0,2,1)": "bf16[16,1280,40]{1,2,0}",
		"bf16[16,1280,40], tiling=((8, 128),)": "bf16[16,1280,40]{2,1,0:T(8,128)}",
		"f32[3] Layout(major_to_minor=(0,), tiling=None, " +
			"sub_byte_element_size_in_bits=0)": "f32[3]{0}",
		"f32[] Layout(major_to_minor=(), " +
			"tiling=((128,),))": "f32[]{:T(128)}",
		"float32[3,5] DeviceLocalLayout(major_to_minor=(1, 0), _tiling=((-1, 2),), " +
			"_sub_byte_element_size_in_bits=0)": "f32[3,5]{0,1:T(*,2)}",
		"int4[8,8] Layout(major_to_minor=(0, 1), tiling=((8, 128), (8, " +
			"1)))": "s4[8,8]{1,0:T(8,128)(8,1)E(4)}",
		"int4[8,8] Layout(major_to_minor=(0, 1))": "s4[8,8]{1,0}",
		"s4[8,8] Layout(major_to_minor=[0, 1], tiling=[[8, 128], [8, 1]], " +
			"sub_byte_element_size_in_bits=4)": "s4[8,8]{1,0:T(8,128)(8,1)E(4)}",
		"f32[2,3] Format(Layout(major_to_minor=(0, 1), tiling=((2, 128),)), sharding=NamedSharding(mesh=Mesh('x': " +
			"8), spec=PartitionSpec(None, 'x',)))": "f32[2,3]{1,0:T(2,128)}",
		"f32[2,3] Format(layout=Layout(major_to_minor=(1, 0)), sharding=None)": "f32[2,3]{0,1}",
	} {
		s, err := readShape(text)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, s.String(), text)
		}
	}
}

// TestJAXThereAndBack writes shapes in JAX's notation and reads them again.
func TestJAXThereAndBack(t *testing.T) {
	for _, text := range []string{
		"f32[]{:T(128)}", "f32[3]{0}", "bf16[20,300]{1,0:T(8,128)(2,1)}", "bf16[20,300]{0,1:T(8,128)(2,1)}",
		"s4[8,8]{1,0:T(8,128)(8,1)E(4)}",
		"f32[2,3,5]{0,2,1:T(*,2)}", "f32[2,3,5]{2,0,1}", "pred[4,4]{1,0:T(8,128)E(32)}",
	} {
		s, err := readShape(text)
		require.NoError(t, err, text)
		again, err := readShape(string(appendJAX(nil, s)))
		require.NoError(t, err, "%s", appendJAX(nil, s))
		assert.Equal(t, text, again.String(), "%s", appendJAX(nil, s))
	}
}

func TestReadShapeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":             "no shape: write one as bf16[20,300]{1,0:T(8,128)(2,1)}",
		"f32[2,3]{1,0": "column 13: the text ends too early; expected `}` [HLO001]",
		"major_to_minor=(0,1)": "type and dimensions are missing before JAX's layout: write " +
			"them as in bf16[20,300] major_to_minor=(0,1)",
		"f32[2,3]{1,0} major_to_minor=(0,1)": "f32[2,3]{1,0} precedes JAX's layout: only type and dimensions " +
			"can, as in bf16[20,300]",
		"f32[2,3] major_to_minor=(0,(1))": "column 25: major_to_minor takes the dimension numbers from the " +
			"slowest-varying to the fastest, as in (0,1,2)",
		"f32[2,3] tiling=(8,128)": "column 17: tiling takes tiles in a tuple, as in ((8,128),(2,1))",
		"f32[2,3] tiling=8": "column 17: tiling takes tiles in a tuple, as in " +
			"((8,128),(2,1)); ((8,128),) has one tile",
		"f32[2,3] tiling=((8,128),(2,1)": "column 31: a closing ) is missing",
		"f32[2,3] tiling=((8,x),)":       "column 21: expected an integer, None or a tuple",
		"f32[2,3] tiling=(((8,128),),)":  "column 19: expected an integer, None or a tuple",
		"f32[2,3] Layout(minor=(0,1))": "column 17: expected major_to_minor=, tiling= or " +
			"sub_byte_element_size_in_bits=",
		"f32[2] sub_byte_element_size_in_bits=None": "column 38: sub_byte_element_size_in_bits takes a number",
	} {
		_, err := readShape(text)
		if assert.Error(t, err, text) {
			assert.Equal(t, want, oneLine(err), text)
		}
	}
}

func FuzzReadShape(f *testing.F) {
	f.Add("bf16[16,1280,40] major_to_minor=(0,1,2), tiling=((8,128),(2,1))")
	f.Add("f32[2,3] Format(Layout(major_to_minor=(0, 1), tiling=None, sub_byte_element_size_in_bits=4), sharding=None)")
	f.Add("F32[3,5]{1,0:(2,2)}")
	target, err := tpu.ByName("v5e")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := readShape(text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		_, _ = appendDecoded(nil, s, target, true)
		if line, err := appendDecodedJSON(nil, text, s, target); err == nil {
			objects(t, string(line))
		}
	})
}

func TestReadTypedDims(t *testing.T) {
	for text, want := range map[string]struct {
		dtype hlo.DType
		dims  []int64
	}{
		"f32":                            {hlo.F32, []int64{}},
		"f32[]":                          {hlo.F32, []int64{}},
		"bf16 16,1280,40":                {hlo.BF16, []int64{16, 1280, 40}},
		"bf16[16,1280,40]":               {hlo.BF16, []int64{16, 1280, 40}},
		"bfloat16 16x1280":               {hlo.BF16, []int64{16, 1280}},
		"S8\t16 0 1280":                  {hlo.S8, []int64{16, 0, 1280}},
		"pred (2 , 3x4 5)":               {hlo.Pred, []int64{2, 3, 4, 5}},
		"pred (2, 3,)":                   {hlo.Pred, []int64{2, 3}},
		"f8e4m3fn [1,1,1,1,1,1,1,1,1,2]": {hlo.F8E4M3FN, []int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 2}},
	} {
		var d typedDims
		if assert.NoError(t, d.read(text), text) {
			assert.Equal(t, want.dtype, d.dtype, text)
			assert.Equal(t, want.dims, d.dims, text)
		}
	}
	for text, want := range map[string]string{
		"":                          `unknown element type "": known are `,
		"f33 2":                     `unknown element type "f33": did you mean f32?`,
		"f32 2,,3":                  `"2,,3" is not a list`,
		"f32 ,3":                    `",3" is not a list`,
		"f32 2x":                    `"2x" is not a list`,
		"f32 2;3":                   `"2;3" is not a list`,
		"f32 2,-3":                  `"2,-3" is not a list of dimension sizes`,
		"f32 2,?":                   `"2,?" is not a list`,
		"f32[2,3":                   `"[2,3" is not a list`,
		"f32[2,3]{1,0}":             `"[2,3]{1,0}" is not a list`,
		"f32 9223372036854775808":   `a dimension size in "9223372036854775808" does not fit in 64 bits`,
		"f32 4294967296,4294967296": "f32[4294967296,4294967296] has more than 2^63 bits",
	} {
		var d typedDims
		assert.ErrorContains(t, d.read(text), want, text)
	}
}
