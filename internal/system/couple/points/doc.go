// Package points has the numbers of points: which points of a grid or mesh a rank holds, and where
// they lie in its memory.
//
// A [List] is a sequence of numbers in the form of runs, each with a start, a stride and a count.
// Messages contain numbers in the same form: the rows of a block of 10^7 points take some kilobytes,
// and numbers without any pattern about four bytes each. A [Layout] has the position of each point in
// the memory of a rank. [Layout.Sort] sorts it by points, the order that both sides of a link use.
package points
