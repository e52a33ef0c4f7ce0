// Package node is the global memory of DMI in one process: its spaces, its pages and copies, and the accesses to them. Package page has
// the rules by which processes share a page.
//
// A page lies in the heap of the process that owns it, beside a record with a lock. A process of the same host reads and writes the bytes
// itself, under the lock. A process of another host sends requests, of which each answer holds the bytes, or names the next owner. The
// record says when processes of the host have to send requests as well: while copies exist on other hosts, or a long access uses the bytes.
//
// The home of a page is a process that follows from the address. A process that does not know the owner sends its request to the home.
// A page that no process has changed has no owner and no memory.
package node
