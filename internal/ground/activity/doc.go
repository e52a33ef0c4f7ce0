// Package activity is what a process tells readers on its host about itself: for whom its threads
// wait, and how far it has got.
//
// A process has one [Page]. It lies in a memfd that the process alone can write. A thread that is
// about to sleep in the library puts a wait there, and takes it away when it wakes up. A thread
// that does not sleep writes nothing. [Window.Look] reads the page of another process through /proc,
// without that process. The kernel permits that to the same user and to the superuser.
//
// Layout of the memfd, offsets in bytes:
//
//	0            head, and the waits of at most maxWaits threads
//	CountersAt   memory for the owner of the page, which readers see as well
//
// Members are numbered as in package bridge.
package activity
