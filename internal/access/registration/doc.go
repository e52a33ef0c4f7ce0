// Package registration has the memory that a program has registered in one process.
//
// The published table of regions is in package segment. Here is what the process does about it:
// [Registrations] gives out keys that other processes cannot mistake for theirs, and keeps
// memory of the Go heap in its place. It unregisters: the program may free memory as soon as it
// is unregistered. So all use of the memory has to end first. Ranks on this host copy it
// themselves, the agent receives into it and sends from it, and ranks reach it by windows of
// MPI. The router knows how each of these ends.
package registration
