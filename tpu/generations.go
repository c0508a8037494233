package tpu

// generations are the built-in targets, oldest first: the constants of section 0, and the memories.
var generations = [...]Target{
	{Name: "v2", Lanes: 128, Sublanes: 8, GranuleWords: 256, MinRows: 2, TupleGranuleBytes: 1024},
	{Name: "v3", Lanes: 128, Sublanes: 8, GranuleWords: 256, MinRows: 2, TupleGranuleBytes: 1024},
	{Name: "v4", Lanes: 128, Sublanes: 8, PackSubByte: true, GranuleWords: 128, MinRows: 1, LargeTiles: true, TupleGranuleBytes: 512},
	{Name: "v5e", Lanes: 128, Sublanes: 8, PackSubByte: true, GranuleWords: 128, MinRows: 1, LargeTiles: true, TupleGranuleBytes: 512},
	{Name: "v5p", Lanes: 128, Sublanes: 8, PackSubByte: true, GranuleWords: 128, MinRows: 1, LargeTiles: true, TupleGranuleBytes: 32},
	{Name: "v6e", Lanes: 128, Sublanes: 8, PackSubByte: true, GranuleWords: 128, MinRows: 1, LargeTiles: true, TupleGranuleBytes: 32},
	{Name: "v7x", Lanes: 128, Sublanes: 8, PackSubByte: true, GranuleWords: 128, MinRows: 1, LargeTiles: true, TupleGranuleBytes: 32},
}
