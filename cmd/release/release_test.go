package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

func TestNoticesHoldEveryLicence(t *testing.T) {
	modules := []module{
		{"example.com/a", "v1.0.0", []string{"Permission is hereby granted,\nfree of charge, to A"}},
		{"example.com/b", "v2.0.0", []string{"Redistribution and use in source and binary forms\n * Neither the name of B"}},
	}
	text, err := notices(modules)
	require.NoError(t, err)
	for _, part := range []string{"example.com/a v1.0.0 (MIT)", "to A", "example.com/b v2.0.0 (BSD-3-Clause)", "the name of B", "The Go Authors"} {
		assert.Contains(t, string(text), part)
	}
	_, err = notices([]module{{"example.com/c", "v1.0.0", []string{"All rights reserved."}}})
	assert.ErrorContains(t, err, "example.com/c")
}

// TestArchives unpacks nothing: that other tools can is the releases' own trial. It holds them to be the same bytes each time.
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
