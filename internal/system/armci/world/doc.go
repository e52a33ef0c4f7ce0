// Package world maps the processes of ARMCI to members of the run, and their addresses to
// positions.
//
// ARMCI numbers the processes of its world from 0, whatever members of the run they are. It names
// a byte of shared memory by a process and the address that the byte has there. A [World]
// translates both: process numbers to members, and addresses to positions in the memory of a
// member.
package world
