package oom_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hlolayout/parser/oom"
)

func TestParse(t *testing.T) {
	const m, g = 1 << 20, 1 << 30
	for _, c := range []struct {
		name, text  string
		want        oom.Message
		allocations int
	}{
		{"E1000", "XlaRuntimeError: RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the " +
			"total memory required for HLO temporaries (280.00G) exceeds available HBM (15.75G). HLO module: " +
			"jit__lambda.\nSee https://openxla.org/xla/errors/error_1000 for more details.",
			oom.Message{Code: "E1000", Space: "hbm", Module: "jit__lambda", Used: 280 * g, Limit: 63 * g / 4}, 0},
		{"E1001", "E1001: CompileTimeScopedVmemOom:\nRan out of memory in memory space vmem while allocating on " +
			"stack for %k.1 = f32[8]{0} custom-call(%x), metadata={op_name=\"a. b\"}. Scoped allocation with size " +
			"64.00M and limit 16.00M exceeded scoped vmem limit by 48.00M. It should",
			oom.Message{Code: "E1001", Space: "vmem", Used: 64 * m, Limit: 16 * m, Scoped: true,
				Instruction: `%k.1 = f32[8]{0} custom-call(%x), metadata={op_name="a. b"}`}, 0},
		{"with a list", "RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 16.50G of 15.75G hbm. " +
			"Exceeded hbm capacity by 767.5M.\n\nTotal hbm usage >= 17.00G:\n    reserved        512.00M\n    " +
			"program          16.50G\n    arguments        unknown size\n\n" +
			"  Largest program allocations in hbm:\n\n  1. Size: 4.00G\n     Operator: op_name=\"jit(f)/dot\" " +
			"source_file=\"/a/model.py\" source_line=7\n     Shape: f32[1024,1024,4]{2,1,0:T(8,128)}\n     Unpadded " +
			"size: 16.00M\n     XLA label: fusion.1 = fusion(a), kind=kLoop\n     Allocation type: HLO temp\n     " +
			"=====\n\n  2. Size: 1.00G\n     Shape: nonsense\n",
			oom.Message{Space: "hbm", Used: 63*g/4 + 767*m + m/2, Limit: 63 * g / 4,
				Parts: []oom.Part{{Name: "reserved", Bytes: 512 * m}, {Name: "program", Bytes: 33 * g / 2}}}, 2},
		{"at run time", "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 2.00G. That was " +
			"not possible. There are 1.50G free.; (0x0x0_HBM0)",
			oom.Message{Space: "hbm", Limit: 3 * g / 2, Requested: 2 * g}, 0},
		{"a profile", "Total hbm usage >= 8.75G:\n    reserved         18.00M\n",
			oom.Message{Space: "hbm", Used: 35 * g / 4, Parts: []oom.Part{{Name: "reserved", Bytes: 18 * m}}}, 0},
		{"given up", "Aborting compilation early because it's unlikely to have enough memory. Requires 3.50E, has 14.50G " +
			"available.", oom.Message{Space: "hbm", Used: 7 << 59, Limit: 29 * g / 2}, 0},
		{"from another process", "(EngineCore pid=7) Total hbm usage >= 1.25G:\n(EngineCore pid=7)     reserved        " +
			"260.00M\n(EngineCore pid=7)\n(EngineCore pid=7)   Largest program allocations in hbm:\n(EngineCore pid=7)\n" +
			"(EngineCore pid=7)   1. Size: 4.00G\n(EngineCore pid=7)      Operator: op_name=\"jit(f)/dot\" " +
			"source_file=\"/a/model.py\" source_line=7\n(EngineCore pid=7)      Shape: f32[1024,1024,4]{2,1,0:T(8,128)}\n" +
			"(EngineCore pid=7)      Unpadded size: 16.00M\n(EngineCore pid=7)      XLA label: fusion.1 = fusion(a), " +
			"kind=kLoop\n(EngineCore pid=7)      Allocation type: HLO temp\n(EngineCore pid=17)   2. Size: 1.00G\n",
			oom.Message{Space: "hbm", Used: 5 * g / 4, Parts: []oom.Part{{Name: "reserved", Bytes: 260 * m}}}, 2},
		{"in bytes", "Out of memory while trying to allocate 17179869184 bytes.", oom.Message{Requested: 16 * g}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := oom.Parse(c.text)
			assert.True(t, ok)
			assert.Len(t, got.Allocations, c.allocations)
			if c.allocations > 0 {
				a := got.Allocations[0]
				assert.Equal(t, "f32[1024,1024,4]{2,1,0:T(8,128)}", a.Shape.String())
				a.Shape = nil
				assert.Equal(t, oom.Allocation{Space: "hbm", Type: "HLO temp", Size: 4 * g, Unpadded: 16 * m,
					Label: "fusion.1 = fusion(a), kind=kLoop", Op: "jit(f)/dot", Source: "/a/model.py:7"}, a)
				assert.Nil(t, got.Allocations[1].Shape)
			}
			assert.Equal(t, c.want.Over(), got.Over())
			assert.Equal(t, c.want.Code, got.Code)
			assert.Equal(t, c.want.Space, got.Space)
			assert.Equal(t, c.want.Module, got.Module)
			assert.Equal(t, c.want.Instruction, got.Instruction)
			assert.Equal(t, c.want.Parts, got.Parts)
			assert.Equal(t, [3]int64{c.want.Used, c.want.Limit, c.want.Requested},
				[3]int64{got.Used, got.Limit, got.Requested})
		})
	}
	_, ok := oom.Parse("\xff Total hbm usage >= 1.25G:\n") // not UTF-8
	assert.True(t, ok)
	_, ok = oom.Parse("all is well")
	assert.False(t, ok)
}

func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{"1.50G": 3 << 29, "2K": 2048, "2.5KiB": 2560, "512B": 512, "7 bytes": 7,
		"1e400G": 0, "-1G": 0, "x": 0, "": 0, "9999999999999P": 0} {
		assert.Equal(t, want, oom.Bytes(text), text)
	}
}
