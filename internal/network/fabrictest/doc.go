// Package fabrictest checks that a transport keeps the contract of fabric.Transport.
//
//	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member { … })
//
// Every transport passes the same suite, [Run]. What it tests follows from the Abilities of the
// transport. For transports without memory of their own, [Owner] publishes a piece of anonymous
// memory. If a process can have only one member, as with MPI, [Processes] makes members in
// other processes. They call [Obey], and carry out the operations that the test sends.
//
// [Hostile] wraps a transport for the tests of layers above: it uses every freedom that the
// contract gives.
package fabrictest
