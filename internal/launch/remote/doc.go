// Package remote starts processes of a run on other hosts.
//
// Hosts starts a proxy on each of these hosts through the remote shell. A proxy is a process of
// the same program (Proxy). It starts ranks, passes their input, output and signals on, and
// ends what is left when the launcher goes. A token holder is a proxy on a host where MPI
// launchers start the ranks by their own means. It puts the token of the run there, which those
// means would carry in clear, and starts no ranks.
//
// A launcher and its proxies talk in frames of package message.
package remote
