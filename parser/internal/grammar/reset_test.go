package grammar

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/parser/internal/build"
)

// TestReset reads modules and resets the parser: it holds on to nothing of them, not even after the ends of its lists.
func TestReset(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/*.hlo")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	p := New(build.New("", "", build.Options{}))
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		p.Builder().Begin(file, string(text), build.Options{})
		p.Parse(build.ModuleRule, build.Text{End: uint32(len(text))})
		p.Builder().Finish()
		p.Reset()
		held := map[string]bool{}
		find(reflect.ValueOf(p), "parser", held, map[uintptr]bool{})
		assert.Empty(t, held, file)
	}
}

// find enters the fields under v that have text, a part of a module, or an entry of a map.
func find(v reflect.Value, path string, held map[string]bool, seen map[uintptr]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return
		}
		seen[v.Pointer()] = true
		if strings.HasSuffix(v.Type().Elem().PkgPath(), "hlolayout/hlo") {
			held[path] = true
			return
		}
		find(v.Elem(), path, held, seen)
	case reflect.Struct:
		for i := range v.NumField() {
			find(v.Field(i), path+"."+v.Type().Field(i).Name, held, seen)
		}
	case reflect.Slice:
		for i := range v.Cap() {
			find(v.Slice(0, v.Cap()).Index(i), path+"[]", held, seen)
		}
	case reflect.Map:
		if v.Len() > 0 {
			held[path] = true
		}
	case reflect.String:
		if v.Len() > 0 {
			held[path] = true
		}
	}
}
