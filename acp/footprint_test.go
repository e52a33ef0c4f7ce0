package acp_test

import (
	"context"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/footprinttest"
	"github.com/goacp/goacp/internal/memory/maptable"
)

// crowd is the bootstrap of member 0 in a run whose other members do not exist. They
// are on hosts with ranks of this job in turn, as in a large run.
type crowd struct {
	bridge.Bootstrap
	size     int
	exchange int
}

func (c *crowd) Cohort() bridge.Cohort         { return bridge.Cohort{Size: c.size} }
func (c *crowd) Seats() int                    { return c.size }
func (c *crowd) CatchUp(context.Context) error { return nil }

func (c *crowd) Exchange(_ context.Context, blob []byte) ([][]byte, error) {
	const ranksPerHost = 64
	c.exchange++
	blobs := make([][]byte, c.size)
	for m := range blobs {
		blobs[m] = slices.Clone(blob)
		if c.exchange != 2 || m == 0 {
			continue
		}
		contact, err := bridge.DecodeContact(blob)
		if err != nil {
			return nil, err
		}
		contact.Member, contact.JobRank, contact.PID = uint32(m), uint32(m), uint32(m+1000)
		contact.Host[0] += byte(m / ranksPerHost)
		contact.Host[1] += byte(m / ranksPerHost >> 8)
		contact.HostName = "node" + string(rune('a'+m/ranksPerHost%26))
		host := netip.AddrFrom4([4]byte{10, 1, contact.Host[1], contact.Host[0]})
		contact.Agent = []netip.AddrPort{netip.AddrPortFrom(host, uint16(m))}
		blobs[m] = contact.Append(nil)
	}
	return blobs, nil
}

// TestMemoryPerPeer pins the memory that one further rank takes before anything is sent to it.
func TestMemoryPerPeer(t *testing.T) {
	footprint := func(size int) int64 {
		before := footprinttest.InUse()
		p, err := acp.Open(context.Background(), acp.Config{Bootstrap: &crowd{Bootstrap: bridge.Single(), size: size}})
		if err != nil {
			t.Fatal(err)
		}
		after := footprinttest.InUse()
		runtime.KeepAlive(p)
		p.Abort("the members of this run do not exist")
		return after - before + int64(size)*int64(unsafe.Sizeof(maptable.Peer{}))
	}
	footprint(10)
	footprinttest.PerItem(t, "peer", 112, footprint)
}
