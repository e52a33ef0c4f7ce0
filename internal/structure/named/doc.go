// Package named keeps named values: small records that any rank puts under a name, and that other ranks get
// by that name: a handle, an address, a configuration, a command.
//
// A hash of the name chooses the owner of a value among the processes of the run, which all choose the same
// one. The owner keeps the values in its private memory, outside of the global heap. So no process has all
// names, and no value is sent to all processes.
//
// Every put replaces the value and gives it the next version, from 1 on. A process that waits for a version
// sends one request, which the owner answers when it has that version or a later one: no process polls. A
// process that stops waiting early informs the owner.
package named
