// Package group makes groups of the processes of an ARMCI world.
//
// A [Group] is an ordered list of processes with a number that no other group of its world has. The
// lowest of its processes gives the number out and sends it to the others; so a group concerns
// its members alone, and several groups are made at the same time. The group of all processes
// has the number 0.
//
// A Group knows the teams of package message that it consists of: all its processes, those in the
// domain of the caller, and the first of each domain.
package group
