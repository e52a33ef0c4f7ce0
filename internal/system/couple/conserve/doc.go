// Package conserve keeps the integral of a field when weights compute its values on another grid.
//
// Each rank of a link computes a [Part] of each message: the sums of its values times the areas of its points. One rank, the
// root, adds the parts of all ranks of both sides by [Total], always in the same order, so that a repeated run has the same
// bits. It answers each rank with the sums of both sides. The receivers correct their values by them ([Sums.Correct]).
package conserve
