package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hlolayout/printer/report"
)

// python is the folder of the Python package.
const python = "cmd/hlolayout-python"

// metadata is the head of METADATA and PKG-INFO; the description follows it.
const metadata = `Metadata-Version: 2.4
Name: hlolayout
Version: %s
Summary: The layouts that the TPU compiler gives the arrays of an XLA HLO module: assigned, explained, compared
License-Expression: %s
License-File: LICENSE
License-File: THIRD_PARTY_LICENSES.txt
Keywords: jax,xla,hlo,tpu,layout
Classifier: Development Status :: 4 - Beta
Classifier: Framework :: Pytest
Classifier: Intended Audience :: Developers
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.10
Description-Content-Type: text/markdown

`

// metadata returns the package's metadata with its page as description.
func (d *distribution) metadata() ([]byte, error) {
	page, err := os.ReadFile(python + "/README.md")
	return append(fmt.Appendf(nil, metadata, report.Version, d.expression), page...), err
}

// wheel returns the wheel of one binary. tag names platforms, several with dots between them.
func (d *distribution) wheel(binary file, tag string) (file, error) {
	about, err := d.metadata()
	if err != nil {
		return file{}, err
	}
	files, err := pythonFiles("hlolayout/*")
	if err != nil {
		return file{}, err
	}
	kind := "Wheel-Version: 1.0\nGenerator: hlolayout-release\nRoot-Is-Purelib: false\n"
	for _, t := range strings.Split(tag, ".") {
		kind += "Tag: py3-none-" + t + "\n"
	}
	stem := "hlolayout-" + report.Version
	info := stem + ".dist-info/"
	files = append(files,
		file{stem + ".data/scripts/" + binary.path, binary.data, binary.mode},
		file{info + "METADATA", about, 0o644},
		file{info + "WHEEL", []byte(kind), 0o644},
		file{info + "entry_points.txt", []byte("[pytest11]\nhlolayout = hlolayout.pytest_plugin\n"), 0o644},
		file{info + "licenses/" + d.licence.path, d.licence.data, 0o644},
		file{info + "licenses/" + d.notices.path, d.notices.data, 0o644},
		file{info + "sboms/hlolayout.cdx.json", d.sbom, 0o644},
	)
	var record strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.path, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	data, err := zipped("", append(files, file{info + "RECORD", []byte(record.String()), 0o644}))
	return file{fmt.Sprintf("%s-py3-none-%s.whl", stem, tag), data, 0o666}, err
}

// pythonFiles returns the files of the Python package that match a pattern, with paths from its folder.
func pythonFiles(pattern string) (files []file, err error) {
	paths, err := fs.Glob(os.DirFS(python), pattern)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if info, err := os.Stat(path.Join(python, p)); err != nil || info.IsDir() {
			continue // __pycache__
		}
		text, err := os.ReadFile(path.Join(python, p))
		if err != nil {
			return nil, err
		}
		files = append(files, file{p, text, 0o644})
	}
	return files, nil
}

// sdist returns the sources, of which backend.py builds a wheel with Go: what the two commands are made of, and the
// Python package.
func (d *distribution) sdist() (file, error) {
	about, err := d.metadata()
	if err != nil {
		return file{}, err
	}
	sources, err := goSources("./cmd/hlolayout", "./cmd/release")
	if err != nil {
		return file{}, err
	}
	settings, err := os.ReadFile(python + "/pyproject.toml")
	if err != nil {
		return file{}, err
	}
	inside := bytes.Replace(settings, []byte(`backend-path = ["."]`), []byte(`backend-path = ["`+python+`"]`), 1)
	if bytes.Equal(inside, settings) {
		return file{}, errors.New("pyproject.toml has no backend-path")
	}
	files := []file{{"PKG-INFO", about, 0o644}, {"pyproject.toml", inside, 0o644}, d.licence, d.notices}
	for _, pattern := range []string{"*.py", "README.md", "pyproject.toml", "hlolayout/*"} {
		found, err := pythonFiles(pattern)
		if err != nil {
			return file{}, err
		}
		for _, f := range found {
			files = append(files, file{path.Join(python, f.path), f.data, f.mode})
		}
	}
	stem := "hlolayout-" + report.Version
	data, err := tarGz(stem, append(files, sources...))
	return file{stem + ".tar.gz", data, 0o666}, err
}

// goSources returns the files of this module that the commands are built from, for any platform.
func goSources(commands ...string) (files []file, err error) {
	args := []string{"list", "-deps", "-json=Dir,Module,GoFiles,IgnoredGoFiles,EmbedFiles"}
	cmd := exec.Command("go", append(args, commands...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	paths := []string{"go.mod", "go.sum", "README.md", "cmd/hlolayout/default.pgo"}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir                                 string
			Module                              *struct{ Main bool }
			GoFiles, IgnoredGoFiles, EmbedFiles []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		dir, err := filepath.Rel(root, p.Dir)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles, p.EmbedFiles) {
			if !strings.HasSuffix(name, "_test.go") { // passes/layout embeds the packages below it whole
				paths = append(paths, path.Join(filepath.ToSlash(dir), name))
			}
		}
	}
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		files = append(files, file{p, text, 0o644})
	}
	return files, nil
}
