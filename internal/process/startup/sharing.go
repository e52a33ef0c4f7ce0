package startup

import (
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/wait"
)

// Sharing is how many members share processors with one, itself among them.
type Sharing struct {
	Members    int // all of them
	Apart      int // those of other groups
	First      int // the lowest of the same group
	Processors int // that they share
}

// sharingOf returns the Sharing of this member.
func sharingOf(self int, hostOf func(member int) bridge.HostID, leaders []int, all abilities) Sharing {
	host := hostOf(self)
	pool := wait.PoolOf(all.processors(self))
	for grown := true; grown; {
		grown = false
		for m := range all {
			if hostOf(m) == host {
				grown = pool.Join(all.processors(m)) || grown
			}
		}
	}
	s := Sharing{First: -1, Processors: pool.Size()}
	for m := range all {
		if hostOf(m) != host || !pool.Shares(all.processors(m)) {
			continue
		}
		s.Members++
		switch {
		case leaders[m] != leaders[self]:
			s.Apart++
		case s.First < 0:
			s.First = m
		}
	}
	return s
}
