package hloproto

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"hlolayout/hlo"
	"hlolayout/parser/hloproto/internal/hlopb"
)

// pair is a message and XLA's print of it.
type pair struct {
	name string
	pb   []byte
	want string
}

// pairs returns those of a folder.
func pairs(t testing.TB, dir string) []pair {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.pb"))
	require.NoError(t, err)
	require.NotEmpty(t, files, dir)
	var out []pair
	for _, f := range files {
		pb, err := os.ReadFile(f)
		require.NoError(t, err)
		want, err := os.ReadFile(strings.TrimSuffix(f, ".pb") + ".hlo")
		require.NoError(t, err)
		out = append(out, pair{filepath.Base(f), pb, string(want)})
	}
	return out
}

const testdata = "../../testdata/proto"

// difference returns the first lines that differ, "" where none do.
func difference(want, got string) string {
	if want == got {
		return ""
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			other := "(nothing)"
			if i < len(g) {
				other = g[i]
			}
			return "- " + w[i] + "\n+ " + other
		}
	}
	return "the text is longer"
}

// TestTextIsXLAs runs over testdata and over the folder that HLOPROTO_PAIRS names, which testdata/proto/make.py fills
// from any HLO text.
func TestTextIsXLAs(t *testing.T) {
	all := pairs(t, testdata)
	assert.GreaterOrEqual(t, len(all), 30)
	stored := len(all)
	if dir := os.Getenv("HLOPROTO_PAIRS"); dir != "" {
		all = append(all, pairs(t, dir)...)
	}
	equal := 0
	for i, p := range all {
		got, err := Text(p.name, p.pb)
		if !assert.NoError(t, err) {
			continue
		}
		if assert.Empty(t, difference(p.want, got), "%s is not what XLA prints", p.name) {
			equal++
		}
		m, err := Parse(p.name, p.pb)
		if assert.NoError(t, err) {
			assert.Equal(t, p.name, m.File)
			if i < stored { // XLA's suite has modules whose layouts of the entry contradict it
				assert.NoError(t, hlo.Check(m).Err(), p.name)
			}
		}
	}
	t.Logf("%d of %d texts are XLA's, byte for byte", equal, len(all))
}

// module returns the message of a pair of testdata.
func module(t testing.TB, name string) *hlopb.HloModuleProto {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testdata, name+".pb"))
	require.NoError(t, err)
	m := &hlopb.HloModuleProto{}
	require.NoError(t, proto.Unmarshal(data, m))
	return m
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	data, err := proto.Marshal(m)
	require.NoError(t, err)
	return data
}

// TestContainers reads the same module from every message that holds one, binary and text.
func TestContainers(t *testing.T) {
	for _, p := range pairs(t, testdata) {
		m := &hlopb.HloModuleProto{}
		require.NoError(t, proto.Unmarshal(p.pb, m))
		hloProto := &hlopb.HloProto{HloModule: m, BufferAssignment: &hlopb.BufferAssignmentProto{
			LogicalBuffers: []*hlopb.LogicalBufferProto{{Id: 1, Size: 8}}}}
		for _, c := range []struct {
			kind Message
			msg  proto.Message
		}{
			{HloModuleProto, m},
			{HloProto, hloProto},
			{HloSnapshot, &hlopb.HloSnapshot{Hlo: hloProto, ExecutionPlatform: "TPU"}},
			{HloUnoptimizedSnapshot, &hlopb.HloUnoptimizedSnapshot{HloModule: m, Partitions: []*hlopb.HloInputs{{}},
				Version: 1}},
		} {
			binary := marshal(t, c.msg)
			text, err := prototext.MarshalOptions{Multiline: true}.Marshal(c.msg)
			require.NoError(t, err)
			for _, data := range [][]byte{binary, text} {
				kind, ok := Detect(data)
				assert.True(t, ok, p.name)
				want := c.kind
				if kind.Text && want == HloUnoptimizedSnapshot {
					want = HloProto // it begins in the same way
				}
				assert.Equal(t, want, kind.Message, p.name)
				got, err := Text(p.name, data)
				require.NoError(t, err, "%s as %s", p.name, kind)
				expected := p.want
				if kind.Text { // which has one nan, without sign and payload
					expected = strings.Replace(expected, "-0, nan, nan(0x123), -nan, inf", "-0, nan, nan, nan, inf", 1)
				}
				assert.Empty(t, difference(expected, got), "%s as %s", p.name, kind)
			}
			_, ok := Detect(binary[:min(len(binary), 4096)])
			assert.True(t, ok, "%s: the first 4 KB of a %s", p.name, c.kind)
		}
	}
}

func TestTextFormat(t *testing.T) {
	got, err := Text("in.pbtxt", []byte(`# proto-file: hlo.proto
hlo_module {
  name: "m"
  entry_computation_name: "e"
  a_field_of_next_year: 3
  computations {
    name: "e"
    instructions {
      name: "p"
      opcode: "parameter"
      shape { element_type: F32 dimensions: 2 dimensions: 3 
 layout { minor_to_major: 1 minor_to_major: 0 tiles { dimensions: 8 dimensions: 128 } memory_space: 1 } }
      metadata { op_name: "caf\303\251" }
      id: 1
    }
    id: 7
    root_id: 1
  }
  host_program_shape {
    parameters { element_type: F32 dimensions: 2 dimensions: 3 layout { minor_to_major: [1, 0] } }
    result { element_type: F32 dimensions: [2, 3] layout { minor_to_major: [0, 1] } }
  }
  entry_computation_id: 7
}
`))
	require.NoError(t, err)
	assert.Equal(t, `HloModule m, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{0,1}}

ENTRY %e (p: f32[2,3]) -> f32[2,3] {
  ROOT %p = f32[2,3]{1,0:T(8,128)S(1)} parameter(0), metadata={op_name="caf\303\251"}
}

`, got)
}

// TestDetectNotText: HLO text, whatever it looks like, is not a protobuf.
func TestDetectNotText(t *testing.T) {
	texts := []string{
		"", "\n", "\n\n\n", "HloModule m\n", "name {\n  ROOT p = f32[] parameter(0)\n}\n",
		"computations {\n  p = f32[] parameter(0)\n}",
		"hlo_module {\n  ROOT %p = f32[] parameter(0)\n}\n", "\nHloModule m\n\nENTRY e {\n p = f32[] parameter(0)\n}\n",
		"id = f32[] parameter(0)", "# hlo_module", "name", "hlo_module", "\x0a\x05hello", "\x0a\xff\xff\xff\xff\xff",
		"\x08\x01", "{}", "hlo: |\n  HloModule m\n", "hlo_module: text",
	}
	files, err := filepath.Glob("../../testdata/*/*.hlo")
	require.NoError(t, err)
	shared, err := filepath.Glob("../../../shared/hlo-text/*/*.hlo")
	require.NoError(t, err)
	if len(shared) == 0 {
		t.Log("no ../shared/hlo-text next to the clone: only testdata is read")
	}
	for _, f := range append(files, shared...) {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	wrong := 0
	for _, text := range texts {
		for _, text := range []string{text, "\n" + text, "// a comment\n" + text} {
			if kind, ok := Detect([]byte(text)); ok {
				wrong++
				t.Errorf("%.60q is detected as %s", text, kind)
			}
		}
	}
	t.Logf("%d texts, %d taken for protobufs", len(texts), wrong)
}
