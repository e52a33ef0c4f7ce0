// Package core puts the rooms of ARMCI together for one process: it is the extension "armci" of
// package extension. A [System] is what a process has of it. It has no world until Begin, which
// some members of the run call together.
package core
