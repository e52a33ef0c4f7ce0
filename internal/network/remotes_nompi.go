//go:build !mpi

package network

var remotes []opener
