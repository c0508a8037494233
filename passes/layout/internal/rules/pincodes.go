package rules

import "hlolayout/hlo"

// Codes says what each code of an error about a pin or an entry layout means. The first line of an example has the
// flags.
var Codes = []hlo.Code{
	{Name: "PIN101", Meaning: "a pin names a value, or an entry layout a parameter, that the module does not have",
		Example: "// --pin '%negative={0,1}'" + codeExample},
	{Name: "PIN102", Meaning: "the order asked for is not a permutation of the array's dimensions",
		Example: "// --pin '%negate={0,0}'" + codeExample},
	{Name: "PIN103", Meaning: "there is no array at that place: the shape has no such part, or the part is a tuple or " +
		"a token",
		Example: "// --pin '%pair={0,1}'" + codeExample},
	{Name: "PIN104", Meaning: "the value's layout is not the pass's to choose: it is an entry parameter (use --entry), " +
		"is inside a fusion, " +
		"carries its layout with it, is a bitcast or read by one, or belongs to an asynchronous operation",
		Example: "// --pin '%p={0,1}'" + codeExample},
	{Name: "PIN105", Meaning: "the operation cannot give its result in that order, whatever copies are made around it",
		Example: "// --pin '%reshape={0,1}'" + codeExample},
	{Name: "PIN106", Meaning: "two pins contradict each other: on one value, or on values that are one array, such as " +
		"those that a loop carries",
		Example: "// --pin '%negate={0,1}' --pin '%pair{0}={1,0}'" + codeExample},
	{Name: "PIN107", Meaning: "there is nothing to pin: the module has its layouts already",
		Example: "// --pin '%n={0,1}'\nHloModule m\n\nENTRY %main {\n  %p = f32[8,128]{1,0:T(8,128)} parameter(0)\n" +
			"  ROOT %n = f32[8,128]{1,0:T(8,128)} negate(%p)\n}\n"},
	{Name: "PIN108", Meaning: "the pin does not hold, or makes the module illegal, for a reason that no other code has"},
}

const codeExample = `
HloModule m

ENTRY %main {
  %p = f32[6,4] parameter(0)
  %negate = f32[6,4] negate(%p)
  %reshape = f32[4,6] reshape(%p)
  ROOT %pair = (f32[6,4], f32[4,6]) tuple(%negate, %reshape)
}
`
