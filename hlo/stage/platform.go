package stage

import (
	"strings"

	"hlolayout/hlo"
)

// sign is a prefix that only one platform's modules have.
type sign struct{ prefix, platform string }

// callSigns are prefixes of custom-call targets that XLA's CPU and GPU compilers and the front ends of other platforms
// write (XLA: service/cpu/onednn_*.h, service/gpu/cublas_cudnn.h; jaxlib's FFI handlers).
var callSigns = []sign{
	{"__onednn$", "CPU"}, {"__xla_cpu_", "CPU"}, {"lapack_", "CPU"}, {"eigen_", "CPU"},
	{"__cublas$", "GPU"}, {"__cudnn$", "GPU"}, {"__cub$", "GPU"}, {"__cusparse$", "GPU"}, {"__gpu$", "GPU"},
	{"__triton", "GPU"},
	{"cusolver_", "GPU"}, {"te_", "GPU"}, {"xla.gpu.", "GPU"}, {"cu_threefry2x32", "GPU"}, {"hip_", "GPU"},
	{"triton_kernel_call", "GPU"}, {"cuda_", "GPU"},
	{"AwsNeuron", "AWS Neuron"}, // torch_neuronx
}

// configSigns are parts of a backend_config.
var configSigns = []sign{
	{`"outer_dimension_partitions"`, "CPU"}, {`"onednn_`, "CPU"},
	{`"gemm_backend_config"`, "GPU"}, {`"cudnn_`, "GPU"}, {`"triton_gemm_config"`, "GPU"}, {`"__triton`, "GPU"},
	{`"block_level_fusion_config"`, "GPU"},
	{`"operation_queue_id"`, "GPU"}, {`"reification_cost"`, "GPU"}, {`"native_emitter_backend_config"`, "GPU"},
}

// threadSigns are what asynchronous computations of other platforms run on.
var threadSigns = []sign{{"parallel", "CPU"}}

// dumpSigns are what the names of final dumps of other platforms end in, before what they hold:
// cpu_after_optimizations, sm_9.0_gpu_after_optimizations (XLA: service/cpu/cpu_compiler.cc,
// service/gpu/gpu_compiler.cc).
var dumpSigns = []sign{{".cpu_after_optimizations", "CPU"}, {"gpu_after_optimizations", "GPU"}}

// Platform returns the platform that a module is for where that is not a TPU: "CPU", "GPU", "AWS Neuron", or "another
// platform" where only a schedule without tiles shows it, for the TPU compiler gives every array a tile before it
// schedules. why says what shows it. A module with a tile is a TPU's. Instructions without their module have no
// schedule, though parsers take them for scheduled, as XLA's does.
func Platform(m *hlo.Module) (name, why string) {
	some, _ := Tiles(m)
	return platform(m, some)
}

// platform is Platform of a module of which it is known whether some array has a tile.
func platform(m *hlo.Module, tiled bool) (name, why string) {
	if tiled || entryTiled(m) {
		return "", ""
	}
	if name = DumpedFor(m.File); name != "" {
		return name, "the name of the dump says so"
	}
	if name, why = signed(m); name != "" {
		return name, why
	}
	if scheduled(m, tiled) && hasArrays(m) {
		return "another platform", "it is scheduled, and no array has a tile"
	}
	return "", ""
}

// DumpedFor returns the platform that the path of a final dump tells, "" for a TPU's and what is none.
func DumpedFor(path string) string {
	return match(dumpSigns, path[1+strings.LastIndexAny(path, `/\`):], strings.Contains)
}

// scheduled reports whether the order of the text is a schedule. That of a single instruction is none, unless it has a
// tile: it is then one of a compiled module.
func scheduled(m *hlo.Module, tiled bool) bool { return m.IsScheduled() && (tiled || !m.Style.Single) }

// compiled reports whether a module has been through a compiler's passes: it is scheduled, has fusions, or is a final
// dump.
func compiled(m *hlo.Module) bool {
	if m.IsScheduled() || DumpedFor(m.File) != "" {
		return true
	}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if in.Opcode == hlo.OpFusion {
				return true
			}
		}
	}
	return false
}

// signed looks for the first sign in the order of the text.
func signed(m *hlo.Module) (platform, why string) {
	if v := m.Attr("frontend_attributes").Get("fingerprint_before_lhs"); v != nil {
		return "GPU", "its frontend_attributes have fingerprint_before_lhs"
	}
	for _, c := range m.Computations {
		if v := c.Attr("execution_thread"); v != nil {
			if p := match(threadSigns, strings.Trim(v.Text, `"`), strings.HasPrefix); p != "" {
				return p, "%" + c.Name + " runs on the thread " + v.Text
			}
		}
		for _, in := range c.Instructions {
			if in.Opcode == hlo.OpCustomCall {
				if p := match(callSigns, target(in), strings.HasPrefix); p != "" {
					return p, "%" + in.Name + " calls " + target(in)
				}
			}
			if v := in.Attr("backend_config"); v != nil {
				if p := match(configSigns, strings.ReplaceAll(v.Text, `\"`, `"`), strings.Contains); p != "" {
					return p, "%" + in.Name + " has a backend_config of that platform"
				}
			}
		}
	}
	return "", ""
}

func match(signs []sign, text string, has func(text, part string) bool) string {
	for _, s := range signs {
		if has(text, s.prefix) {
			return s.platform
		}
	}
	return ""
}

// hasArrays reports whether the entry has an array, scalars among them, which a TPU would tile.
func hasArrays(m *hlo.Module) (found bool) {
	if m.Entry == nil { // the text is cut
		return false
	}
	for _, in := range m.Entry.Instructions {
		if in.Shape == nil {
			continue
		}
		in.Shape.Leaves(func(_ hlo.Index, s *hlo.Shape) { found = found || s.IsArray() })
		if found {
			return true
		}
	}
	return false
}
