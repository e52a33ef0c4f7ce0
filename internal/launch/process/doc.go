// Package process starts, watches and ends processes of this host.
//
// Children starts processes and collects their statuses. A A Scope decides which processes belong to a run,
// and signals or ends them. A Cleaner is a small process that does the same if the launcher is killed. An
// Identity names a process even if the kernel gives its number to another one.
package process
