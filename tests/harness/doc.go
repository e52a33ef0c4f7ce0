// Package harness lets tests run the real launchers on programs of their own and
// finds out what a run leaves behind.
//
//	func TestMain(m *testing.M) { os.Exit(harness.Main(m, &suite)) }
//
//	place := suite.Place(t)
//	place.Must("acprun", "-np", "4", suite.Go(t, "orders"))
//
// A [Suite] knows the build tree and compiles each test program once. A [Place] is the surroundings
// of one test: a working directory, a temporary directory, a /dev/shm of its own, and a mark in the
// environment by which the place finds all processes, no matter which program started them. When the test
// ends, nothing of it may be left: no process, no file, no shared memory. [Place.Hosts] divides the
// machine into several hosts by network namespaces; on [Place.HostsOnHub] frames get lost or
// delayed.
//
// Every command has a deadline. When it passes, the ranks are asked for the stacks
// of their goroutines before everything is killed.
//
// If a machine lacks what a test needs, the test is skipped.
package harness
