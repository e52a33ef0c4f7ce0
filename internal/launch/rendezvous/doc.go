// Package rendezvous is the launcher's side of the rendezvous, the server of package bridge at which the
// processes of a run meet. It decides at which addresses the server listens, gives processes the address, and
// reports the routes that they have chosen.
package rendezvous
