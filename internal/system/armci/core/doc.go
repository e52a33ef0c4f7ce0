// Package core is the extension "armci" of package extension. A [System] is the ARMCI state of one
// process: memory, transfers, groups, mutexes and messages. It has no world until Begin, which
// some members of the run call together.
package core
