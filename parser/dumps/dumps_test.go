package dumps

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseName(t *testing.T) {
	for name, want := range map[string]File{
		`d\module_0004.jit_f.before_optimizations.txt`: {Number: 4, Function: "jit_f", Step: -1,
			Stage: "before_optimizations", Holds: Text},
		"d/module_0001.jit_f.cl_1003875606.0003.simplification-1.after_algsimp.before_dce.hlo": {Number: 1,
			Function: "jit_f", Step: 3,
			Stage: "0003.simplification-1.after_algsimp.before_dce", Pipeline: "simplification-1", After: "algsimp",
			Before: "dce", Holds: Text},
		"1795266366730077.module_0000.jit_warm.cl_1003875606.0018.tpu-tiling-rewriter.before_tiling_rewriter.txt": {
			Prefix:   "1795266366730077",
			Function: "jit_warm", Step: 18, Stage: "0018.tpu-tiling-rewriter.before_tiling_rewriter",
			Pipeline: "tpu-tiling-rewriter", Holds: Text},
		"process_3.thread_7.module_12345.jit__lambda_.1.before_optimizations.txt.gz": {Prefix: "process_3.thread_7",
			Number: 12345, Function: "jit__lambda_.1", Step: -1, Stage: "before_optimizations", Holds: Text},
		"module_0003.sm_8.0_gpu_after_optimizations.hlo.pb.gz": {Number: 3, Step: -1,
			Stage: "sm_8.0_gpu_after_optimizations", Holds: Proto},
		"module_0003.jit_f.sm_9.0_gpu_after_optimizations.txt": {Number: 3, Function: "jit_f", Step: -1,
			Stage: "sm_9.0_gpu_after_optimizations", Holds: Text},
		"module_0003.jit_f.2048.0007.fusion.after_a.b.before_c.txt": {Number: 3, Function: "jit_f.2048", Step: 7,
			Stage: "0007.fusion.after_a.b.before_c", Pipeline: "fusion", After: "a.b", Before: "c", Holds: Text},
		"module_0001.jit_f.cl_5.after_optimizations_before_buffer_assignment.txt": {Number: 1, Function: "jit_f",
			Step: -1, Stage: "after_optimizations_before_buffer_assignment", Holds: Text},
		"module_0001.jit_f.cl_5.after_optimizations-buffer-assignment.txt": {Number: 1, Function: "jit_f", Step: -1,
			Stage: "after_optimizations-buffer-assignment"},
		"module_0001.jit_f.cl_5.hlo_module_config.txt": {Number: 1, Function: "jit_f", Step: -1,
			Stage: "hlo_module_config"},
		"module_0001.jit_f.ir-with-opt.ll": {Number: 1, Function: "jit_f.ir-with-opt", Step: -1, Stage: "ll"},
	} {
		got, ok := ParseName(name)
		want.Path = name
		assert.True(t, ok, name)
		assert.Equal(t, want, got, name)
	}
	for _, name := range []string{"module.hlo", "module_x.f.txt", "module_0001", "before_optimizations.txt",
		"module_99999999999999999999.f.txt", ""} {
		_, ok := ParseName(name)
		assert.False(t, ok, name)
	}
}

func TestGroup(t *testing.T) {
	ms := Group([]string{
		"d/module_0007.jit_g.cl_1.before_optimizations.txt",
		"d/module_0002.jit_f.cl_1.after_optimizations.txt",
		"d/module_0002.jit_f.cl_1.after_codegen.txt",
		"d/module_0002.jit_f.cl_1.0002.p.after_pipeline-start.before_a.txt",
		"d/module_0002.jit_f.cl_1.0003.inner.after_pipeline-start.before_x.txt",
		"d/module_0002.jit_f.cl_1.0004.a.halfway.txt",
		"d/module_0002.jit_f.cl_1.0005.inner.after_x.before_pipeline-end.txt",
		"d/module_0002.jit_f.cl_1.0006.p.after_layout-assignment.before_c.txt",
		"d/module_0002.jit_f.cl_1.before_optimizations.hlo.pb",
		"d/module_0002.jit_f.cl_1.before_optimizations.txt",
		"d/module_0002.jit_f.cl_1.flagfile",
		"d/notes.txt",
	})
	require.Len(t, ms, 2)
	f := ms[0]
	assert.Equal(t, "module_0002 jit_f", f.Name())
	var titles []string
	for i := range f.Stages {
		titles = append(titles, f.Stages[i].Title())
	}
	assert.Equal(t, []string{"before_optimizations", "0002 start of p", "0003 start of inner", "0004 halfway inside a",
		"0005 after x in inner", "0006 after layout-assignment in p", "after_optimizations", "after_codegen"}, titles)
	assert.Equal(t, Text, f.Stages[0].Holds, "text is preferred to protobuf")
	assert.Len(t, f.Others, 1)
	assert.Equal(t, "after_optimizations", f.Final().Stage)
	assert.Equal(t, "before_optimizations", ms[1].Final().Stage)

	pairs := f.PassPairs("Layout_Assignment")
	require.Len(t, pairs, 1)
	assert.Equal(t, 2, pairs[0].Before.Step, "what was dumped inside of the pass is not before it")
	assert.Equal(t, 6, pairs[0].After.Step)
	assert.Len(t, f.PassPairs("inner.x"), 1)
	assert.Len(t, f.PassPairs("5"), 1)
	assert.Empty(t, f.PassPairs("a"))
	assert.True(t, f.Mentions("a"), "it ran, and changed nothing")
	assert.False(t, f.Mentions("b"))
}

// Two programs that wrote into one folder have modules of one number.
func TestGroupTellsFunctionsApart(t *testing.T) {
	ms := Group([]string{
		"d/module_0000.jit_f.cl_1.flagfile",
		"d/module_0000.jit_f.cl_1.before_optimizations.txt",
		"d/module_0000.jit_f.cl_1.after_optimizations.txt",
		"d/module_0000.jit_f_g.cl_1.before_optimizations.txt",
		"d/module_0000.jit_f_g.cl_1.target_arguments.txt",
		"d/module_0000.jit_f_g.sm_8.0_gpu_after_optimizations-buffer-assignment.txt",
	})
	require.Len(t, ms, 2)
	assert.Equal(t, "module_0000 jit_f", ms[0].Name())
	assert.Len(t, ms[0].Stages, 2)
	assert.Len(t, ms[0].Others, 1)
	assert.Equal(t, "module_0000 jit_f_g", ms[1].Name())
	assert.Len(t, ms[1].Stages, 1)
	assert.Len(t, ms[1].Others, 2)
}

// A compiler that removed 64-bit integers goes on under another number.
func TestGroupJoinsWhatGoesOn(t *testing.T) {
	const start, removed = ".0003.X64_elimination.after_pipeline-start.before_b.txt",
		".0000.X64_elimination.after_x64-rewriter.before_c.txt"
	files := []string{
		"d/module_0008.jit_f.cl_1.before_optimizations.txt",
		"d/module_0008.jit_f.cl_1" + start,
		"d/module_0008.jit_f.cl_1.target_arguments.txt",
		"d/module_0010.jit_f.cl_1" + removed,
		"d/module_0010.jit_f.cl_1.0001.next.after_pipeline-start.before_d.txt",
		"d/module_0010.jit_f.cl_1.flagfile",
	}
	ms := Group(files)
	require.Len(t, ms, 1)
	assert.Equal(t, "module_0008 jit_f", ms[0].Name())
	assert.True(t, ms[0].Is("8") && ms[0].Is("10") && ms[0].Is("jit_f"))
	assert.False(t, ms[0].Is("9") || ms[0].Is("jit_g"))
	assert.Len(t, ms[0].Stages, 4)
	assert.Len(t, ms[0].Others, 2)
	assert.Equal(t, files[4], ms[0].Final().Path)
	pairs := ms[0].PassPairs("x64-rewriter")
	require.Len(t, pairs, 1)
	assert.Equal(t, files[1], pairs[0].Before.Path)

	for what, first := range map[string]string{
		"another function":                 "d/module_0008.jit_g.cl_1" + start,
		"another pipeline":                 "d/module_0008.jit_f.cl_1.0003.simplification.after_pipeline-start.before_b.txt",
		"another process":                  "d/7.module_0008.jit_f.cl_1" + start,
		"another folder":                   "e/module_0008.jit_f.cl_1" + start,
		"one that was compiled to the end": "d/module_0008.jit_f.cl_1.after_optimizations.txt",
	} {
		assert.Len(t, Group([]string{first, files[3]}), 2, what)
	}
	begins := "d/module_0010.jit_f.cl_1.0000.X64_elimination.after_pipeline-start.before_b.txt"
	assert.Len(t, Group([]string{files[1], begins}), 2, "one that begins with its pipeline")
}

// FuzzParseName: any name is read, and what was read can be asked.
func FuzzParseName(f *testing.F) {
	for _, name := range []string{"module_0001.jit_f.cl_5.0003.p.after_a.before_b.txt", "1.module_0000..txt",
		"module_0001.0003.x", "module_1.0003.p.q.hlo.pb.gz", "module_0001...."} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		file, ok := ParseName(name)
		if !ok {
			return
		}
		if file.Path != name || file.Number < 0 || file.Step < -1 {
			t.Fatalf("%q: %+v", name, file)
		}
		for _, m := range Group([]string{name, name + ".txt", "a/" + name}) {
			if m.Final() == nil || m.Name() == "" {
				t.Fatalf("%q: %+v", name, m)
			}
			for i := range m.Stages {
				_ = m.Stages[i].Title()
			}
			m.PassPairs(file.After)
		}
	})
}

func TestFolder(t *testing.T) {
	paths := []string{
		"d/1795.module_0003.jit_f.cl_1.0002.p.after_pipeline-start.before_layout-assignment.txt",
		"d/1795.module_0003.jit_f.cl_1.0003.p.after_layout-assignment.before_x.txt",
		"d/1795.module_0003.jit_f.cl_1.after_optimizations-buffer-assignment.txt",
		"d/1795.module_0003.jit_f.cl_1.before_optimizations.txt",
		"d/b.hlo",
		"d/module_0003.jit_f.cl_1/topology.textproto",
		"d/module_0003.jit_f.cl_1.debug_options",
		"d/module_0009.jit_g.cl_1.before_optimizations.hlo.pb.gz",
		"d/module_0009.jit_g.cl_1.before_optimizations.golden.hlo",
		"d/notes.txt",
		"e/jit_f-memory-usage-report.txt",
		"e/module_0001.jit_f.after.txt",
		"e/notes.txt",
	}
	folder := func(word string) (out []string, lacking int) {
		entries, missing := Folder(paths, func(m *Module) []*File {
			if f := m.At(word); f != nil {
				return []*File{f}
			}
			return nil
		})
		for _, e := range entries {
			out = append(out, e.Path)
		}
		return out, len(missing)
	}
	for word, want := range map[string][]int{
		"final":                    {7, 1, 4, 11, 12},
		LayoutEntry:                {7, 0, 4, 11, 12},
		"before_layout_assignment": {0, 4, 11, 12},
		"layout-assignment":        {1, 4, 11, 12},
		"2":                        {0, 4, 11, 12},
		"before_optimizations":     {7, 3, 4, 11, 12},
		"cse":                      {4, 11, 12},
	} {
		got, lacking := folder(word)
		var expected []string
		for _, i := range want {
			expected = append(expected, paths[i])
		}
		assert.Equal(t, expected, got, word)
		assert.Equal(t, 5-len(want), lacking, word)
	}
	ms := Group(paths)
	require.Len(t, ms, 2)
	var others []string
	for _, f := range ms[1].Others {
		others = append(others, f.Path)
	}
	assert.Equal(t, []string{paths[2], paths[5], paths[6]}, others)
}
