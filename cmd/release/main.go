// Command release builds hlolayout for every platform and packs it: one archive a platform, with the licences of what is linked
// in, shell completions and the manual page, and SHA256SUMS over all of them. From the root of a clone:
//
//	go run ./cmd/release -version v1.2.3 -out dist
//
// The same sources, Go version and -version make the same bytes, wherever the clone lies. C compilers are not used.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// platforms are what a release is built for, as GOOS/GOARCH.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	version := flag.String("version", "(devel)", "the `version` that hlolayout --version prints and archives are named after")
	out := flag.String("out", "dist", "the `folder` to write to")
	only := flag.String("platforms", strings.Join(platforms, ","), "the `platforms` to build for")
	flag.Parse()
	if err := release(*version, *out, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release writes the archives of the platforms and SHA256SUMS to the folder out.
func release(version, out string, platforms []string) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	extras, err := extraFiles(version)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, p := range platforms {
		archive, err := build(version, out, p, extras)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		data, err := os.ReadFile(filepath.Join(out, archive))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), archive)
	}
	fmt.Print(sums.String())
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

// build compiles for one platform and packs the binary with the other files. It returns the archive's name.
func build(version, out, platform string, extras []file) (archive string, err error) {
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return "", fmt.Errorf("a platform is GOOS/GOARCH, such as linux/amd64")
	}
	dir, err := os.MkdirTemp("", "hlolayout-release")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	name := "hlolayout"
	if goos == "windows" {
		name += ".exe"
	}
	if err := compile(version, goos, goarch, filepath.Join(dir, name)); err != nil {
		return "", err
	}
	binary, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	stem := strings.Join([]string{"hlolayout", strings.Trim(version, "()"), goos, goarch}, "_")
	pack, ending := tarGz, ".tar.gz"
	if goos == "windows" {
		pack, ending = zipped, ".zip"
	}
	data, err := pack(stem, append([]file{{name, binary, 0o755}}, extras...))
	if err != nil {
		return "", err
	}
	return stem + ending, os.WriteFile(filepath.Join(out, stem+ending), data, 0o666)
}

// compile builds the command. -trimpath keeps the folder out of the binary, -buildvcs=false the state of the clone.
func compile(version, goos, goarch, to string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.release="+version, "-o", to, "./cmd/hlolayout")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// extraFiles are what lies beside the binary in every archive. Completions and manual page are what the binary itself prints.
func extraFiles(version string) ([]file, error) {
	var files []file
	for _, name := range []string{"LICENSE", "README.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("%w (release runs in the root of a clone)", err)
		}
		files = append(files, file{name, text, 0o644})
	}
	modules, err := linked("./cmd/hlolayout")
	if err != nil {
		return nil, err
	}
	notices, err := notices(modules)
	if err != nil {
		return nil, err
	}
	files = append(files, file{"THIRD_PARTY_LICENSES.txt", notices, 0o644})

	dir, err := os.MkdirTemp("", "hlolayout-release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	host := filepath.Join(dir, "hlolayout")
	if err := compile(version, runtime.GOOS, runtime.GOARCH, host); err != nil {
		return nil, err
	}
	for _, printed := range []struct {
		file string
		args []string
	}{
		{"completions/hlolayout.bash", []string{"completion", "bash"}},
		{"completions/_hlolayout", []string{"completion", "zsh"}},
		{"completions/hlolayout.fish", []string{"completion", "fish"}},
		{"completions/hlolayout.ps1", []string{"completion", "powershell"}},
		{"man/hlolayout.1", []string{"man"}},
	} {
		text, err := exec.Command(host, printed.args...).Output()
		if err != nil {
			return nil, fmt.Errorf("hlolayout %s: %w", strings.Join(printed.args, " "), err)
		}
		files = append(files, file{printed.file, text, 0o644})
	}
	return files, nil
}
