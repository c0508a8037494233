// Package build turns what the grammar's actions report into a module: it resolves names, shares shapes and values by
// their text, and collects errors.
package build

// Text is a range of the source, in bytes.
type Text struct{ Off, End uint32 }

// Kind is the kind of a token, as far as the builder needs it.
type Kind uint8

// The kinds of tokens.
const (
	None Kind = iota
	Name
	String
	Int
	Float
	Pattern
	Braced
	Bracketed
	JSON
	Shape
	Tuple
	Scalar
	Punct
)

// Rule is a rule of the grammar that a text can be read by.
type Rule uint8

// The rules. The first three read whole texts, FirstRule and FurtherRule pieces of one, the others the inside of
// composite tokens.
const (
	ModuleRule Rule = iota
	HeaderlessRule
	SingleRule
	BodyRule
	RestRule
	FirstRule
	FurtherRule
	ShapeRule
	ValueRule
	FrontendRule
	IntsRule
	IntListsRule
	WordsRule
	ShapesRule
	EntryLayoutRule
	SliceRule
	WindowRule
	MetadataRule
	AliasRule
	DonorRule
	IotaRule
	MeshRule
	ShardingRule
)

// Stop is what the builder panics with when reading cannot go on; the parser recovers it.
type Stop struct{}
