// Package reasons says why the arrays of a module that has been through layout assignment have the orders that the file
// gives them.
//
// Layout assignment is a search whose result the file shows and whose steps it does not. The package goes back from the
// result. Two arrays of the module are linked where one instruction ties their orders together and the file's orders
// agree with that: the operands and the result of an elementwise operation in one order, a fusion and its root, what a
// loop carries, both sides of a bitcast. A cause is an array whose order an instruction demands and that has it: an
// entry parameter, a dot, a custom call. All causes spread over the links in parallel, as constraints do in layout
// assignment, and what reaches an array first explains it: with fewest links, the mandatory causes ahead of the entry's
// result. What no cause reaches has a default, and spreads in its turn.
//
// The result is a plan.Plan whose decisions are the layouts of the file. Its chains have the form of those of
// passes/layout, so that whatever shows the one shows the other.
//
// # Files
//
//	reasons.go  Of: from a module to a plan; how causes spread
//	graph.go    the module's arrays with dense numbers, and links between them
//	links.go    which arrays each opcode ties together
//	causes.go   which orders an instruction demands; defaults
//	rules.go    the names and words of reasons
package reasons
