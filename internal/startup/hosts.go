package startup

import (
	"context"
	"fmt"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/extension"
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

// Hosts tells all members on which host this process runs and which extensions it has. It
// returns the host, and whether all members are there. Fails if not all members have the same
// extensions. Collective. Blocks until all members have called it.
func Hosts(ctx context.Context, boot bridge.Bootstrap, extensions []extension.Signature) (host bridge.HostID, local bool, err error) {
	if host, err = bridge.LocalHost(); err != nil {
		return host, false, err
	}
	own := hello{host, extensions}
	blobs, err := boot.Exchange(ctx, own.encode())
	if err != nil {
		return host, false, err
	}
	local, err = compareHellos(host, blobs)
	return host, local, err
}

// compareHellos reports whether all members are on a host. Fails if they do not have the same
// extensions.
func compareHellos(host bridge.HostID, blobs [][]byte) (local bool, err error) {
	local = true
	lists := make([][]extension.Signature, len(blobs))
	for m, b := range blobs {
		h, err := decodeHello(b)
		if err != nil {
			return false, otherVersion(m, err)
		}
		lists[m] = h.extensions
		local = local && h.host == host
	}
	return local, extension.Compare(lists)
}

// otherVersion is the error of a blob that this version of the library does not send.
func otherVersion(rank int, err error) error {
	return fmt.Errorf("rank %d runs another version of the library: %w", rank, err)
}
