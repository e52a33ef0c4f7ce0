package extensiontest

import (
	"bytes"
	"context"

	"github.com/goacp/goacp/bridge"
)

// elsewhere is the Bootstrap of a rank that pretends to be on another host. The rank shares memory with
// those that pretend the same, and exchanges messages with the others by sockets.
type elsewhere struct {
	bridge.Bootstrap
	real, pretended bridge.HostID
}

// pretend returns a Bootstrap for a rank on one of several hosts. Host 0 is the real one.
func pretend(boot bridge.Bootstrap, host int) (bridge.Bootstrap, error) {
	id, err := bridge.LocalHost()
	if err != nil || host == 0 {
		return boot, err
	}
	e := &elsewhere{Bootstrap: boot, real: id, pretended: id}
	e.pretended[0] ^= byte(host)
	return e, nil
}

// Exchange implements bridge.Bootstrap. The rank knows the real host as its own. So other ranks get the
// pretended one from it, and it sees both exchanged.
func (e *elsewhere) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	blobs, err := e.Bootstrap.Exchange(ctx, e.exchanged(blob))
	for i := range blobs {
		blobs[i] = e.exchanged(blobs[i])
	}
	return blobs, err
}

// exchanged returns a blob in which both hosts have changed places.
func (e *elsewhere) exchanged(blob []byte) []byte {
	parts := bytes.Split(blob, e.real[:])
	for i := range parts {
		parts[i] = bytes.ReplaceAll(parts[i], e.pretended[:], e.real[:])
	}
	return bytes.Join(parts, e.pretended[:])
}
