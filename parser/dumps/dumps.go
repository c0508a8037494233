// Package dumps says what the names of the files in a folder of --xla_dump_to mean: which module, which pass, in which
// order.
//
// A name is [PREFIX.]module_NUMBER[.FUNCTION].STAGE.EXTENSION (FilenameFor in XLA's service/dump.cc). PREFIX is a time
// stamp (--xla_dump_include_timestamp) or what a launcher puts there for each process or thread. NUMBER counts modules
// in one process: the same function has another one in the next. STAGE is
//
//	before_optimizations, after_optimizations     the ends of the compilation, sm_8.0_gpu_after_optimizations elsewhere
//	STEP.PIPELINE.after_PASS.before_PASS          between two passes (DumpHloModuleBetweenPassesIfEnabled)
//	STEP.PASS.TEXT                                inside of a pass (DumpHloModuleDuringPassIfEnabled)
//	oom_intermediate_module                       the module that did not fit the memory of a TPU
//
// XLA dumps at the start of a pipeline, and after a pass only if it changed the module
// (HloPassPipeline::RunPassesInternal).
package dumps

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// File is one file of a dump folder.
type File struct {
	// Path is the path as it was given.
	Path string
	// Prefix is what precedes module_, "" for nothing; Number is the module's.
	Prefix string
	Number int
	// Function is the module's name without the compiler's build (.cl_123); "" where XLA left it out because it is too
	// long.
	Function string
	// Stage is the name from the step on, without its extension.
	Stage string
	// Step is the number of the dump, -1 where it has none. Pipeline is the pipeline, or the pass where the dump was
	// taken inside of one; After and Before are the passes around the dump, "" where the name does not say.
	Step                    int
	Pipeline, After, Before string
	// Holds says what is in the file.
	Holds Content
}

// Content is what a file holds.
type Content uint8

// What files hold: a module as text, a module as protobuf, or something else, such as a buffer assignment.
const (
	Other Content = iota
	Text
	Proto
)

// PipelineStart in File.After marks the dump at the start of a pipeline, PipelineEnd in File.Before for the one at
// its end.
const (
	PipelineStart = "pipeline-start"
	PipelineEnd   = "pipeline-end"
)

var (
	moduleName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:(.*)\.)?module_(\d+)\.(.+)$`) })
	// The longest function wins: it may have its own dots and numbers.
	stepName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(.*)\.)?(\d{4,})\.([^.]+)\.(.+)$`)
	})
	endName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`^(?:(.*?)\.)??` +
				`((?:sm_\d+\.\d+_|gfx\w+_)?(?:\w+_)?` +
				`(?:before|after)_(?:optimizations\w*|codegen)|oom_intermediate_module)$`)
	})
	passes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^after_(.+)\.before_(.+)$`) })
	build  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.cl_\d+$`) })
)

// extensions are those of files that may hold a module, the longest first.
var extensions = []struct {
	name  string
	holds Content
}{{".hlo.pb", Proto}, {".hlo", Text}, {".txt", Text}, {".pb", Proto}}

// ParseName reads the name of a file; ok is false where it is none of a dump.
func ParseName(name string) (f File, ok bool) {
	f = File{Path: name, Step: -1}
	base := path.Base(slashes(name))
	parts := moduleName().FindStringSubmatch(base)
	if parts == nil {
		return f, false
	}
	var err error
	if f.Number, err = strconv.Atoi(parts[2]); err != nil {
		return f, false
	}
	f.Prefix = parts[1]
	rest, holds := strings.TrimSuffix(strings.TrimSuffix(parts[3], ".gz"), ".zst"), Other
	for _, e := range extensions {
		if stem, cut := strings.CutSuffix(rest, e.name); cut {
			rest, holds = stem, e.holds
			break
		}
	}
	if s := stepName().FindStringSubmatch(rest); s != nil {
		if f.Step, err = strconv.Atoi(s[2]); err != nil {
			return f, false
		}
		f.Function, f.Pipeline, f.Stage, f.Holds = s[1], s[3], s[2]+"."+s[3]+"."+s[4], holds
		if p := passes().FindStringSubmatch(s[4]); p != nil {
			f.After, f.Before = p[1], p[2]
		}
	} else if s := endName().FindStringSubmatch(rest); s != nil {
		f.Function, f.Stage, f.Holds = s[1], s[2], holds
	} else {
		f.Function, f.Stage = splitOther(rest)
	}
	f.Function = build().ReplaceAllString(f.Function, "")
	return f, true
}

// slashes writes a path of Windows with slashes too.
func slashes(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// splitOther divides what is not a dump of a module, such as jit_f.cl_1.hlo_module_config: after the build where the
// name has one, else at the last dot.
func splitOther(rest string) (function, stage string) {
	if at := regexp.MustCompile(`\.cl_\d+\.`).FindStringIndex(rest); at != nil {
		return rest[:at[0]], rest[at[1]:]
	}
	if at := strings.LastIndexByte(rest, '.'); at >= 0 {
		return rest[:at], rest[at+1:]
	}
	return rest, ""
}

// Title is the stage in few words, such as "0031 layout-assignment" or "before_optimizations".
func (f *File) Title() string {
	switch {
	case f.Step < 0:
		return f.Stage
	case f.After == "":
		return fmt.Sprintf("%04d %s inside %s", f.Step, strings.TrimPrefix(f.Stage[strings.IndexByte(f.Stage, '.')+1:],
			f.Pipeline+"."), f.Pipeline)
	case f.After == PipelineStart:
		return fmt.Sprintf("%04d start of %s", f.Step, f.Pipeline)
	}
	return fmt.Sprintf("%04d after %s in %s", f.Step, f.After, f.Pipeline)
}

// Module is all files of one module of one process.
type Module struct {
	Prefix   string
	Number   int
	Function string
	// Later are the numbers under which compilers up to libtpu 0.0.24 went on with a module: removing its 64-bit integers
	// made it another one.
	Later []int
	// Stages hold the module, in the order in which they were dumped; one that is there as text and as protobuf is here
	// as text.
	Stages []File
	// Others are the files that hold something else: those next to the stages, and those in a folder with the module's
	// name.
	Others []File
}

// Name is how the module is called in lists: module_0031 jit_f.
func (m *Module) Name() string {
	return strings.TrimSpace(fmt.Sprintf("module_%04d %s", m.Number, m.Function))
}

// Is reports whether a person's word names the module: its function or one of its numbers.
func (m *Module) Is(word string) bool {
	n, err := strconv.Atoi(word)
	return m.Function == word || err == nil && (m.Number == n || slices.Contains(m.Later, n))
}

// Group sorts the files of a folder into modules, in the order of prefix and number. Paths whose names are none of a
// dump are left out. Two programs that wrote into one folder, one after the other, have modules of one number: they are
// told apart by their functions.
func Group(paths []string) []*Module {
	byKey, others := map[moduleKey][]*Module{}, map[moduleKey][]File{}
	var keys []moduleKey
	for _, p := range paths {
		f, dir, ok := parsePath(p)
		if !ok {
			continue
		}
		k := moduleKey{dir, f.Prefix, f.Number}
		if byKey[k] == nil && others[k] == nil {
			keys = append(keys, k)
		}
		if f.Holds == Other {
			others[k] = append(others[k], f)
			continue
		}
		at := slices.IndexFunc(byKey[k], func(m *Module) bool { return m.Function == f.Function })
		if at < 0 {
			at, byKey[k] = len(byKey[k]), append(byKey[k], &Module{Prefix: f.Prefix, Number: f.Number, Function: f.Function})
		}
		byKey[k][at].Stages = append(byKey[k][at].Stages, f)
	}
	var out []*Module
	for _, k := range keys {
		for _, f := range others[k] {
			if m := f.ownerIn(byKey[k]); m != nil {
				m.Others = append(m.Others, f)
			}
		}
		// Some files have no time stamp where the others have one.
		bare := moduleKey{k.dir, "", k.number}
		for _, f := range others[bare] {
			if m := f.ownerIn(byKey[k]); m != nil && k != bare && byKey[bare] == nil {
				m.Others = append(m.Others, f)
			}
		}
		out = append(out, byKey[k]...)
	}
	for _, m := range out {
		slices.SortStableFunc(m.Stages, func(a, b File) int {
			return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Step, b.Step), cmp.Compare(a.Stage, b.Stage),
				cmp.Compare(a.Holds, b.Holds))
		})
		m.Stages = slices.CompactFunc(m.Stages, func(a, b File) bool { return a.Stage == b.Stage })
	}
	slices.SortStableFunc(out, func(a, b *Module) int {
		return cmp.Or(cmp.Compare(a.Prefix, b.Prefix), cmp.Compare(a.Number, b.Number))
	})
	return joinLater(out)
}

// ownerIn returns the module among those of one number that a file next to its stages belongs to: the one whose
// function its name has, the longest, else the first; nil for none. What follows the function in the name may be part
// of f's.
func (f *File) ownerIn(modules []*Module) (owner *Module) {
	for i, m := range modules {
		named := f.Function == m.Function || strings.HasPrefix(f.Function, m.Function+".")
		if i == 0 || named && (!strings.HasPrefix(f.Function, owner.Function) || len(m.Function) > len(owner.Function)) {
			owner = m
		}
	}
	return owner
}

// joinLater joins each module whose first dump was taken in the middle of a pipeline to the one before it of the same
// folder, prefix and function whose last dump is of that pipeline: a dump folder of libtpu 0.0.24 has module_0008 with
// before_optimizations up to the start of X64_elimination, and module_0010 with all dumps from after_x64-rewriter on.
func joinLater(modules []*Module) []*Module {
	var out []*Module
	for _, m := range modules {
		first, joined := &m.Stages[0], false
		for i := len(out) - 1; i >= 0 && !joined && first.Step == 0 && first.After != PipelineStart; i-- {
			to := out[i]
			last := &to.Stages[len(to.Stages)-1]
			if joined = to.Prefix == m.Prefix && to.Function == m.Function && folder(last.Path) == folder(first.Path) &&
				last.Step >= 0 && last.Pipeline == first.Pipeline; joined {
				to.Later = append(to.Later, m.Number)
				to.Stages, to.Others = append(to.Stages, m.Stages...), append(to.Others, m.Others...)
			}
		}
		if !joined {
			out = append(out, m)
		}
	}
	return out
}

// ends are the dumps without a step, in their order; what the name only ends in counts too.
var ends = []string{"after_optimizations_before_buffer_assignment", "oom_intermediate_module", "after_optimizations",
	"after_optimizations_after_buffer_assignment", "after_codegen"}

// rank puts what has no step before or after all that have one.
func (f *File) rank() int {
	if f.Step >= 0 {
		return 0
	}
	for i, e := range ends {
		if strings.HasSuffix(f.Stage, e) {
			return 1 + i
		}
	}
	return -1
}

// moduleKey tells modules of one tree of folders apart.
type moduleKey struct {
	dir, prefix string
	number      int
}

// parsePath is ParseName with the folder of the dump. A file in a folder that is named as a module (topology.textproto)
// is the module's, whatever its own name.
func parsePath(name string) (f File, dir string, ok bool) {
	dir = path.Dir(slashes(name))
	if f, ok = ParseName(name); ok {
		return f, dir, true
	}
	if f, ok = ParseName(path.Base(dir)); !ok || f.Holds != Other {
		return f, dir, false
	}
	f.Path, f.Stage = name, path.Base(slashes(name))
	return f, path.Dir(dir), true
}

// Pair is the module before and after one run of a pass.
type Pair struct{ Before, After *File }

// Passes returns the runs of passes that changed the module, in their order. Before a run the module was as the dump
// before in the same pipeline has it: what is between was taken inside of the pass.
func (m *Module) Passes() []Pair {
	var out []Pair
	last := map[string]*File{}
	for i := range m.Stages {
		f := &m.Stages[i]
		if f.Step < 0 {
			continue
		}
		before := last[f.Pipeline]
		if before == nil && i > 0 {
			before = &m.Stages[i-1]
		}
		if f.After != "" && f.After != PipelineStart && before != nil {
			out = append(out, Pair{before, f})
		}
		if f.After != "" {
			last[f.Pipeline] = f
		}
	}
	return out
}

// PassPairs returns the pairs around a pass: "algsimp", "simplification-1.algsimp" in one pipeline alone, or the number
// of the step after it. Case does not matter, nor - and _.
func (m *Module) PassPairs(pass string) []Pair {
	step, err := strconv.Atoi(pass)
	want := fold(pass)
	return slices.DeleteFunc(m.Passes(), func(p Pair) bool {
		if err == nil {
			return p.After.Step != step
		}
		return fold(p.After.After) != want && fold(p.After.Pipeline+"."+p.After.After) != want
	})
}

// Mentions reports whether a pass ran: it is in some name, even if it changed nothing.
func (m *Module) Mentions(pass string) bool {
	return slices.ContainsFunc(m.Stages, func(f File) bool {
		return fold(f.Before) == fold(pass) || fold(f.After) == fold(pass)
	})
}

func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "-")) }

// Final returns the module as it was compiled: after_optimizations where it is there, else the last stage before code
// generation.
func (m *Module) Final() *File {
	final := &m.Stages[len(m.Stages)-1]
	for i := range m.Stages {
		if f := &m.Stages[i]; f.Step < 0 && strings.HasSuffix(f.Stage, "after_optimizations") {
			return f
		}
	}
	return final
}
