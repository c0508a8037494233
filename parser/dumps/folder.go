package dumps

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Entry is one text of a folder to work on: a module at one stage, or a file that is none of a dump.
type Entry struct {
	Path string
	// Module is the module whose stage this is, and Stage one of its Stages; both nil for a file that is none of a
	// dump.
	Module *Module
	Stage  *File
}

// Folder returns what to read of a folder, by the paths of all files in it and below. A module of a dump is an entry
// for each stage that at returns, mostly one; modules for which it returns none are lacking. Of the other files, those
// that accompany a dump (IsSidecar) are left out, and where a module was dumped, what does not end in .hlo: logs and
// notes are there, too. Without a dump the entries are in the order of paths, else in that of their folders: first the
// modules, by prefix and number.
func Folder(paths []string, at func(*Module) []*File) (entries []Entry, lacking []*Module) {
	dumped := map[string]bool{}
	for _, m := range Group(paths) {
		files := at(m)
		if len(files) == 0 {
			lacking = append(lacking, m)
		}
		for _, f := range files {
			entries = append(entries, Entry{f.Path, m, f})
		}
		dumped[folder(m.Stages[0].Path)] = true
	}
	for _, p := range paths {
		f, dir, ok := parsePath(p)
		if !ok {
			dir = folder(p)
		}
		switch {
		case ok && f.Holds != Other, IsSidecar(p):
		case dumped[dir] && (!isHLO(p) || strings.Contains(p, ".golden.hlo")):
		default:
			entries = append(entries, Entry{Path: p})
		}
	}
	if len(dumped) > 0 {
		slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(folder(a.Path), folder(b.Path)) })
	}
	return entries, lacking
}

func folder(name string) string { return path.Dir(slashes(name)) }

// hloName is the end of the name of a file that holds a module, whatever else its name says.
var hloName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.hlo(?:\.pb)?(?:\.gz|\.zst)?$`) })

func isHLO(name string) bool { return hloName().MatchString(name) }

// sidecar is the end of the name of a file that XLA writes next to the dumps of a module.
var sidecar = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`[-._](?:buffer-assignment(?:-values)?|live-range|memory-usage-report|thunk_sequence|hlo_module_config` +
			`|execution_options` +
			`|debug_options|flagfile|target_arguments|tpu_comp_env|transfer_stats|basic_compiler_metadata` +
			`|compile_options` +
			`|topology|autotune_results` +
			`|gpu_target_config)(?:\.(?:txt|pb|pbtxt|textproto|dot|html))?(?:\.gz|\.zst)?$`)
})

// IsSidecar reports whether a file's name says that it accompanies a dump and holds no module: a buffer assignment, a
// report, options, a drawing.
func IsSidecar(name string) bool {
	return sidecar().MatchString("." + path.Base(slashes(name)))
}

// LayoutEntry is the stage that layout assignment starts from: the dump before that pass, or before all passes.
const LayoutEntry = "before_layout-assignment,before_optimizations,final"

// At returns the dump that a person's word names; nil where there is none. The word is final, the name of a stage
// (before_optimizations, or with its number), the number of a step, PASS or after_PASS for the last dump after a pass,
// and before_PASS for the first dump before it. Several words are separated by commas: the first that names a dump
// counts.
func (m *Module) At(word string) *File {
	if first, rest, more := strings.Cut(word, ","); more {
		if f := m.At(first); f != nil {
			return f
		}
		return m.At(rest)
	}
	if word == "final" {
		return m.Final()
	}
	for i := range m.Stages {
		f := &m.Stages[i]
		step, err := strconv.Atoi(word)
		if f.Stage == word || err == nil && f.Step == step || f.Step < 0 && strings.HasSuffix(f.Stage, "_"+word) {
			return f
		}
	}
	if pass, before := strings.CutPrefix(word, "before_"); before {
		for i := range m.Stages {
			if fold(m.Stages[i].Before) == fold(pass) {
				return &m.Stages[i]
			}
		}
		if pairs := m.PassPairs(pass); len(pairs) > 0 {
			return pairs[0].Before
		}
		return nil
	}
	pairs := m.PassPairs(strings.TrimPrefix(word, "after_"))
	if len(pairs) == 0 {
		return nil
	}
	return pairs[len(pairs)-1].After
}
