// Package workspace has the workspaces of a process: ranges of bytes that all ranks share, cut
// into pieces that lie on consecutive ranks.
//
// A [Layout] maps the bytes to ranks. All ranks create and destroy a [Workspace] together. Every rank reads
// and writes it by copies from and to the memory of the ranks that hold the pieces. These ranks take no part
// in the copies.
package workspace
