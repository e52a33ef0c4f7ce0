// Package directory finds the rank of the sending side of a link that has each point that a rank of the
// receiving side needs.
//
// All ranks of both sides share this work: each is the directory of a range of points ([Ranges]). The ranks
// send each directory the points of its range that they hold, and the directory compares them
// ([Range.Match]). So no rank gets points that are neither its own nor in its range.
package directory
