// Package fabrictest checks that a fabric keeps the contract of fabric.Fabric.
//
//	fabrictest.Run(t, fabrictest.Caps{Atomic: true, Copy: true, Range: true},
//		func(t *testing.T, n int) []fabrictest.Member { … })
//
// Every fabric passes the same suite; [Caps] says what the memory under test
// cannot do. For fabrics without memory of their own, [Owner] publishes a piece
// of anonymous memory. [Hostile] wraps a fabric for the tests of layers above: it
// makes use of every freedom that the contract gives.
package fabrictest
