// Package points has the numbers of points: which points of a grid or mesh a rank holds, and where
// they lie in its memory.
//
// A [List] is a sequence of numbers in the form of runs, each with a start, a stride and a count. It
// is also the form in which numbers travel: the rows of a block of 10^7 points take some kilobytes, and
// numbers without any pattern about four bytes each. A [Layout] says which point lies at which
// position of the memory of a rank. [Layout.Sort] brings it into the order of the points, in
// which both sides of a link name them.
package points
