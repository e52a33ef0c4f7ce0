// Package group makes groups of the processes of an ARMCI world.
//
// A [Group] is an ordered list of processes with a number that is unique in its world. The lowest
// of its processes chooses the number and sends it to the other members. So only the members take
// part, and several groups can be made at the same time. The group of all processes has the number
// 0.
//
// A Group has the teams of package message for its scopes: all its processes, the processes in the
// domain of the caller, and the first of each domain.
package group
