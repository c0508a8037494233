// Package grammar holds what is generated from HLOLexer.g4 and HLOParser.g4, and the thin runtime that drives it: a
// lexer over byte tables and a base class that replaces the slow parts of the ANTLR runtime.
package grammar
