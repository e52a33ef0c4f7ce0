// Package grid computes which rank holds each place of a global pointer array.
//
// A [Layout] divides every dimension of the array into blocks, which form a grid. The ranks
// hold the blocks in C order: the last dimension varies fastest. The places of a block have
// indices from 0, also in C order. [Layout.Section] and [Layout.List] convert sections and
// lists of a program into runs of indices of each rank.
//
// The package decides by arithmetic alone. All ranks that pass the same values get the same
// layout.
package grid
