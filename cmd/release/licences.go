package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// module is a module of somebody else's that is linked into the binary.
type module struct {
	path, version string
	// licences are the texts of its licence files, in the order of their names.
	licences []string
}

// licenceFiles match the names under which modules keep their licences and notices.
var licenceFiles = []string{"LICENSE*", "LICENCE*", "COPYING*", "NOTICE*", "PATENTS*"}

// linked returns the modules that a package's binary holds on any of the platforms, sorted by path.
func linked(pkg string) ([]module, error) {
	found := map[string]module{}
	for _, platform := range platforms {
		goos, goarch, _ := strings.Cut(platform.name, "/")
		cmd := exec.Command("go", "list", "-deps", "-json=Module", pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, err
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if m := p.Module; m != nil && !m.Main && found[m.Path].path == "" {
				texts, err := licenceTexts(m.Dir)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", m.Path, err)
				}
				found[m.Path] = module{m.Path, m.Version, texts}
			}
		}
	}
	var out []module
	for _, m := range found {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// licenceTexts returns the licence files of a module's folder.
func licenceTexts(dir string) ([]string, error) {
	var paths, out []string
	for _, pattern := range licenceFiles {
		found, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	slices.Sort(paths)
	for _, p := range paths {
		text, err := os.ReadFile(filepath.Join(dir, p))
		if err != nil {
			return nil, err
		}
		out = append(out, string(text))
	}
	if len(out) == 0 {
		return nil, errors.New("no licence file")
	}
	return out, nil
}

// kinds are the licences that may be linked in, by phrases of which a text under them has one.
var kinds = []struct {
	name    string
	phrases []string
}{
	{"Apache-2.0", []string{"Apache License Version 2.0"}},
	{"BSD-3-Clause", []string{"Neither the name of", "without specific prior written permission"}},
	{"BSD-2-Clause", []string{"Simplified BSD License"}},
	{"MIT", []string{"Permission is hereby granted, free of charge"}},
}

// spdx returns the SPDX names of a module's licences; none where its texts are none of kinds.
func (m module) spdx() (names []string) {
	text := strings.Join(strings.Fields(strings.Join(m.licences, " ")), " ")
	for _, k := range kinds {
		if slices.ContainsFunc(k.phrases, func(p string) bool { return strings.Contains(text, p) }) {
			names = append(names, k.name)
		}
	}
	return names
}

// kind returns the names of a module's licences in words, as "A and B"; "" where it has none of kinds.
func (m module) kind() string { return strings.Join(m.spdx(), " and ") }

// expression returns the licences of a binary with the modules as an SPDX expression: ours first, BSD-3-Clause for
// Go's library.
func expression(modules []module) string {
	names := []string{"BSD-3-Clause"}
	for _, m := range modules {
		names = append(names, m.spdx()...)
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "Apache-2.0" })
	return strings.Join(append([]string{"Apache-2.0"}, names...), " AND ")
}

// notices returns the licences of the modules as one text, as their terms ask of whoever passes on the binary.
func notices(modules []module) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("hlolayout is under Apache-2.0 (LICENSE). Its binary holds the following modules and Go's standard " +
		"library.\n")
	for _, m := range modules {
		kind := m.kind()
		if kind == "" {
			return nil, fmt.Errorf("%s: its licence is none of those that may be linked in", m.path)
		}
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n\n", strings.Repeat("=", 100), m.path, m.version, kind)
		for _, text := range m.licences {
			b.WriteString(strings.TrimSpace(text) + "\n")
		}
	}
	std, err := goLicence()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n%s\nGo's standard library and runtime (BSD-3-Clause)\n\n%s", strings.Repeat("=", 100), std)
	return b.Bytes(), nil
}

// goLicence returns the licence of the Go distribution that builds.
func goLicence() ([]byte, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
}
