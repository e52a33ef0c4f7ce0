package driver

import (
	"sync/atomic"

	"github.com/goacp/goacp/bridge"
)

// Routes says which fabric serves each member. Its methods may be called by several goroutines at once.
type Routes struct {
	words []uint32 // four routes in each
}

const routeBits, routesPerWord = 8, 4

// NewRoutes returns the routes to the members of a run with so many seats. Messages serve all of them at first: a member
// that is not known yet may be on any host.
func NewRoutes(seats int) *Routes {
	r := &Routes{make([]uint32, (seats+routesPerWord-1)/routesPerWord)}
	for member := range seats {
		r.words[member/routesPerWord] |= uint32(bridge.TCP) << routeShift(member)
	}
	return r
}

func routeShift(member int) int { return member % routesPerWord * routeBits }

// Of returns the route to a member.
func (r *Routes) Of(member int) bridge.Route {
	return bridge.Route(atomic.LoadUint32(&r.words[member/routesPerWord]) >> routeShift(member))
}

// Any reports whether a route serves any member.
func (r *Routes) Any(route bridge.Route) bool {
	for i := range r.words {
		for word := atomic.LoadUint32(&r.words[i]); word != 0; word >>= routeBits {
			if bridge.Route(word) == route {
				return true
			}
		}
	}
	return false
}

// Set changes the route to a member. No operation on the member is under way.
func (r *Routes) Set(member int, route bridge.Route) {
	word := &r.words[member/routesPerWord]
	for {
		old := atomic.LoadUint32(word)
		value := old&^(0xff<<routeShift(member)) | uint32(route)<<routeShift(member)
		if atomic.CompareAndSwapUint32(word, old, value) {
			return
		}
	}
}
