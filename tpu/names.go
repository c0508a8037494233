package tpu

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// aliases are other names of generations, as normal writes them: JAX's device kinds ("TPU v5 lite"), Cloud's
// accelerator types ("v5litepod-16", "tpu-v6e-slice"), the machine types of GKE ("ct5lp-hightpu-4t") and topology names
// ("tpu7x:2x2x1").
var aliases = map[string]string{
	"v5lite": "v5e", "v5litepod": "v5e", "ct5lp": "v5e", "ct5l": "v5e",
	"v5": "v5p", "ct5p": "v5p",
	"v6lite": "v6e", "v6": "v6e", "ct6e": "v6e",
	"7x":   "v7x",
	"ct4p": "v4",
}

// normal brings a name into one form: lower case, without "tpu", separators, what says how many chips there are
// (":2x2", "-16", "-hightpu-4t"), and what says how they are sold ("podslice", "pod", "slice").
func normal(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(name)), ":")
	for _, sold := range []string{"-hightpu", "-standard", "-lowtpu"} {
		name, _, _ = strings.Cut(name, sold)
	}
	name = count().ReplaceAllString(name, "")
	name = strings.NewReplacer("tpu", "", " ", "", "-", "", "_", "", ".", "").Replace(name)
	for _, sold := range []string{"podslice", "slice", "pod"} {
		name = strings.TrimSuffix(name, sold)
	}
	return name
}

var count = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-[0-9]+t?$`) })

// known returns the generation that a name means; ok is false where it means none.
func known(name string) (generation string, ok bool) {
	if slices.Contains(Names(), name) {
		return name, true
	}
	name = normal(name)
	if to, alias := aliases[name]; alias {
		return to, true
	}
	if !slices.Contains(Names(), name) {
		return "", false
	}
	return name, true
}

// versions are the names of generations in the compiler's own protocol buffers (TpuTopologyArgsProto), as libtpu 0.0.51
// writes them to target_arguments.txt, and the codes that 0.0.24 has in their place; 0.0.29 has names. The newest
// generation has a code still.
var versions = map[string]string{
	"JELLYFISH": "v2", "DRAGONFISH": "v3", "PUFFERFISH": "v4", "VIPERFISH": "v5p", "VIPERFISH lite": "v5e",
	"GHOSTLITE": "v6e",
	"6acc60406": "v7x",
	"ba16c7433": "v2", "6bf72d463e": "v3", "e0897fcce0": "v4", "2093c6a02": "v5p", "2093c6a02 lite": "v5e",
	"cc8675309": "v6e",
}

var (
	version  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*version: TPU_VERSION_(\w+)`) })
	variant  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*variant: "(\w+)"`) })
	platform = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\s*platform_version: "(?:TFRT )?([^"\\]+)`)
	})
)

// Described returns the generation that a file of a dump folder says the program was compiled for: target_arguments.txt
// (its version and variant) or topology.textproto (its platform_version). ok is false where text says none that is
// known.
func Described(text string) (generation string, ok bool) {
	if v := version().FindStringSubmatch(text); v != nil {
		name := v[1]
		if lite := variant().FindStringSubmatch(text); lite != nil {
			name += " " + lite[1]
		}
		generation, ok = versions[name]
		return generation, ok
	}
	if v := platform().FindStringSubmatch(text); v != nil {
		return known(v[1])
	}
	return "", false
}
