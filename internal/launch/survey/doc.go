// Package survey reads the state of the ranks of a run from outside, without their help.
//
// A [Host] reads the pages of the processes on its host (package activity) and what the kernel says
// about them. A launcher puts the readings of all hosts and what it knows itself together to a
// [Run]. It answers everyone who connects to the socket in the private directory of the run
// ([Listen]); [Ask] connects. A [Stall] finds out that all ranks wait for each other.
//
// Ranks have their numbers at the start of the run, as in all messages of launchers.
package survey
