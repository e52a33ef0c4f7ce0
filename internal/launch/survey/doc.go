// Package survey reads the state of the ranks of a run from outside, without their help.
//
// A [Host] reads the pages of the processes on its host (package activity) and their entries in /proc. A
// launcher combines the readings of all hosts and its own data to a [Run]. It answers every connection to the
// socket in the private directory of the run ([Listen]); [Ask] connects. A [Stall] detects that all ranks
// wait for each other.
//
// Ranks have their numbers at the start of the run, as in all messages of launchers.
package survey
