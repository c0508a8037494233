package forms_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"hlolayout/parser"
	"hlolayout/parser/forms"
	"hlolayout/parser/hloproto"
	"hlolayout/printer"
)

// message is a field of a protobuf with another message or a string in it.
func message(number protowire.Number, parts ...[]byte) []byte {
	var inner []byte
	for _, p := range parts {
		inner = append(inner, p...)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), inner)
}

func number(field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), n)
}

func entry(field protowire.Number, key uint64, parts ...[]byte) []byte {
	return message(field, number(1, key), message(2, parts...))
}

// profile is an XSpace: a plane with other events, and one with two programs.
func profile(t *testing.T, dump []byte) []byte {
	program := func(name string, id uint64) []byte {
		return entry(4, id, number(1, id), message(2, []byte(name)), message(4, []byte(name)),
			message(5, number(1, 8), message(5, []byte("other"))), message(5, number(1, 7), message(6, dump)))
	}
	return append(message(1, number(1, 1), message(2, []byte("/device:TPU:0 (pid 3)")),
		message(3, number(1, 1), message(11, []byte("XLA Ops")))),
		message(1, message(2, []byte("/host:metadata")), program("jit_g(12)", 2), program("jit_f(9)", 1),
			entry(4, 5, message(2, []byte("no program"))),
			entry(5, 7, number(1, 7), message(2, []byte("Hlo Proto"))),
			entry(5, 8, number(1, 8), message(2, []byte("tf_op"))))...)
}

func TestProfile(t *testing.T) {
	dump, err := os.ReadFile("../../testdata/proto/made_ops.pb")
	require.NoError(t, err)
	want, err := hloproto.Parse("made_ops.pb", dump)
	require.NoError(t, err)
	data := profile(t, dump)
	in, err := forms.Parse(parser.Config{}, "in.xplane.pb", string(data))
	require.NoError(t, err)
	assert.Equal(t, "profile", in.Form)
	require.Len(t, in.Modules, 2)
	for i, name := range []string{"in.xplane.pb(jit_f(9))", "in.xplane.pb(jit_g(12))"} {
		assert.Equal(t, name, in.Modules[i].File)
		assert.Equal(t, printer.Print(want), printer.Print(in.Modules[i]))
	}
	for n := range data {
		if n%97 == 0 {
			_, _ = forms.Parse(parser.Config{}, "in.xplane.pb", string(data[:n])) // does not panic
		}
	}
	_, err = forms.Parse(parser.Config{}, "in.xplane.pb", string(profile(t, nil)))
	require.Error(t, err)
	assert.Contains(t, err.Error(), "in.xplane.pb: this is a profile without HLO; ")
}
