// Package directory finds out which rank of the sending side of a link has the points that each rank
// of the receiving side wants.
//
// All ranks of both sides share this work: each is the directory of a range of points ([Ranges]).
// They tell it which points of its range they hold, and it compares them ([Range.Match]). So no rank learns
// of points that are neither its own nor in its range.
package directory
