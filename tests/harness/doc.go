// Package harness lets tests run the real launchers with test programs, and finds processes and files
// that a run leaves behind.
//
//	func TestMain(m *testing.M) { os.Exit(harness.Main(m, &suite)) }
//
//	sandbox := suite.Sandbox(t)
//	sandbox.Must("acprun", "-np", "4", suite.Go(t, "orders"))
//
// A [Suite] has the build tree and compiles each test program once. A [Sandbox] is the environment of one
// test: a working directory, a temporary directory, a private /dev/shm, and a mark in the environment by
// which the sandbox finds all processes, whichever program started them. When the test ends, no process, no
// file and no shared memory of it may be left. [Sandbox.Hosts] divides the machine into several hosts by
// network namespaces; with [Sandbox.HostsOnHub] frames get lost or delayed.
//
// Every command has a deadline. When it passes, the ranks print the stacks of their goroutines before
// everything is killed.
//
// If a machine lacks what a test needs, the test is skipped.
package harness
