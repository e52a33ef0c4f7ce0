// Package reduction combines arrays of numbers element by element: the arithmetic of the global
// operations of ARMCI.
//
// An [Operator] and a [Type] say how. [For] returns the functions for both. They combine the
// arrays of two runs of processes, of which one precedes the other in rank order. Neither sums nor
// maxima are the same for all orders of floating-point numbers, so callers keep to that order.
package reduction
