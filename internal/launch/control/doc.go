// Package control attaches the jobs of a launcher, the guests, to the run of another one.
//
// The launcher of the run serves the socket [SocketName] beside the one for acpstat. The launcher of guests sends a
// [Request] and receives an [Admission]: the token, the addresses of the rendezvous, and the numbers of its jobs and
// ranks. Then it receives the events of its processes. The end of the connection is the end of its jobs.
//
// Both sides send JSON values, one after the other. The connection is a Unix socket, or the standard input and output
// of a remote shell that runs [Relay] on the host of the run.
package control
