package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/passes/check"
	"hlolayout/passes/entry"
	"hlolayout/tpu"

	"github.com/urfave/cli/v3"
)

// defaultTPU is the generation for which a module is judged where nothing names one.
const defaultTPU = "v5e"

// target is the generation that a module is judged for, and what named it.
type target struct {
	*tpu.Target
	source string
	built  string // what names the version of the compiler, "" where nothing does
	// doubt says what shows that the module is not of the default generation, and which ones it may be of; "" for
	// nothing.
	doubt string
}

// targeting finds the target of each module: the one that flags name or, without them, the one that the files next to a
// dump name, or that the module's layouts show, else the default.
type targeting struct {
	asked   *target // nil where no flag names one
	libtpu  string  // of --libtpu
	options tpu.Options
	entry   entry.Mode // of --entry-layouts

	mu   sync.Mutex
	seen map[string]descriptions // by folder
}

// targetFlags are the flags that targetsOf reads.
func targetFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "tpu", DefaultText: "what the dump's folder says or the module's layouts " +
			"show, else " + defaultTPU,
			Usage: "judge for this `GENERATION`: " + strings.Join(tpu.Names(), ", ") + `, or another name of it such ` +
				`as "TPU v5 lite"`},
		&cli.StringFlag{Name: "target-file", Usage: "judge for the target in the JSON `FILE` (hlolayout targets " +
			"prints one to start from)"},
		libtpuFlag("what the dump's name says, else "),
		entryLayoutsFlag(),
	}
}

func libtpuFlag(first string) cli.Flag {
	return &cli.StringFlag{Name: "libtpu", DefaultText: first + tpu.DefaultLibTPU,
		Usage: "assign layouts as this `VERSION` of the compiler does (explain --rules says where versions differ)"}
}

func entryLayoutsFlag() cli.Flag {
	return oneOfFlag(&cli.StringFlag{Name: "entry-layouts", DefaultText: "decided by the module",
		Usage: "where parameters and results get their layouts from: `WHERE` is default, the target's, or " +
			"as-written, entry_computation_layout; " +
			"left out, as written where they have tiles or a pinned mode, else the target's"}, string(entry.Default),
		string(entry.AsWritten))
}

// targetsOf reads the flags --tpu, --target-file, --entry-layouts and the options of assign.
func targetsOf(c *cli.Command) (*targeting, error) {
	ts := &targeting{entry: entry.Mode(c.String("entry-layouts")), libtpu: c.String("libtpu"),
		seen: map[string]descriptions{}}
	if _, err := new(tpu.Target).WithLibTPU(ts.libtpu); err != nil {
		return nil, usage(c.Name, "--%v", err)
	}
	if err := alone(c, "tpu", "target-file"); err != nil {
		return nil, err
	}
	switch file := c.String("target-file"); {
	case file != "":
		t, err := readTarget(file)
		if err != nil {
			return nil, err
		}
		ts.asked, ts.options = &target{Target: t, source: "--target-file"}, t.Options
	case c.IsSet("tpu"):
		t, err := tpu.ByName(c.String("tpu"))
		if err != nil {
			return nil, err
		}
		ts.asked = &target{Target: t, source: "--tpu"}
	}
	if c.IsSet("pred-packing") {
		ts.options.PredPacking = c.String("pred-packing")
	}
	if c.IsSet("small-tiles") {
		ts.options.SmallTiles = c.String("small-tiles")
	}
	if ts.asked == nil {
		return ts, nil
	}
	t, err := ts.asked.WithOptions(ts.options)
	ts.asked.Target = t
	return ts, err
}

// targetOf returns the target of a command whose input is not a file: what flags name, or the default.
func targetOf(c *cli.Command) (*tpu.Target, error) {
	ts, err := targetsOf(c)
	if err != nil {
		return nil, err
	}
	t, err := ts.of(input{path: "-"}, nil)
	return t.Target, err
}

// of returns the target of a module of an input; the module is nil where none is read.
func (ts *targeting) of(in input, m *hlo.Module) (target, error) {
	if ts.asked != nil {
		return ts.compiledBy(*ts.asked, in)
	}
	found := ts.beside(in)
	if found == nil {
		found = shownBy(m)
	}
	t, err := found.WithOptions(ts.options)
	if err != nil {
		return target{}, err
	}
	return ts.compiledBy(target{Target: t, source: found.source, doubt: found.doubt}, in)
}

// shownBy returns the target that nothing names: the default, unless the module's memories and tiles are those of one
// other generation alone. Where they are those of several others, the default is doubted.
func shownBy(m *hlo.Module) *target {
	t, why := contradicted(m, defaultTPU)
	if why == "" {
		return &target{Target: t, source: "default"}
	}
	var fitting []*tpu.Target
	var names []string
	for _, name := range tpu.Names() {
		if other, why := contradicted(m, name); why == "" {
			fitting, names = append(fitting, other), append(names, name)
		}
	}
	switch len(names) {
	case 0: // it shows nothing
		return &target{Target: t, source: "default"}
	case 1:
		return &target{Target: fitting[0], source: "the module's layouts"}
	}
	return &target{Target: t, source: "default", doubt: fmt.Sprintf("not of %s (%s): choose %s or %s with --tpu",
		t.Name, why, strings.Join(names[:len(names)-1], ", "), names[len(names)-1])}
}

// contradicted returns a generation by its name, and what shows that a module is not of it.
func contradicted(m *hlo.Module, name string) (t *tpu.Target, why string) {
	t, err := tpu.ByName(name)
	if err != nil {
		panic(err) // one of tpu.Names
	}
	if m != nil {
		why = check.Contradiction(m, t)
	}
	return t, why
}

// compiledBy returns a target with the version of the compiler that an input is judged by: what the flag or a file that
// describes the target names, or the input's own name; else without one.
func (ts *targeting) compiledBy(t target, in input) (target, error) {
	version := t.LibTPU
	switch {
	case ts.libtpu != "":
		version, t.built = ts.libtpu, "--libtpu"
	case version != "":
		t.built = cmp.Or(t.built, t.source)
	default:
		version, t.built = builtBy(filepath.Base(in.path), "the dump's name")
	}
	if version == "" {
		return t, nil
	}
	oldest, newest := tpu.OldestLibTPU(), tpu.NewestLibTPU()
	switch {
	case tpu.CompareVersions(version, newest) > 0:
		t.built += fmt.Sprintf(", by the rules of %s: known are %s to %[1]s", newest, oldest)
	case tpu.CompareVersions(version, oldest) < 0:
		t.built += fmt.Sprintf(", by the rules of %s: known are %[1]s to %s", oldest, newest)
	}
	with, err := t.WithLibTPU(version)
	t.Target = with
	return t, err
}

// builtBy returns the version of the compiler that a text from source names, and what says so; "" where it names none.
func builtBy(text, source string) (version, by string) {
	r, exact, ok := tpu.BuiltBy(text)
	switch {
	case !ok:
		return "", ""
	case !exact:
		return r.Version, source + ", the nearest known release"
	}
	return r.Version, source
}

// dumpPrefix takes a dump's name apart: what all files of one module begin with, up to its number.
var dumpPrefix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:.*\.)?module_[0-9]+\.`) })

// beside returns the target that the files next to a dump name, nil without such files: those of its own module, those
// of the folder, or those of all other modules of the folder where they name one generation.
func (ts *targeting) beside(in input) *target {
	if in.path == "-" {
		return nil
	}
	folder, base := filepath.Split(in.path)
	module := dumpPrefix().FindString(base)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	all, known := ts.seen[folder]
	if !known {
		all = descriptionsIn(folder)
		ts.seen[folder] = all
	}
	found := cmp.Or(all.of(module), all.of(""))
	if found != nil || module == "" {
		return found
	}
	for _, other := range slices.Sorted(maps.Keys(all)) {
		t := all.of(other)
		if t == nil {
			continue
		}
		if found != nil && found.Name != t.Name {
			return nil
		}
		found = &target{Target: t.Target, source: t.source + " of the folder's other modules"}
	}
	return found
}

// The files in which libtpu describes the target: MODULE.target_arguments.txt and MODULE/topology.textproto.
const (
	argumentsFile = "target_arguments.txt"
	topologyFile  = "topology.textproto"
)

// descriptions are the files of a folder that describe targets, by what the names of a module's files begin with, ""
// for the folder itself.
type descriptions map[string]*description

type description struct {
	paths []string // those not read yet, the best last
	found *target
}

func descriptionsIn(folder string) descriptions {
	all := descriptions{}
	add := func(module string, path ...string) {
		if all[module] == nil {
			all[module] = &description{}
		}
		all[module].paths = append(all[module].paths, filepath.Join(append([]string{folder}, path...)...))
	}
	entries := entriesOf(folder) // of no files nothing is found
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		switch module := dumpPrefix().FindString(name); {
		case entries[name] && module != "":
			add(module, name, topologyFile)
		case name == topologyFile, name == argumentsFile, module != "" && strings.HasSuffix(name, argumentsFile):
			add(module, name)
		}
	}
	return all
}

// of returns the target of a module's files, nil where they describe none.
func (all descriptions) of(module string) *target {
	d := all[module]
	if d == nil {
		return nil
	}
	for d.found == nil && len(d.paths) > 0 {
		path := d.paths[len(d.paths)-1]
		d.paths = d.paths[:len(d.paths)-1]
		d.found = describedIn(path)
	}
	return d.found
}

// describedIn returns the target that a file describes, nil where it describes none.
func describedIn(path string) *target {
	text, err := readRegular(path)
	if err != nil {
		return nil
	}
	generation, ok := tpu.Described(string(text))
	if !ok {
		return nil
	}
	t, err := tpu.ByName(generation)
	if err != nil {
		return nil
	}
	source := argumentsFile
	if strings.HasSuffix(path, topologyFile) {
		source = topologyFile
	}
	found := &target{Target: t, source: source}
	t.LibTPU, found.built = builtBy(string(text), source)
	return found
}

func readTarget(path string) (*tpu.Target, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", path, reason(err))
	}
	defer f.Close()
	t, err := tpu.ReadTarget(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	return t, nil
}
