package shm

import (
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/driver"
)

// Driver opens the fabric shm.
var Driver = driver.Driver{Route: bridge.SHM, Open: open}

// open opens the transport. It maps a peer at the first operation on it.
func open(e *driver.Env) (fabric.Transport, error) {
	peerInfo := func(m int) *segment.PeerInfo {
		if e.Routes.Of(m) != bridge.SHM {
			return nil
		}
		c := e.Roster.CohortOf(m).At(m)
		return &segment.PeerInfo{Run: e.Run, Member: m, PID: int(c.PID), StartTime: c.StartTime, FD: int(c.MemFD), Layout: e.Layout(m)}
	}
	return New(Config{Size: e.Seats, PeerInfo: peerInfo, Attach: e.Attach, Ranks: e.Ranks}), nil
}

var _ driver.Mapper = (*Transport)(nil)
