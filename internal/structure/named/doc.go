// Package named keeps named values: small records that any rank puts under a name, and that others
// get by it: a handle, an address, a configuration, a command.
//
// A hash of the name chooses the owner of a value among the processes of the run, which all choose
// the same one. The owner has the values in memory of its own, outside of the global heap. So no
// process knows all names, and no process tells all others of a value.
//
// Every put replaces the value and gives it the next version, from 1 on. A process that waits for a
// version sends one request, which the owner answers when it has that version or a later one: no process
// polls. A process that gives up tells the owner so.
package named
