package layout

import (
	"fmt"
	"strings"
)

// RulesVersion is the version of the rules that decide layouts and memory spaces: those of this package, of tpu and of
// passes/memory. Lock files and goldens carry it, so that a difference can be distinguished from a change of the
// program.
var RulesVersion = Versions[0].Number

// Version is one version of the rules. Those that a release carries stay as they are: rules that give something else
// need a new version (TestRulesVersion in passes).
type Version struct {
	Number int
	// Changes are what is decided in another way than by the version before.
	Changes []Change
}

// Change is what changed, and why.
type Change struct{ What, Why string }

// Versions are all versions, the newest first. A golden without a version is of version 1.
var Versions = []Version{
	{Number: 2, Changes: []Change{
		{"entry layouts of lowered text, as jax.jit(f).lower(x).as_text(\"hlo\") gives it, are the target's defaults",
			"the runtime puts those in their place; what the text has is a placeholder. Layout modes decide where they are"},
		{"readers of a dot vote on its result's order; loop parameters, gathers and the order of users have separate " +
			"rules",
			"libtpu 0.0.51 decides so (passes/layout, its table of rules)"},
		{"what moves between HBM and VMEM in a scheduled module is copied by separate instructions",
			"the compiler writes them; assign --spaces-only leaves them out"},
		{"lock files and goldens carry the version of the rules, and lock files a fingerprint of the program",
			"a check can say whether the program changed or the rules did"},
		{"which dimension of a dot's or convolution's result is minor is decided by size, then by what reads it",
			"readers of other sizes vote, and reduces are counted, as 352 dots and 59 convolutions of the compiler's log show"},
		{"a loop's parameter that nothing constrains has the compact order where its last dimension takes less than a " +
			"quarter of the lanes",
			"336 of 336 such parameters have it"},
		{"gathers and scatters: a window that the indices place does not choose the second-minor dimension; a table that " +
			"wastes more than 128 MiB is turned",
			"114 of 114 and 90 of 90 tables of the compiler do so"},
		{"the body of a custom fusion keeps the orders that are written",
			"the compiler assigns nothing there (2342 of 2342 values)"},
		{"the last user of a value is followed as the compiler's list of users has it, where the text shows that the list " +
			"was rearranged",
			"competing layouts of weight gradients come out as the compiler's"},
		{"arrays that the host sends or receives have the device's default order",
			"the compiler gives it to all 15 of a set of callbacks, whatever reads or makes them"},
		{"values of lowered and unoptimized text that survive simplification have the orders that they have in the " +
			"simplified module",
			"the compiler assigns layouts to that one: of 2916 such values of 120 programs 97.8 % have the compiled order, " +
				"88.4 % before"},
		{"elements of tuples that are made in the same computation are taken from what the tuple was made of",
			"the compiler simplifies them away after its first run (76 of 76 elements)"},
		{"dots of a group whose layout the matrix unit cannot take start a third run; dots whose result is copied anyway " +
			"read their operand in the layout that it has, or in the one that the readers want",
			"the compiler's log runs again for them (5 modules; 27 dots)"},
		{"where entry_computation_layout gives s4 or u4 tiles, the bits of an element, E(4), are the target's",
			"the parameter has them, and a scheduled module whose interface lacks them is refused"},
		{"a reshape's cheapest orders pair the dimensions of size 1 of both sides one by one, wherever they are",
			"1994 of 1999 reshapes of the compiler's log have these orders, 1966 before"},
		{"loops and branches of modules that libtpu up to 0.0.50.1 compiled (--libtpu, or the changelist in a dump's name)",
			"it solves each computation by itself, callees first: of 58 to 131 programs of four versions 95 to 98 % of " +
				"modules come out, 76 to 83 % before"},
		{"a loop carries an array in HBM, too, where its body needs it there; a copy that only moves an array to VMEM is " +
			"a prefetch; nothing overlaps what takes complex numbers apart",
			"the compiler writes it so: of 569 modules the copies of 96 % are its own, 92 % before"},
		{"a loop leaves slices alone that cut the dimension which it would make minor, dynamic ones where the array " +
			"becomes no smaller; the tables of gathers are pinned like other concatenates",
			"first runs of 6 programs of rigid bodies come out whole, and 18 of 18 small loops"},
		{"a loop takes the layout of an initial value that it hands on and only slices, of one that it replaces never",
			"323 of 323 such values of 89 programs have it, and none of 219 others"},
		{"what a gather cuts from a table of rank 4 and more has the slices most major, unless they are in its table's tile",
			"16 of 16 tables, and a batch of bodies' matrices comes out"},
		{"what a custom call reads keeps its layout when another one is asked of its operands",
			"the compiler's log refuses it (4 of 4, among them factors of matrices)"},
		{"an all-to-all gets its order when all reshapes are valid: the smallest one with the split dimension most major",
			"the compiler lists it in a later run than reshapes; 18 of 4 programs"},
		{"the slice that votes on a dot's result may come after an all-reduce",
			"weight gradients of 3 sharded programs come out"},
		{"a convolution reads a kernel whose two minor dimensions are swapped without a copy; from the third run on a dot " +
			"takes its left operand as it is where only its major dimensions are otherwise",
			"12 of 12 kernels; 8 dots of 3 programs"},
		{"a reshape's pair of orders that moves data costs 3 % more, not 5 %, and new dimensions of size 1 stay most major " +
			"where the two last dimensions are minor",
			"1583 of 1583 reshapes of the compiler's log, 1578 before"},
		{"of arrays that gain equally in VMEM, the order in which they get a place there is that of the compiler's heap " +
			"simulator, and 39 evictions may be under way at a time",
			"of 3,397 such ties in the compiler's log on six models 4 are the other way round, and it refuses the 122 of " +
				"745 evictions that would be the fortieth"},
		{"an all-gather whose parts share tiles, or whose dimension is most major, gets the least order with that " +
			"dimension most major; dots ask for the order of an all-gather's parts and explore collectives first",
			"13 of 13 all-gathers of one module and 31 of 8 others; 76 of 76 collectives"},
		{"the second operand of a convolution with batch groups has its input feature minor where both orders take as much",
			"10 of 10, of which 6 came out before"},
		{"on v7x a dot of matrices and vectors asks for a matrix that has a batch dimension or no free one minor",
			"10 dots of 5 programs, against 6 that have another order"},
	}},
	{Number: 1, Changes: []Change{
		{"the rules of TPU v2 to v7x", "they are measured on libtpu 0.0.51"},
	}},
}

// Changelog returns the versions after one, the newest first, in Markdown.
func Changelog(after int) string {
	var b strings.Builder
	for _, v := range Versions {
		if v.Number <= after {
			break
		}
		fmt.Fprintf(&b, "## Rules %d\n\n", v.Number)
		for _, c := range v.Changes {
			fmt.Fprintf(&b, "- %s: %s\n", c.What, c.Why)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}
