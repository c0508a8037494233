package mutant

import (
	"math/rand/v2"
	"strings"
)

var (
	elementTypes = strings.Fields(`
		F32 f8e4m3fn f8e5m2 f4e2m1fn f8e8m0fnu s2 s1 u1 u2 s4 u4 pred token opaque tuple b16 f31 c64 c128 bf16
		f16 f32 f64 s32 s64 u8 float f8e3m4 f8e4m3 f8e4m3b11fnuz f8e5m2fnuz f8e4m3fnuz invalid array buffer
		1f s128`)
	layouts = strings.Fields(`
		{0} {} {1,0} {0,1} {2,1,0} {0:T(256)} {1,0:T(8,128)} {1,0:T(8,128)(2,1)} {1,0:T(*,128)} {1,0:T(-1)}
		{1,0:S(1)} {1,0:S(5)T(8)} {1,0:E(4)} {0:E(4)S(5)} {1,0:L(1)} {1,0:D(D,C)} {0:D(D~)} {0:#(s32)}
		{0:*(u32)} {0:#(s32)*(u64)} {0:SC(0:5,10)} {0:SC(0:5)SC(1:3)} {1,0:M(64)} {0:M(1)} {:S(3)}
		{:T(128)} {0:T()} {0:} {0,0} {1} {-1} {0:Z(1)} {0:T(8)T(4)} {0:S(1)S(2)} {0:T(8,128)S(1)E(4)}
		{0:T((8),128)} {0:B(4)} {0:t(8)} {0;T(8)} {0:T(8} {0:S(1)`)
	sizes = []string{"<=5", "?", "<=?", "<=", "0", "-1", "<=0", "<=-1", "?5", "5?", "*", " 3 ", "3,", "",
		"2147483648", "3<=", "a", "1e2", "03", "4", "7", "1"}
	elements = []string{"nan", "-nan", "NaN", "nan(0x7fc00001)", "-nan(0xff)", "nan(1)", "inf", "-inf", "+inf",
		"infinity", "0x1p3", "1e400", "-1e400", "1e-400", "1.", ".5",
		"-.5", "-0", "-0.0", "true", "false", "TRUE", "1", "2", "256", "-129", "(1, 2)", "(1)", "(nan, -inf)", "{1}",
		"{}",
		"{{1}}", "{1,}", "{,1}", "{1 2}", "{1, 2}",
		`'a'`, `"a"`, "1.5", "65505", "1e39", "128", "0x7f", "1e", "1_000", "abc", "...", "{...}", "(1,2",
		"1.0000000000000000000000001", "123456789012345678901234567890",
		"/*i0=0*/ 1"}
)

// typeOperators change shapes and constants.
var typeOperators = []Operator{
	{"element type", replaceOne(shapePattern, 1, oneOf(elementTypes))},
	{"layout", func(r *rand.Rand, text string) string {
		matches := shapePattern.FindAllStringSubmatchIndex(text, -1)
		if len(matches) == 0 {
			return text
		}
		m := pick(r, matches)
		if m[6] >= 0 && r.IntN(3) > 0 {
			return span{m[6], m[7]}.replaced(text, pick(r, layouts))
		}
		return span{m[5] + 1, m[5] + 1}.replaced(text, pick(r, layouts))
	}},
	{"dimension", replaceOne(shapePattern, 2, func(r *rand.Rand, old string) string {
		var list []string
		if old != "" {
			list = strings.Split(old, ",")
		}
		switch n := len(list); {
		case n > 0 && r.IntN(5) < 3:
			list[r.IntN(n)] = pick(r, sizes)
		case n > 0 && r.IntN(2) == 0:
			i := r.IntN(n)
			list = append(list[:i], list[i+1:]...)
		default:
			list = append(list, pick(r, sizes))
		}
		return strings.Join(list, ",")
	})},
	{"constant", func(r *rand.Rand, text string) string {
		found := spans(literalPattern, 1, text)
		if len(found) == 0 {
			lines := instructions(text)
			if len(lines) == 0 {
				return text
			}
			at := pick(r, lines).from
			return span{at, at}.replaced(text, "  added = "+pick(r, elementTypes[1:])+pick(r, []string{"[]", "[2]",
				"[1]",
				"[0]", "[1,1]", "[2,0]"})+" constant("+pick(r, elements)+")\n")
		}
		return pick(r, found).replaced(text, pick(r, elements))
	}},
	{"element of a constant", replaceOne(literalPattern, 1, func(r *rand.Rand, old string) string {
		parts := tokens(old)
		if len(parts) == 0 {
			return old
		}
		return pick(r, parts).replaced(old, pick(r, elements))
	})},
	{"tuple", replaceOne(shapePattern, 0, func(r *rand.Rand, old string) string {
		return strings.ReplaceAll(pick(r, []string{"(S)", "(S, S)", "()", "((S))", "b(S)", "(S,)", "(S S)", "(, S)",
			"(S"}), "S", old)
	})},
	{"shape of elsewhere", func(r *rand.Rand, text string) string {
		found := spans(shapePattern, 0, text)
		if len(found) == 0 {
			return text
		}
		return pick(r, found).replaced(text, pick(r, found).of(text))
	}},
	{"shape deleted", replaceOne(shapePattern, 0, func(*rand.Rand, string) string { return "" })},
}
