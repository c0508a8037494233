package hlopb

import "sync"

// Register makes the messages known to the protobuf runtime; call it before one is used. The generated code would do so
// whenever a program begins, which takes longer than parsing a small module, and most programs read no protobuf.
var Register = sync.OnceFunc(func() {
	file_hlolayout_parser_hloproto_hlo_proto_init()
	file_hlolayout_parser_hloproto_xplane_proto_init()
})
