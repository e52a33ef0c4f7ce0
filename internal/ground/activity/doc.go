// Package activity publishes the state of a process to readers on its host: the members for which
// its threads wait, and the counters of its operations.
//
// A process has one [Page]. It lies in a memfd that the process alone can write. A thread that is about to
// sleep in the library enters a wait there, and removes it when it wakes up. A thread that does not sleep
// writes nothing. [Window.Look] reads the page of another process through /proc, without that process. The
// kernel permits that only to the same user and to the superuser.
//
// Layout of the memfd, offsets in bytes:
//
//	0            head, and the waits of at most maxWaits threads
//	holdsAt      at most maxHolds locks of DMI for which threads wait
//	linksAt      ends of at most maxLinks links of coupled models
//	CountersAt   memory for the owner of the page, which readers see as well
//
// Members are numbered as in package bridge.
package activity
