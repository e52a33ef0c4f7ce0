// Package mpilauncher describes how the launchers of MPI families behave: how they name their MPI,
// how they tag output, how they report that a signal has killed a process, and which server their
// jobs need to join each other.
package mpilauncher
