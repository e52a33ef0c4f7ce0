// Package fabrictest checks that a transport keeps the contract of fabric.Transport.
//
//	fabrictest.Run(t, fabrictest.Caps{Atomic: true, Copy: true, Range: true},
//		func(t *testing.T, n int) []fabrictest.Member { … })
//
// Every transport passes the same suite; [Caps] says what the memory under test
// cannot do. For transports without memory of their own, [Owner] publishes a piece
// of anonymous memory. [Hostile] wraps a transport for the tests of layers above: it
// makes use of every freedom that the contract gives.
package fabrictest
