package startup

import (
	"context"
	"fmt"

	"github.com/goacp/goacp/bridge"
)

// Host is what a member knows of its host when all have told where they run.
type Host struct {
	ID    bridge.HostID
	Count int  // members of the cohort on this host
	Index int  // of this process among them, which stand in the order of their numbers
	Local bool // all members of the cohort are on this host
}

// Hosts sends the identity of this host to all members, and returns how many of them are here. Collective. Blocks
// until all members have called it.
func Hosts(ctx context.Context, boot bridge.Bootstrap) (Host, error) {
	id, err := bridge.LocalHost()
	if err != nil {
		return Host{}, err
	}
	blobs, err := boot.Exchange(ctx, id[:])
	if err != nil {
		return Host{}, err
	}
	first := boot.Cohort().First
	return compareHosts(id, boot.Member()-first, first, blobs)
}

// compareHosts returns the Host of the process with place self in the cohort, which is on the host id. first is
// the rank of the first process of the cohort.
func compareHosts(id bridge.HostID, self, first int, blobs [][]byte) (Host, error) {
	host := Host{ID: id}
	for m, b := range blobs {
		if len(b) != len(id) {
			return Host{}, otherVersion(first+m, fmt.Errorf("%d bytes", len(b)))
		}
		if bridge.HostID(b) != id {
			continue
		}
		if m < self {
			host.Index++
		}
		host.Count++
	}
	host.Local = host.Count == len(blobs)
	return host, nil
}

// otherVersion is the error of a blob that this version of the library does not send.
func otherVersion(rank int, err error) error {
	return fmt.Errorf("rank %d runs another version of the library: %w", rank, err)
}
