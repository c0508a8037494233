// Package parser reads HLO text.
//
// The syntax is written in HLOLexer.g4 and HLOParser.g4. What ANTLR and lexgen generate from them is in
// internal/grammar; the grammar's actions report to internal/build, which makes the module without a parse tree. Lines
// and values in the form in which XLA prints most of them have a shorter way (plain.go in both): it takes nothing that
// the grammar does not take, and tests hold it to the same tokens.
//
// # The text
//
// A text is a module that begins with HloModule, or computations without that line, the last of which is the entry
// where none is marked ENTRY, or a single instruction. Everything is defined before it is used: computations in the
// module, instructions in their computation. ROOT marks the result; without it, the last instruction is the result.
//
// An identifier may hold `.` and `-`. `%` before a name is optional, and `key=` and `name:` are one token each. White
// space and comments (/* */, which do not nest, and //) may stand between any two tokens. A string is quoted by " or '
// and has C's escapes. backend_config, and each value of frontend_attributes, may be raw JSON instead, which is kept
// byte for byte.
//
// A line is `name = shape opcode(operands), key=value, …`. Operands are names, with their shapes in older text; a
// parameter has its number there and a constant its literal, in row-major order whatever the layout. Attributes come in
// any order, each once. An operation followed by -start, -update or -done is asynchronous: the text shows the operation
// itself in place of the computation that holds it, unless that has more than its root and parameters.
//
// The tables of FileNames, FunctionNames, FileLocations and StackFrames follow the first line; metadata refers to them
// by stack_frame_id. A row's place counts, from 1, not the number written before it. In parent_frame_id the number is
// one higher than the row's, so that 1 means none.
//
// # Shapes and layouts
//
// A shape is a type with sizes, f32[2,<=3,?], where <= gives the bound of a dynamic size and ? is a size without one; a
// tuple, (f32[2], s32[]); or b(f32[2]), a buffer. In braces follows the layout: the order of the dimensions, minor
// first, and after a colon properties in this sequence, each a letter with its arguments:
//
//	D(D,C)          kinds of dimensions, read and dropped
//	T(8,128)(2,1)   tiles, the second one inside the first; `*` merges a dimension with the next
//	L(1)            alignment of the tail, in elements
//	#(u32) *(u32)   types of indices and pointers
//	E(4)            bits of an element where they are packed
//	S(1)            memory space
//	SC(0:1,2)       where a dimension is split
//	P(shape)        physical shape, always refused
//	M(16)           bytes of metadata before a dynamic array
//
// An array without a layout has the descending order, as {2,1,0}. XLA's parser adds it while it reads, so a text does
// not show whether its order was chosen: `f32[2,3]` and `f32[2,3]{1,0}` are the same to it. Here the Layout of such a
// Shape is nil, so that the printer can write what was read. The number of entries must be the rank; XLA checks their
// values only later.
//
// # Strict and lenient
//
// With Config.Strict the parser accepts what XLA's parser accepts. Otherwise it warns of unknown opcodes and
// attributes, keeps them, and leaves values of attributes unchecked where no pass depends on them. internal/mutant
// makes texts of which XLA accepts some, and a test compares the verdicts.
//
// Sources: XLA's hlo_lexer.cc, hlo_parser.cc and their tests, and the answers of the parser in jaxlib 0.10.2.
package parser
