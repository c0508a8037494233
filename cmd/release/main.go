// Command release builds hlolayout for every platform and packs it: one archive a platform, with the licences of what
// is linked in, shell completions and the manual page; with -wheels also one Python wheel a platform and their
// sources; the list of what the binary holds (SBOM), and SHA256SUMS over all of them. From the root of a clone:
//
//	go run ./cmd/release -wheels -out dist
//
// The version is report.Version. The same sources and Go version make the same bytes, wherever the clone is. C
// compilers are not used.
package main

import (
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"hlolayout/printer/report"
)

// platform is what a package is built for: GOOS/GOARCH, and the platform tag of its wheel.
type platform struct{ name, tag string }

// platforms are those of a release. The binary is static: it runs with any C library of Linux; macOS 12 is the oldest
// that Go supports.
var platforms = []platform{
	{"linux/amd64", "manylinux_2_17_x86_64.musllinux_1_1_x86_64"},
	{"linux/arm64", "manylinux_2_17_aarch64.musllinux_1_1_aarch64"},
	{"darwin/amd64", "macosx_12_0_x86_64"},
	{"darwin/arm64", "macosx_12_0_arm64"},
	{"windows/amd64", "win_amd64"},
	{"windows/arm64", "win_arm64"},
}

// options are the flags.
type options struct {
	out              string
	archives, wheels bool
	// only is the platform to build for, "" for all of platforms, "none"; tag its wheel's, "" for that of platforms.
	only, tag string
}

func main() {
	var o options
	flag.StringVar(&o.out, "out", "dist", "the `folder` to write to")
	flag.BoolVar(&o.archives, "archives", true, "make archives")
	flag.BoolVar(&o.wheels, "wheels", false, "make Python wheels and their source distribution")
	flag.StringVar(&o.only, "platform", "", "build for this `platform` alone, such as linux/amd64, or for none")
	flag.StringVar(&o.tag, "wheel-tag", "", "the platform `tag` of the wheel of -platform, such as linux_riscv64")
	flag.Parse()
	if err := release(o); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release writes what the options say.
func release(o options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	d, err := newDistribution(o.archives)
	if err != nil {
		return err
	}
	artifacts := []file{{"hlolayout_" + report.Version + ".cdx.json", d.sbom, 0o666}}
	if o.wheels {
		sources, err := d.sdist()
		if err != nil {
			return err
		}
		artifacts = append(artifacts, sources)
	}
	for _, p := range o.platforms() {
		made, err := d.build(o, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		artifacts = append(artifacts, made...)
	}
	var sums strings.Builder
	for _, a := range artifacts {
		if err := os.WriteFile(filepath.Join(o.out, a.path), a.data, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(a.data), a.path)
	}
	fmt.Print(sums.String())
	return os.WriteFile(filepath.Join(o.out, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

// platforms returns what is built.
func (o options) platforms() []platform {
	switch o.only {
	case "":
		return platforms
	case "none":
		return nil
	}
	one := platform{name: o.only}
	for _, p := range platforms {
		if p.name == o.only {
			one = p
		}
	}
	one.tag = cmp.Or(o.tag, one.tag)
	return []platform{one}
}

// distribution is what the packages of all platforms have in common.
type distribution struct {
	licence, notices file
	sbom             []byte
	// expression is the licence of all that the binary holds, as SPDX writes it.
	expression string
	// extras are the other files of archives.
	extras []file
}

func newDistribution(archives bool) (*distribution, error) {
	text, err := os.ReadFile("LICENSE")
	if err != nil {
		return nil, fmt.Errorf("%w (release runs in the root of a clone)", err)
	}
	modules, err := linked("./cmd/hlolayout")
	if err != nil {
		return nil, err
	}
	notices, err := notices(modules)
	if err != nil {
		return nil, err
	}
	d := &distribution{
		licence:    file{"LICENSE", text, 0o644},
		notices:    file{"THIRD_PARTY_LICENSES.txt", notices, 0o644},
		expression: expression(modules),
	}
	if d.sbom, err = sbom(modules); err != nil || !archives {
		return d, err
	}
	d.extras, err = extraFiles()
	return d, err
}

// build compiles for one platform and packs the binary: an archive, a wheel.
func (d *distribution) build(o options, p platform) (made []file, err error) {
	goos, goarch, ok := strings.Cut(p.name, "/")
	if !ok {
		return nil, fmt.Errorf("a platform is GOOS/GOARCH, such as linux/amd64")
	}
	dir, err := os.MkdirTemp("", "hlolayout-release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := "hlolayout"
	if goos == "windows" {
		name += ".exe"
	}
	if err := compile(goos, goarch, filepath.Join(dir, name)); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	binary := file{name, data, 0o755}
	if o.archives {
		stem := strings.Join([]string{"hlolayout", report.Version, goos, goarch}, "_")
		pack, ending := tarGz, ".tar.gz"
		if goos == "windows" {
			pack, ending = zipped, ".zip"
		}
		data, err := pack(stem, append([]file{binary, d.licence, d.notices}, d.extras...))
		if err != nil {
			return nil, err
		}
		made = append(made, file{stem + ending, data, 0o666})
	}
	if o.wheels {
		wheel, err := d.wheel(binary, p.tag)
		if err != nil {
			return nil, err
		}
		made = append(made, wheel)
	}
	return made, nil
}

// compile builds the command. -trimpath keeps the folder out of the binary, -buildvcs=false the state of the clone.
func compile(goos, goarch, to string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", to, "./cmd/hlolayout")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// extraFiles are next to the binary and the licences in every archive. Completions and manual page are what
// the binary itself prints.
func extraFiles() ([]file, error) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		return nil, err
	}
	files := []file{{"README.md", text, 0o644}}
	dir, err := os.MkdirTemp("", "hlolayout-release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	host := filepath.Join(dir, "hlolayout")
	if err := compile(runtime.GOOS, runtime.GOARCH, host); err != nil {
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
