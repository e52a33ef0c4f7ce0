// Package ga has what a global address is: the rank in the upper 20 bits, and the position
// in the memory of that rank in the lower 44. The packages below package acp pass global
// addresses as plain words, in which memory and messages hold them.
//
// It also has the [Ranks] of a run: which member has which rank now.
package ga
