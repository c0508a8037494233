package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hlolayout/printer/report"
)

// TestThirdParty holds THIRD_PARTY.md against the modules that the binary holds and their licence texts.
func TestThirdParty(t *testing.T) {
	modules, err := linked("hlolayout/cmd/hlolayout")
	require.NoError(t, err)
	require.NotEmpty(t, modules)
	var want strings.Builder
	for _, m := range modules {
		kind := m.kind()
		assert.NotEmptyf(t, kind, "%s has a licence that is not in kinds", m.path)
		fmt.Fprintf(&want, "| %s | %s |\n", m.path, kind)
	}
	text, err := os.ReadFile("../../THIRD_PARTY.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "| --- | --- |\n")
	require.True(t, found)
	assert.Equal(t, want.String(), table, "write these rows into THIRD_PARTY.md:\n%s", want.String())
}

// TestWheel holds a wheel's RECORD against its files, and its tags against its name.
func TestWheel(t *testing.T) {
	t.Chdir("../..")
	notices := file{"THIRD_PARTY_LICENSES.txt", []byte("b"), 0o644}
	d := distribution{licence: file{"LICENSE", []byte("a"), 0o644}, notices: notices, expression: "MIT"}
	wheel, err := d.wheel(file{"hlolayout", []byte("binary"), 0o755}, "manylinux_2_17_x86_64.musllinux_1_1_x86_64")
	require.NoError(t, err)
	assert.Equal(t, "hlolayout-"+report.Version+"-py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl", wheel.path)
	r, err := zip.NewReader(bytes.NewReader(wheel.data), int64(len(wheel.data)))
	require.NoError(t, err)
	texts := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		texts[f.Name] = string(text)
		assert.Equal(t, strings.Contains(f.Name, "/scripts/"), f.Mode() == 0o755, f.Name)
	}
	info := "hlolayout-" + report.Version + ".dist-info/"
	rows, err := csv.NewReader(strings.NewReader(texts[info+"RECORD"])).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, len(texts))
	for _, row := range rows[:len(rows)-1] {
		sum := sha256.Sum256([]byte(texts[row[0]]))
		digest, size := base64.RawURLEncoding.EncodeToString(sum[:]), strconv.Itoa(len(texts[row[0]]))
		assert.Equal(t, []string{"sha256=" + digest, size}, row[1:], row[0])
	}
	assert.Equal(t, []string{info + "RECORD", "", ""}, rows[len(rows)-1])
	assert.Contains(t, texts[info+"WHEEL"], "Tag: py3-none-manylinux_2_17_x86_64\nTag: py3-none-musllinux_1_1_x86_64\n")
	assert.Contains(t, texts[info+"METADATA"], "\nVersion: "+report.Version+"\n")
	for _, name := range []string{"__init__.py", "_results.py", "py.typed", "pytest_plugin.py"} {
		assert.Contains(t, texts, "hlolayout/"+name)
	}
}

// TestSources holds the source distribution to have what go build reads, each file once, and no tests.
func TestSources(t *testing.T) {
	t.Chdir("../..")
	files, err := goSources("./cmd/hlolayout", "./cmd/release")
	require.NoError(t, err)
	var paths []string
	for _, f := range files {
		assert.NotContains(t, paths, f.path)
		paths = append(paths, f.path)
		assert.NotRegexp(t, "_test.go$", f.path)
	}
	for _, want := range []string{
		"go.mod", "cmd/release/main.go", "cmd/hlolayout/default.pgo", "cmd/hlolayout/cpu_other.go",
		"printer/report/schema/stats.json",
	} {
		assert.Contains(t, paths, want)
	}
}

func TestPlatforms(t *testing.T) {
	assert.Len(t, options{}.platforms(), 6)
	assert.Empty(t, options{only: "none"}.platforms())
	assert.Equal(t, []platform{{"windows/arm64", "win_arm64"}}, options{only: "windows/arm64"}.platforms())
	other := options{only: "linux/riscv64", tag: "linux_riscv64"}
	assert.Equal(t, []platform{{"linux/riscv64", "linux_riscv64"}}, other.platforms())
}

func TestNoticesHoldEveryLicence(t *testing.T) {
	modules := []module{
		{"example.com/a", "v1.0.0", []string{"Permission is hereby granted,\nfree of charge, to A"}},
		{"example.com/b", "v2.0.0", []string{"Redistribution and use in source and binary forms\n * Neither the name " +
			"of B"}},
	}
	text, err := notices(modules)
	require.NoError(t, err)
	for _, part := range []string{"example.com/a v1.0.0 (MIT)", "to A", "example.com/b v2.0.0 (BSD-3-Clause)",
		"the name of B", "The Go Authors"} {
		assert.Contains(t, string(text), part)
	}
	_, err = notices([]module{{"example.com/c", "v1.0.0", []string{"All rights reserved."}}})
	assert.ErrorContains(t, err, "example.com/c")
}

// TestArchives unpacks nothing: that other tools can is the releases' own trial. It holds them to be the same bytes
// each time.
func TestArchives(t *testing.T) {
	files := []file{{"hlolayout", []byte("binary"), 0o755}, {"man/hlolayout.1", []byte("page"), 0o644}}
	for name, pack := range map[string]func(string, []file) ([]byte, error){"tar.gz": tarGz, "zip": zipped} {
		one, err := pack("hlolayout_v1", files)
		require.NoError(t, err)
		two, err := pack("hlolayout_v1", files)
		require.NoError(t, err)
		assert.Equal(t, one, two, name)
	}
}
