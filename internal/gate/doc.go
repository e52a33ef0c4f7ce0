// Package gate limits the callers that wait at a listening socket to prove that they
// belong to the run, so that strangers cannot keep members out.
//
//	g := gate.New()
//	…
//	c, err := listener.AcceptTCP()
//	leave := g.Enter(c)
//	go func() {
//		err := authenticate(c)
//		leave(err == nil)
//		…
//	}()
//
// A stranger can open thousands of connections and say nothing. So a gate has a limited
// number of places. When all are taken, the oldest caller of the source that holds most of
// them is turned away for the next: a member needs its place for a moment only, and may
// call again. A source is a user of this host, or another host. Callers of the user that
// owns this process stay as long as there are others.
package gate
