// Package core is the extension "armci" of package extension: for one process it holds the memory,
// transfers, groups, mutexes and messages of ARMCI. A [System] is the ARMCI of one process. It has
// no world until Begin, which some members of the run call together.
package core
