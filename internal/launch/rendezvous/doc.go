// Package rendezvous is the launcher's side of the rendezvous, the server of package bridge at
// which the processes of a run meet. It decides at which addresses the server listens, tells
// processes where it is, and says which routes they have chosen.
package rendezvous
