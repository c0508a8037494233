package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// Packed files that unpack to more than a file may have are refused when that much has come, and no more is held.
func TestBombsInFiles(t *testing.T) {
	zeros := make([]byte, 8<<20)
	for _, p := range []packing{gz, zst} {
		packed := compress(zeros, p)
		assert.Less(t, len(packed), 10<<10)
		before := allocated()
		_, _, err := readText(bytes.NewReader(packed), int64(len(packed)), 1<<30, 1<<20)
		require.ErrorContains(t, err, "longer than the limit of 1048576 bytes")
		assert.Less(t, allocated()-before, uint64(20<<20), string(p))
	}
	// A block of zstd that repeats one byte 131072 times takes 4 bytes: 1 KB would be 32 MB, 80 KB a gigabyte.
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0x80}
	for range 249 {
		frame = append(frame, 0x02, 0x00, 0x10, ' ')
	}
	frame = append(frame, 0x03, 0x00, 0x10, ' ')
	require.Less(t, len(frame), 1025)
	path := filepath.Join(t.TempDir(), "bomb.hlo.zst")
	require.NoError(t, os.WriteFile(path, frame, 0o666))
	for _, args := range [][]string{{"fmt", path}, {"assign", path}, {"dump", path}, {"report", "-o", os.DevNull, path},
		{"sweep", path}} {
		cheap(t, args[0], func() {
			var log bytes.Buffer
			code := run(args, streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &log})
			assert.Equal(t, exitTrouble, code)
			if args[0] != "dump" {
				assert.Contains(t, log.String(), ": unpacked, the text is longer than the limit of 9426800 bytes\n")
			}
		})
	}
	// A name of 2 MB is a token like another: time and memory grow with its length.
	long := "HloModule m\nENTRY %e {\nROOT %" + strings.Repeat("a", 2<<20) + " = f32[] parameter(0)\n}\n"
	before := allocated()
	sane(t, long, "verify")
	assert.Less(t, allocated()-before, uint64(20*len(long)))
}

// A million braces take no longer than other text of that length, wherever they stand and whatever reads them: what
// nests is refused at the documented depth, what is kept byte for byte does not count as nesting.
func TestBombsOfBraces(t *testing.T) {
	const n = 1_000_000
	both := func(open, shut string) string { return strings.Repeat(open, n) + strings.Repeat(shut, n) }
	for _, c := range []struct {
		name, text, code string
		commands         [][]string
	}{
		{"in an attribute", inEntry("ROOT %p = f32[] parameter(0), sharding=" + both("{", "}")), "HLO004",
			append([][]string{{"report", "-o", os.DevNull, "-"}, {"sweep", "-"},
				{"diff", "-", "../../testdata/attention.hlo"}}, commandLines...)},
		{"in an unknown attribute", inEntry("ROOT %p = f32[] parameter(0), unknown=" + both("{", "}")), "HLO004", nil},
		{"that stay open", inEntry("ROOT %p = f32[] parameter(0), sharding=" + strings.Repeat("{", n)), "HLO004", nil},
		{"around a shape", inEntry("ROOT %p = " + both("(", ")") + " parameter(0)"), "HLO004", nil},
		{"around an operand", inEntry("ROOT %p = f32[] negate" + both("(", ")")), "HLO004", nil},
		{"in the entry layout", "HloModule m, entry_computation_layout={" + both("(", ")") + "->f32[]}\n", "HLO004",
			nil},
		{"in front of everything", both("{", "}"), "HLO007", nil},
		{"of computations", "HloModule m\n" + strings.Repeat("%a {\n", n/4), "HLO001", nil},
		{"in a constant", inEntry("ROOT %p = f32[1] constant(" + both("{", "}") + ")"), "", nil},
		{"in a configuration", inEntry("ROOT %p = f32[] parameter(0), backend_config=" + both("{", "}")), "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, args := range append(c.commands, []string{"fmt", "--canonical"}) {
				start, before := cpuTime(), allocated()
				var out, log bytes.Buffer
				code := run(args, streams{in: strings.NewReader(c.text), out: &out, err: &log})
				what := strings.Join(args, " ")
				assert.Less(t, cpuTime()-start, 3*time.Second, what)
				assert.Less(t, allocated()-before, uint64(100*len(c.text)), what)
				if c.code == "" {
					assert.Equal(t, exitSame, code, what)
				} else {
					assert.Equal(t, exitTrouble, code, what)
					assert.Contains(t, log.String(), "["+c.code+"]", what)
					assert.Less(t, log.Len()+out.Len(), 4000, what)
				}
			}
		})
	}
}

// pbField appends fields to a protobuf message: numbers as varints, strings and messages by their length.
func pbField(of []byte, field protowire.Number, value any) []byte {
	switch v := value.(type) {
	case int:
		return protowire.AppendVarint(protowire.AppendTag(of, field, protowire.VarintType), uint64(v))
	case string:
		return protowire.AppendString(protowire.AppendTag(of, field, protowire.BytesType), v)
	}
	return protowire.AppendBytes(protowire.AppendTag(of, field, protowire.BytesType), value.([]byte))
}

// pbModule returns a HloModuleProto of one computation with one parameter of that shape, and with more fields of that
// instruction.
func pbModule(shape []byte, more []byte) []byte {
	in := append(pbField(pbField(pbField(pbField(nil, 1, "p"), 2, "parameter"), 3, shape), 35, 1), more...)
	comp := pbField(pbField(pbField(pbField(nil, 1, "e"), 2, in), 5, 1), 6, 1)
	return pbField(pbField(pbField(pbField(nil, 1, "m"), 2, "e"), 3, comp), 6, 1)
}

// Protobuf dumps that say much: what costs is what they say, and the commands that read them say what is too much.
func TestBombsInProtobuf(t *testing.T) {
	scalar := pbField(nil, 2, 11) // F32
	tuple := func(n int) []byte {
		s := scalar
		for range n {
			s = pbField(pbField(nil, 2, 13), 4, s)
		}
		return s
	}
	array := func(dims ...int) []byte {
		s := scalar
		for _, d := range dims {
			s = pbField(s, 3, d)
		}
		return s
	}
	sharding := pbField(nil, 1, 3)
	for range 2 {
		sharding = pbField(pbField(sharding, 3, 100000), 9, 100000)
	}
	nested := pbField(nil, 1, 2)
	for range 5000 {
		nested = pbField(pbField(nil, 1, 2), 5, nested)
	}
	doubled := scalar
	for range 7 { // a message cannot name another one twice: its length doubles too
		doubled = pbField(pbField(pbField(nil, 2, 13), 4, doubled), 4, doubled)
	}
	for name, c := range map[string]struct {
		pb   []byte
		want string
	}{
		"tuples in tuples": {pbModule(tuple(150), nil), ""},
		"tuples in tuples without end": {pbModule(tuple(5000), nil), "messages are nested more than 200 levels " +
			"deep [HLO062]"},
		"tuples that double a little": {pbModule(doubled, nil), ""},
		"dimensions of 2^62":          {pbModule(array(1<<62, 1<<62), nil), ""},
		"sixty dimensions":            {pbModule(array(twos(60)...), nil), ""},
		"empty shapes": {pbModule(append(pbField(nil, 2, 13),
			bytes.Repeat([]byte{0x22, 0}, 400)...), nil), "0 is not an element type"},
		"a sharding over 10^10 devices": {pbModule(array(8, 8), pbField(nil, 40, sharding)), ""},
		"shardings in shardings": {pbModule(scalar, pbField(nil, 40, nested)),
			"messages are nested more than 200 levels deep [HLO062]"},
		"groups in groups": {append(pbModule(scalar, nil), bytes.Repeat([]byte{0xa3, 0x06}, 20000)...),
			"HLO060"},
		"a field of 2^60 bytes": {append(pbModule(scalar, nil), 0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			0xff, 0xff, 0x0f), "HLO060"},
		"empty instructions": {pbField(pbModule(scalar, nil), 3, bytes.Repeat([]byte{0x12, 0}, 500)),
			"a computation needs a name"},
		"parameter 2^31":                   {pbModule(scalar, pbField(nil, 9, 1<<31)), "is not a parameter number"},
		"a computation that is its caller": {pbModule(scalar, pbField(nil, 38, 1)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bomb.hlo.pb")
			require.NoError(t, os.WriteFile(path, c.pb, 0o666))
			for _, args := range [][]string{{"fmt", path}, {"fmt", "--canonical", path}, {"assign", path},
				{"verify", "--tpu=v5e", path}, {"stats", path}, {"diff", path, path},
				{"report", "-o", os.DevNull, path},
				{"sweep", path}, {"dump", filepath.Dir(path)}, {"lint", path}} {
				what := strings.Join(args[:1], " ")
				cheap(t, what, func() {
					var log bytes.Buffer
					code := run(args, streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &log})
					require.NotContains(t, log.String(), "internal error", what)
					if c.want == "" {
						return
					}
					assert.Equal(t, exitTrouble, code, what)
					if args[0] != "dump" {
						assert.Contains(t, log.String(), c.want, what)
					}
				})
			}
		})
	}
}

// twos returns n sizes of 2.
func twos(n int) (dims []int) {
	for range n {
		dims = append(dims, 2)
	}
	return dims
}
