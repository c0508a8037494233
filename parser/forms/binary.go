package forms

import (
	"regexp"
	"strings"
	"sync"

	"hlolayout/hlo"
	"hlolayout/parser"
	"hlolayout/parser/hloproto"
)

// What is said of a program that is not HLO.
const (
	fromJAX = `write HLO with jax.jit(f).lower(...).as_text("hlo") (lowered) or .compile().as_text() (with layouts)`
	fromXLA = fromJAX + `, or with XLA_FLAGS=--xla_dump_to=DIR`
)

// binary are the forms that are known by their first bytes, or first words.
var binary = []binaryForm{
	{name: "an empty file", is: func(_, data string) bool {
		return strings.TrimSpace(data) == ""
	}, refuse: fromXLA},
	{name: "a profile (XSpace)", is: func(_, data string) bool {
		return data != "" && data[0] == '\n' && hloproto.IsProfile([]byte(data))
	}, open: openProfile},
	{name: "StableHLO bytecode", is: starts("ML\xefR"), refuse: fromJAX},
	{name: "StableHLO", is: isMLIR, refuse: fromJAX},
	{name: "MLIR in its generic form", is: func(head, _ string) bool {
		return genericMLIR().MatchString(head)
	}, refuse: fromJAX},
	{name: "Triton IR", is: func(head, _ string) bool {
		return tritonIR().MatchString(head)
	}, refuse: "hlolayout reads the HLO of the whole program: " + fromXLA},
	{name: "a jaxpr", is: isJaxpr, refuse: fromJAX},
	{name: "the IR of PyTorch/XLA", is: func(head, data string) bool {
		return strings.Contains(head, ", xla_shape=") && !strings.Contains(data, "HloModule ")
	}, refuse: "write HLO with XLA_SAVE_TENSORS_FMT=hlo, or with torch_xla._XLAC._get_xla_tensors_hlo([tensor])"},
	{name: "a zip archive", is: starts("PK\x03\x04", "PK\x05\x06"),
		refuse: "if it is one of StableHLO, " + fromJAX + "; if it holds HLO, unpack it and give the files"},
	{name: "a tar archive", is: func(_, data string) bool {
		return IsTar(data)
	}, refuse: "give the file by its name, it is read as the folder that it holds"},
	{name: "an xz archive", is: starts("\xfd7zXZ\x00"), refuse: "unpack it, or pack it with gzip or zstd"},
	{name: "a bzip2 archive", is: starts("BZh"), refuse: "unpack it, or pack it with gzip or zstd"},
	{name: "gzip in gzip", is: starts("\x1f\x8b"), refuse: "unpack it once"},
	{name: "a PDF", is: starts("%PDF-"), refuse: fromXLA},
	{name: "a picture", is: starts("\x89PNG", "\xff\xd8\xff", "GIF8"), refuse: fromXLA},
	{name: "UTF-32 text", is: starts("\xff\xfe\x00\x00", "\x00\x00\xfe\xff"),
		refuse: "save it as UTF-8: iconv -f UTF-32 -t UTF-8"},
	{name: "UTF-16 text", is: isUTF16, refuse: "save it as UTF-8, in PowerShell with Out-File " +
		"-Encoding utf8"},
	{name: "a program in machine code", is: starts("\x7fELF"), refuse: fromXLA},
	{name: "an HTML page", is: starts("<!DOCTYPE", "<!doctype", "<html"), refuse: fromXLA},
	{name: "a serialized jax.export with StableHLO in it", is: func(head, data string) bool {
		return strings.Contains(head, "\x00") && strings.Contains(data, "ML\xefR")
	}, refuse: fromJAX},
}

// genericMLIR finds an operation in the generic form at the beginning, such as "func.func"().
var genericMLIR = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\^bb0.*\s+)?(?:%\w+ = )?"[a-z_]+\.[\w.]+"\(`)
})

// tritonIR finds a kernel of Triton, in a module or alone.
var tritonIR = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*"?tt\.func\b`)
})

// inside are texts that are known by what they hold, where neither HLO nor its beginning was found.
var inside = []foreign{
	{name: "StableHLO among other lines", is: has("func.func", "stablehlo."), refuse: fromJAX},
	{name: "an out-of-memory message", is: IsOOM, refuse: "the command oom reads it"},
}

// last are texts that hold nothing to read, known where parsing them failed.
var last = []foreign{
	{name: "text with shapes and no instructions", is: func(data string) bool {
		return shapes().MatchString(data)
	}, refuse: "hlolayout decode 'SHAPE' reads " +
		"one, hlolayout decode - <FILE a list of them"},
	{name: "a file without HLO", is: func(string) bool { return true }, refuse: fromXLA},
}

// shapes finds a shape with its layout, or one that is a whole line.
var shapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)\b(?:pred|bf16|[suf]\d\w*|c\d+)\[[\d,]*\](?:\{|\s*$)`)
})

// IsOOM reports whether a text is the compiler's message about a program that does not fit.
func IsOOM(text string) bool {
	return strings.Contains(text, "RESOURCE_EXHAUSTED") || strings.Contains(text, "Ran out of memory") ||
		strings.Contains(text, "Largest program allocations") ||
		strings.Contains(text, "XLA label: ") && strings.Contains(text, "Unpadded size: ")
}

func has(parts ...string) func(data string) bool {
	return func(data string) bool {
		for _, p := range parts {
			if !strings.Contains(data, p) {
				return false
			}
		}
		return true
	}
}

func starts(magic ...string) func(head, data string) bool {
	return func(head, _ string) bool {
		for _, m := range magic {
			if strings.HasPrefix(head, m) {
				return true
			}
		}
		return false
	}
}

// isUTF16 knows UTF-16 by its byte order mark or, where it has none, by every second byte, which is zero in what is
// ASCII.
func isUTF16(head, _ string) bool {
	if strings.HasPrefix(head, "\xff\xfe") || strings.HasPrefix(head, "\xfe\xff") {
		return true
	}
	const enough = 16
	if len(head) < enough {
		return false
	}
	zeros := [2]int{}
	for i := range enough {
		if head[i] == 0 {
			zeros[i%2]++
		}
	}
	return zeros == [2]int{0, enough / 2} || zeros == [2]int{enough / 2, 0}
}

// IsTar reports whether data is a tar archive: its first header has the magic of POSIX or GNU.
func IsTar(data string) bool {
	const at = 257
	return len(data) >= 512 && data[at:at+5] == "ustar"
}

// isMLIR knows the text of an MLIR module: attribute and type aliases and locations, then a module, in the short or the
// generic form, or a function alone.
func isMLIR(head, _ string) bool {
	for {
		head = strings.TrimLeft(head, " \t\r\n\ufeff")
		l, rest, more := strings.Cut(head, "\n")
		if strings.HasPrefix(l, "//") && more {
			head = rest
			continue
		}
		word := l[:run(l, 0, isName)]
		switch {
		case strings.HasPrefix(l, "#") || strings.HasPrefix(l, "!"): // #loc1 = loc("x"), !t = tuple<...>
			return run(l, 1, isName) > 1 && strings.HasPrefix(strings.TrimLeft(l[run(l, 1, isName):], " "), "=")
		case word == "module" || word == "builtin.module":
			next := strings.TrimLeft(l[len(word):], " ")
			return strings.HasPrefix(next, "@") || strings.HasPrefix(next, "attributes") || word != "module" ||
				next == "{" && strings.Contains(rest, "func.func")
		case word == "func.func" || word == "func" && strings.Contains(l, "@"):
			return true
		}
		return strings.HasPrefix(l, `"builtin.module"`) || strings.Contains(word, "stablehlo.") ||
			strings.HasPrefix(word, "%") && strings.Contains(l, "= stablehlo.")
	}
}

// isJaxpr knows what jax.make_jaxpr prints: { lambda ; a:f32[8]. let ... }.
func isJaxpr(head, _ string) bool {
	rest := strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(head, " \t\r\n"), "{"), " \t\r\n")
	return strings.HasPrefix(rest, "lambda ") && strings.Contains(rest, ";")
}

func openProfile(c parser.Config, file, data string) (*Input, error) {
	programs, err := hloproto.Programs(file, []byte(data))
	if err != nil {
		return nil, err
	}
	if len(programs) == 0 {
		return nil, refusal(file, "a profile without HLO", "profile with jax.profiler.trace, which keeps the "+
			"programs; or "+fromXLA)
	}
	in := &Input{Form: "profile"}
	var errs hlo.ErrorList
	for _, p := range programs {
		m, err := c.Parse(file+"("+p.Name+")", p.Text)
		if err != nil {
			errs = append(errs, err.(hlo.ErrorList)...)
			continue
		}
		in.Modules = append(in.Modules, m)
	}
	return in, errs.Err()
}
