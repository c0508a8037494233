package tpu_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/hlo"
	"hlolayout/tpu"
)

func TestReadTargetRoundTrip(t *testing.T) {
	for _, name := range tpu.Names() {
		for _, o := range []tpu.Options{{}, {PredPacking: "bit"}, {SmallTiles: "documented"}} {
			tgt, err := target(t, name).WithOptions(o)
			if err != nil {
				continue // pred_packing bit, on v2 and v3
			}
			text, err := json.MarshalIndent(tgt, "", "  ")
			require.NoError(t, err)
			back, err := tpu.ReadTarget(strings.NewReader(string(text) + "\n"))
			require.NoError(t, err)
			require.Equal(t, tgt, back)
		}
	}
}

const minimal = `{
  "name": "x",
  "lanes": 128,
  "sublanes": 8,
  "pack_sub_byte": true,
  "granule_words": 128,
  "min_rows": 1,
  "large_tiles": false,
  "tuple_granule_bytes": 32,
  "memory_spaces": [
    {"number": 0, "name": "HBM"},
    {"number": 1, "name": "VMEM", "capacity_bytes": 100, "alignment_bytes": 4}
  ]
}`

// What may be left out is left out.
func TestReadTargetMinimal(t *testing.T) {
	got, err := tpu.ReadTarget(strings.NewReader(minimal))
	require.NoError(t, err)
	require.Equal(t, &tpu.Target{Name: "x", Lanes: 128, Sublanes: 8, PackSubByte: true, GranuleWords: 128, MinRows: 1,
		TupleGranuleBytes: 32,
		MemorySpaces: []tpu.MemorySpace{{Name: "HBM"}, {Number: 1, Name: "VMEM", CapacityBytes: 100,
			AlignmentBytes: 4}}}, got)
}

// Each change of the minimal target is an error that says where, what, and what instead.
func TestReadTargetErrors(t *testing.T) {
	const keys = "expected the keys name, lanes, sublanes, pack_sub_byte, granule_words, min_rows, large_tiles, " +
		"tuple_granule_bytes, memory_spaces, libtpu, options"
	for _, c := range []struct{ old, new, want string }{
		{minimal, ``, "1:1: a target is one JSON object: unexpected end of JSON input"},
		{"\n  ]\n}", "", "12:78: a target is one JSON object: unexpected end of JSON input"},
		{`128,`, `128;`, "3:15: a target is one JSON object: invalid character ';' after object key:value pair"},
		{`"lanes": 128`, `"lanes" 128`, "3:11: a target is one JSON object: invalid character '1' after object key"},
		{`"lanes": 128`, `"lanes": nan`, "3:13: a target is one JSON object: invalid character 'a' in literal null " +
			"(expecting 'u')"},
		{"\n}", "\n} x", "14:3: a target is one JSON object: invalid character 'x' after top-level value"},
		{minimal, `[]`, "1:1: the target: found a list; expected an object"},

		{`"lanes"`, `"lane"`,
			`3:3: unknown key "lane"; known are name, lanes, sublanes, pack_sub_byte, granule_words, min_rows, ` +
				`large_tiles, tuple_granule_bytes, memory_spaces, libtpu, options; nearest is "lanes"`},
		{`"lanes"`, `"Lanes"`,
			`3:3: unknown key "Lanes"; known are name, lanes, sublanes, pack_sub_byte, granule_words, min_rows, ` +
				`large_tiles, tuple_granule_bytes, memory_spaces, libtpu, options; nearest is "lanes"`},
		{`"capacity_bytes"`, `"capacity"`,
			`12:35: unknown key "memory_spaces[1].capacity"; known are number, name, capacity_bytes, placement_bytes,` +
				` alignment_bytes`},
		{`"sublanes"`, `"lanes"`, `4:3: key "lanes" is there twice; expected it once`},
		{"  \"sublanes\": 8,\n", "", `1:1: key "sublanes" is missing; ` + keys},
		{`{"number": 0, `, `{`,
			`11:5: key "memory_spaces[0].number" is missing; expected the keys number, name, capacity_bytes, ` +
				`placement_bytes, alignment_bytes`},

		{`"x"`, `7`, "2:11: name: found 7; expected a string"},
		{`true`, `1`, "5:20: pack_sub_byte: found 1; expected true or false"},
		{`true`, `null`, "5:20: pack_sub_byte: found null; expected true or false"},
		{`128,`, `"128",`, `3:12: lanes: found the string "128"; expected a whole number of 64 bits`},
		{`128,`, `128.5,`, `3:12: lanes: found 128.5; expected a whole number of 64 bits`},
		{`128,`, `1e400,`, `3:12: lanes: found 1e400; expected a whole number of 64 bits`},
		{`128,`, `{},`, `3:12: lanes: found an object; expected a whole number of 64 bits`},
		{`{"number": 0, "name": "HBM"}`, `null`, `11:5: memory_spaces[0]: found null; expected an object`},
		{`32,`, `32, "options": 3,`, `9:41: options: found 3; expected an object`},
		{`32,`, `32, "memory_spaces": {},`, `9:47: memory_spaces: found an object; expected a list`},

		{`"x"`, `""`, `2:11: name: is empty; expected a name such as "v5e"`},
		{`128,`, `127,`, "3:12: lanes: 127 is impossible; expected a power of two from 1 to 65536"},
		{`128,`, `-128,`, "3:12: lanes: -128 is impossible; expected a power of two from 1 to 65536"},
		{`"sublanes": 8`, `"sublanes": 0`, "4:15: sublanes: 0 is impossible; expected a power of two from 1 to 65536"},
		{`"granule_words": 128`, `"granule_words": 2048`, "6:20: granule_words: 2048 is impossible; expected a power " +
			"of two from 1 to 1024 (lanes * sublanes)"},
		{`"min_rows": 1`, `"min_rows": 16`, "7:15: min_rows: 16 is impossible; expected a power of two from 1 to 8 " +
			"(sublanes)"},
		{`32,`, `33,`, "9:26: tuple_granule_bytes: 33 is impossible; expected a power of two from 1 to 1048576"},
		{`"number": 0`, `"number": 7`, "10:20: memory_spaces: HBM is missing; expected a space with number 0 first"},
		{`"number": 1`, `"number": 0`, "12:16: memory_spaces[1].number: 0 follows 0; expected each number " +
			"once, ascending"},
		{`"VMEM"`, `"HBM"`, `12:27: memory_spaces[1].name: "HBM" is there twice; expected each name once`},
		{`"VMEM"`, `""`, `12:27: memory_spaces[1].name: is empty; expected a name such as "VMEM"`},
		{`100,`, `-1,`, "12:53: memory_spaces[1].capacity_bytes: -1 is impossible; expected a size in bytes, or no " +
			"such key where it is unknown"},
		{`100,`, `100, "placement_bytes": 101,`, "12:77: memory_spaces[1].placement_bytes: 101 is impossible; " +
			"expected at most the capacity, 100"},
		{`4}`, `3}`, "12:77: memory_spaces[1].alignment_bytes: 3 is impossible; expected a power of two, or no such " +
			"key where it is unknown"},
		{`32,`, `32, "options": {"small_tiles": "2x128"},`,
			`9:57: options.small_tiles: unknown value "2x128"; known are measured, documented`},
		{`true,`, `false, "options": {"pred_packing": "bit"},`,
			`5:55: options.pred_packing: "bit" is impossible on x, which stores types of less than 8 bits as bytes; ` +
				`use "byte"`},
	} {
		require.Contains(t, minimal, c.old)
		_, err := tpu.ReadTarget(strings.NewReader(strings.Replace(minimal, c.old, c.new, 1)))
		var located *hlo.Error
		if assert.ErrorAs(t, err, &located, "%s -> %s", c.old, c.new) {
			assert.Equal(t, c.want, err.Error())
		}
	}
}

func TestReadTargetFromBadReader(t *testing.T) {
	_, err := tpu.ReadTarget(iotest.ErrReader(errors.New("disk gone")))
	require.EqualError(t, err, "reading a target: disk gone")
	_, err = tpu.ReadTarget(strings.NewReader(strings.Repeat(" ", 2<<20)))
	require.ErrorContains(t, err, "more than 1048576 bytes")
}

// Whatever ReadTarget takes can be asked about any shape, and is written and read back unchanged.
func FuzzReadTarget(f *testing.F) {
	f.Add(minimal)
	for _, name := range tpu.Names() {
		text, err := json.Marshal(target(f, name))
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Add(strings.NewReplacer("128", "1", "8,", "1,", "1}", "65536}").Replace(minimal))
	f.Fuzz(func(t *testing.T, text string) {
		tgt, err := tpu.ReadTarget(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, d := range hlo.DTypes() {
			for _, dims := range [][]int64{nil, {7}, {1 << 62, 1 << 62}, {3, 0}, {1, 5, 300}} {
				tgt.Layout(d, dims, tgt.BoundaryOrder(d, dims), true)
				n, ok := tgt.PaddedElements(d, dims, tgt.FreeOrder(d, dims))
				require.True(t, !ok || n >= 0)
			}
		}
		out, err := json.Marshal(tgt)
		require.NoError(t, err)
		back, err := tpu.ReadTarget(strings.NewReader(string(out)))
		require.NoError(t, err)
		require.Equal(t, tgt, back)
	})
}
