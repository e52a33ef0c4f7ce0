package startup

import (
	"bytes"
	"context"
	"fmt"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/process/extension"
)

// hello is what a member tells all others first.
type hello struct {
	host       bridge.HostID
	extensions []extension.Signature
}

func (h *hello) encode() []byte { return extension.Append(h.host[:], h.extensions) }

func decodeHello(b []byte) (h hello, err error) {
	if len(b) < len(h.host) {
		return h, fmt.Errorf("%d bytes", len(b))
	}
	n := copy(h.host[:], b)
	h.extensions, err = extension.Decode(b[n:])
	return h, err
}

// Host is what a member knows of its host when all have told where they run.
type Host struct {
	ID    bridge.HostID
	Count int  // members of the cohort on this host
	Index int  // of this process among them, which stand in the order of their numbers
	Local bool // all members of the cohort are on this host
}

// Hosts tells all members on which host this process runs and which extensions it has. It
// returns what is known of the host then, and the extensions that the members agree on. Fails if
// they do not agree.
// Collective. Blocks until all members have called it.
func Hosts(ctx context.Context, boot bridge.Bootstrap, extensions []extension.Signature) (Host, *extension.Agreement, error) {
	id, err := bridge.LocalHost()
	if err != nil {
		return Host{}, nil, err
	}
	own := hello{id, extensions}
	blobs, err := boot.Exchange(ctx, own.encode())
	if err != nil {
		return Host{}, nil, err
	}
	return compareHellos(id, boot.Member()-boot.Cohort().First, blobs)
}

// compareHellos returns what the process with place self in the cohort, which is on the host id, knows of it, and
// the extensions that the members agree on.
func compareHellos(id bridge.HostID, self int, blobs [][]byte) (Host, *extension.Agreement, error) {
	host := Host{ID: id}
	lists := make([][]extension.Signature, len(blobs))
	var h hello
	for m, b := range blobs {
		if m == 0 || !bytes.Equal(b, blobs[m-1]) { // most are like the one before
			var err error
			if h, err = decodeHello(b); err != nil {
				return Host{}, nil, otherVersion(m, err)
			}
		}
		lists[m] = h.extensions
		if h.host != id {
			continue
		}
		if m < self {
			host.Index++
		}
		host.Count++
	}
	host.Local = host.Count == len(blobs)
	agreement, err := extension.Agree(lists)
	return host, agreement, err
}

// otherVersion is the error of a blob that this version of the library does not send.
func otherVersion(rank int, err error) error {
	return fmt.Errorf("rank %d runs another version of the library: %w", rank, err)
}
