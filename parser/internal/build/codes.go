package build

import "hlolayout/hlo"

// Codes of what can be wrong with a text. HLO00x: what no grammar reads; HLO01x: names, operands, computations; HLO02x:
// opcodes and attributes; HLO03x: shapes; HLO04x: tables. The codes from HLO050 on are hlo.Check's.
const (
	CodeSyntax       = "HLO001"
	CodeToken        = "HLO002"
	CodeNumber       = "HLO003"
	CodeTooDeep      = "HLO004"
	CodeTooLarge     = "HLO005"
	CodeCut          = "HLO006"
	CodeOperand      = "HLO010"
	CodeComputation  = "HLO011"
	CodeDuplicate    = "HLO012"
	CodeRoot         = "HLO013"
	CodeParameter    = "HLO014"
	CodeArity        = "HLO015"
	CodeName         = "HLO016"
	CodeAsync        = "HLO017"
	CodeOpcode       = "HLO020"
	CodeAttribute    = "HLO021"
	CodeRepeated     = "HLO022"
	CodeValue        = "HLO023"
	CodeMissing      = "HLO024"
	CodeLiteral      = "HLO025"
	CodeElementType  = "HLO030"
	CodeDimension    = "HLO031"
	CodeLayout       = "HLO032"
	CodeOperandShape = "HLO033"
	CodeResultShape  = "HLO034"
	CodeInference    = "HLO035"
	CodeTables       = "HLO040"
)

// Codes describes the codes, in order.
var Codes = []hlo.Code{
	{Name: CodeSyntax, Meaning: "something stands where the grammar of HLO text has no place for it; the hint says " +
		"what was expected there", Example: `
ENTRY e {
  p = f32[2] parameter(0
}`},
	{Name: CodeToken, Meaning: "the characters do not start a token of HLO text, or a token has no end",
		Example: `
ENTRY e {
  p = f32[2] parameter(0) & 1
}`},
	{Name: CodeNumber, Meaning: "a number does not fit in 64 bits, or in the 32 bits of its field", Example: `
ENTRY e {
  p = f32[99999999999999999999] parameter(0)
}`},
	{Name: CodeTooDeep, Meaning: "tuple shapes, values or nested instructions are nested more than 1000 levels deep " +
		"in each " +
		"other"},
	{Name: CodeTooLarge, Meaning: "the text is longer than 2 GiB: offsets are kept in 31 bits; or a result shape " +
		"that is left out has more than 256 parts and two for each operand", Example: `
ENTRY e {
  a = f32[2] parameter(0)
  b = tuple(a, a, a, a, a, a, a, a)
  c = tuple(b, b, b, b, b, b, b, b)
  ROOT d = tuple(c, c, c, c, c, c, c, c)
}`},
	{Name: CodeCut, Meaning: "the text is the beginning of a module: it ends inside of a computation or in the " +
		"tables before them, or it has no " +
		"ENTRY although its header has the layout of one",
		Example: `HloModule m, entry_computation_layout={(f32[2]{0})->f32[3]{0}}
f {
  p = f32[2] parameter(0)
}`},
	{Name: CodeOperand, Meaning: "an operand is not defined before its use in the same computation",
		Example: `
ENTRY e {
  p = f32[2] parameter(0)
  ROOT n = f32[2] negate(q)
}`},
	{Name: CodeComputation, Meaning: "an attribute names a computation that is not defined before it in the module",
		Example: `
ENTRY e {
  p = f32[2] parameter(0)
  ROOT c = f32[2] call(p), to_apply=f
}`},
	{Name: CodeDuplicate, Meaning: "two instructions of a computation, or two computations, have the same name",
		Example: `
ENTRY e {
  p = f32[2] parameter(0)
  p = f32[2] negate(p)
}`},
	{Name: CodeRoot, Meaning: "a computation has two ROOTs, or a module two ENTRYs", Example: `
ENTRY e {
  ROOT p = f32[2] parameter(0)
  ROOT n = f32[2] negate(p)
}`},
	{Name: CodeParameter, Meaning: "a parameter has no number, or the numbers are not 0 to n-1, each once", Example: `
ENTRY e {
  p = f32[2] parameter(1)
}`},
	{Name: CodeArity, Meaning: "an instruction has too many or too few operands", Example: `
ENTRY e {
  p = f32[2] parameter(0)
  ROOT n = f32[2] add(p)
}`},
	{Name: CodeName, Meaning: "a name is a reserved word, or one that XLA would change (strict reading only)",
		Example: `
ENTRY e {
  u1 = f32[2] parameter(0)
}`},
	{Name: CodeAsync, Meaning: "the halves of an asynchronous operation belong to different opcodes (strict reading " +
		"only)", Example: `
ENTRY e {
  p = f32[9] parameter(0)
  s = ((f32[9]), f32[2], u32[]) slice-start(p), slice={[0:2]}
  ROOT d = f32[2] negate-done(s)
}`},
	{Name: CodeOpcode, Meaning: "the opcode is unknown: a warning, an error when reading strictly", Example: `
ENTRY e {
  p = f32[2] parameter(0)
  ROOT n = f32[2] negat(p)
}`},
	{Name: CodeAttribute, Meaning: "the attribute is unknown (a warning, an error when reading strictly), or the " +
		"opcode does not take it", Example: `
ENTRY e {
  p = f32[2] parameter(0), colour={red}
}`},
	{Name: CodeRepeated, Meaning: "an attribute, or a field of a table row, stands twice", Example: `
ENTRY e {
  p = f32[2] parameter(0), sharding={replicated}, sharding={replicated}
}`},
	{Name: CodeValue, Meaning: "the value of an attribute is not what the attribute takes", Example: `
HloModule m, entry_computation_layout={f32[2]}
ENTRY e {
  p = f32[2] parameter(0)
}`},
	{Name: CodeMissing, Meaning: "an instruction lacks an attribute that its opcode must have (strict reading only)",
		Example: `
ENTRY e {
  p = f32[2,3] parameter(0)
  ROOT t = f32[3,2] transpose(p)
}`},
	{Name: CodeLiteral, Meaning: "a constant's value does not fit its shape (strict reading only)", Example: `
ENTRY e {
  c = f32[2,2] constant({1, 2, 3, 4})
}`},
	{Name: CodeElementType, Meaning: "a word that should be an element type is none", Example: `
ENTRY e {
  p = f33[2] parameter(0)
}`},
	{Name: CodeDimension, Meaning: "a dimension size is negative, or a token or opaque has dimensions", Example: `
ENTRY e {
  p = f32[-2] parameter(0)
}`},
	{Name: CodeLayout, Meaning: "a layout has not as many dimensions as its array, or a tile size that is not " +
		"positive; as a warning: it does not name each dimension once", Example: `
ENTRY e {
  p = f32[2,3]{2,1,0} parameter(0)
}`},
	{Name: CodeOperandShape, Meaning: "the shape written in front of an operand is not the operand's", Example: `
ENTRY e {
  p = f32[2] parameter(0)
  ROOT n = f32[2] negate(f32[3] p)
}`},
	{Name: CodeResultShape, Meaning: "the result shape in a computation's signature is not that of its root, or an " +
		"instruction's is not the one that XLA's parser gives it (send-done: token[])", Example: `
HloModule m
ENTRY e (p: f32[2]) -> f32[3] {
  p = f32[2] parameter(0)
}`},
	{Name: CodeInference, Meaning: "the result shape is left out and cannot be inferred from the operands", Example: `
ENTRY e {
  p = f32[2] parameter(0)
  ROOT r = reshape(p)
}`},
	{Name: CodeTables, Meaning: "a row of the stack-frame tables lacks a field or has one that is not known", Example: `
HloModule m
FileNames
1 "f.py"
FunctionNames
1 "f"
FileLocations
1 {file_name_id=1 function_name_id=1 line=1}
StackFrames
ENTRY e {
  p = f32[2] parameter(0)
}`},
}
