package cute

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	sample = "../../testdata/cute"
	shared = "../../../shared/cute"
)

type vector struct {
	Op     string
	Args   []json.RawMessage
	Result json.RawMessage
	Error  string
	Src    string
}

// text is an argument as the notation writes it.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// evaluate runs one vector through the evaluator; parse goes to ParseLayout, whose texts may not be closed.
func evaluate(v vector) (Value, error) {
	if v.Op == "parse" {
		l, err := ParseLayout(text(v.Args[0]))
		return ofLayout(l), err
	}
	args := make([]string, len(v.Args))
	for i, a := range v.Args {
		args[i] = text(a)
	}
	return Eval(v.Op + "(" + strings.Join(args, ",") + ")")
}

// asWritten are the operations that keep the strides of extents 1 as they came.
var asWritten = map[string]bool{"parse": true, "make_layout": true, "slice": true, "dice": true}

// agrees compares a result with the vector's; kinds of errors are compared too.
func agrees(v vector, got Value, err error) (bool, string) {
	if v.Error != "" {
		return errors.Is(err, Kind(v.Error)), "error " + v.Error
	}
	if err != nil {
		return false, string(v.Result)
	}
	if v.Op == "slice" {
		var want struct {
			Layout string
			Offset int64
		}
		if json.Unmarshal(v.Result, &want) != nil {
			return false, string(v.Result)
		}
		return got.Layout.String() == want.Layout && got.Int == want.Offset, string(v.Result)
	}
	want := text(v.Result)
	if got.Type == TypeLayout && !asWritten[v.Op] {
		l, err := ParseLayout(want)
		return err == nil && got.Layout.Equal(l.Normal()), want
	}
	return got.String() == want, want
}

func runVectors(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		t.Skipf("%s is not there; the sample in testdata/cute is tested instead", path)
	}
	require.NoError(t, err)
	var file struct{ Cases []vector }
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file.Cases)
	right := 0
	for i, v := range file.Cases {
		got, err := evaluate(v)
		if ok, want := agrees(v, got, err); ok {
			right++
		} else {
			t.Errorf("case %d: %s%s = %s, %v; want %s (%s)", i, v.Op, v.Args, got, err, want, v.Src)
		}
	}
	t.Logf("%s: %d of %d right", filepath.Base(path), right, len(file.Cases))
}

func TestVectors(t *testing.T)       { runVectors(t, filepath.Join(shared, "vectors_public.json")) }
func TestVectorsSample(t *testing.T) { runVectors(t, filepath.Join(sample, "vectors_sample.json")) }

// TestVectorCheckFails makes sure that the comparison above can fail.
func TestVectorCheckFails(t *testing.T) {
	for i, v := range []vector{
		{Op: "size", Args: []json.RawMessage{[]byte(`"4:1"`)}, Result: []byte("5")},
		{Op: "coalesce", Args: []json.RawMessage{[]byte(`"(2,2):(1,2)"`)}, Result: []byte(`"(2,2):(1,2)"`)},
		{Op: "parse", Args: []json.RawMessage{[]byte(`"4:1"`)}, Error: "parse"},
		{Op: "slice", Args: []json.RawMessage{[]byte(`"(2,3):(1,2)"`), []byte(`"(1,_)"`)},
			Result: []byte(`{"layout":"(3):(2)","offset":0}`)},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			got, err := evaluate(v)
			ok, _ := agrees(v, got, err)
			require.False(t, ok)
		})
	}
}
