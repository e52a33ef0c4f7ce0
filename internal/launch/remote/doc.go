// Package remote starts processes of a run on other hosts.
//
// Hosts starts a proxy on each of these hosts through the remote shell. A proxy is a process of the same
// program (Proxy). It starts ranks, passes on their input, output and signals, and ends the remaining
// processes when the launcher ends. A token holder is a proxy on a host where MPI launchers start the ranks
// by their own means. It stores the token of the run there, which MPI launchers would send in clear, and
// starts no ranks.
//
// A launcher and its proxies exchange frames of package message.
package remote
