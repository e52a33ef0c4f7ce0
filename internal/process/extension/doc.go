// Package extension lets other packages of this module build systems on the processes of package
// acp: systems with operations of their own at the owners of memory, such as ARMCI or global
// arrays.
//
// A package describes its system as an [Extension] and enters it with [Register] in a variable
// of its own, so that a program has it by importing the package. Every process that the program
// opens then has the system:
//
//	var counters = extension.Register(extension.Extension[*Counters]{
//		Name:  "counters",
//		First: am.OpCounters,
//		Open: func(p *extension.Process) (*Counters, error) { return &Counters{process: p}, nil },
//		Operations: []extension.Operation[*Counters]{
//			opAdd: {Name: "addition to a counter", Serve: (*Counters).serveAdd},
//		},
//	})
//
//	// Of returns the counters of a process.
//	func Of(p *acp.Process) *Counters { return counters.Of(p) }
//
// Open gets a [Process]: the ranks, the memory of all of them, and messages to other processes.
// Each extension has a range of the numbers that messages carry, from the table in
// internal/network/am/number.go, and numbers its operations and notices within it. So they do not
// collide, and do not depend on which other extensions a program has. All ranks
// have to register the same extensions, unless one is optional. acp.Open compares them, and
// names the rank and the extension if they differ.
//
// Neither the types of package acp nor its documentation mention this package.
package extension
