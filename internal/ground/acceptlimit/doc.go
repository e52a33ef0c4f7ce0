// Package acceptlimit limits the connections of callers that have not proved yet that they
// belong to the run. So processes that do not belong to it cannot keep members out.
//
//	l := acceptlimit.New()
//	…
//	c, err := listener.AcceptTCP()
//	leave := l.Enter(c)
//	go func() {
//		err := authenticate(c)
//		leave(err == nil)
//		…
//	}()
//
// Any program can open thousands of connections and send nothing. So a limiter has a limited
// number of places. If all are taken and another caller comes, the limiter evicts the oldest caller
// of the source that holds most places. A member needs its place only for a moment, and may
// call again if it was evicted. A source is a user of this host, or another host. The limiter
// evicts callers of its own user only if there are no others.
package acceptlimit
