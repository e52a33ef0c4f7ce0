//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/acp"
)

// The kinds and the paths of acp_stats by their numbers. "" stands for all.
var (
	statsKinds = [...]string{C.ACP_STATS_ALL: "", C.ACP_STATS_PUT: "put", C.ACP_STATS_GET: "get",
		C.ACP_STATS_ATOMIC: "atomic", C.ACP_STATS_COPY: "copy", C.ACP_STATS_MESSAGE: "message",
		C.ACP_STATS_STRUCTURE: "structure"}
	statsPaths = [...]string{C.ACP_STATS_ALL: "", C.ACP_STATS_SHM: "shm", C.ACP_STATS_RMA: "rma", C.ACP_STATS_TCP: "tcp"}
)

var errNotCounting = errors.New("this process does not count what it transfers: see option -stats")

//export goacp_stats
func goacp_stats(rank, kind, path C.int, volume *C.int64_t) C.int64_t {
	return call(-1, func(p *acp.Process) (C.int64_t, error) {
		list := p.Stats()
		switch {
		case list == nil:
			return 0, errNotCounting
		case rank < -1 || int(rank) >= p.Procs():
			return 0, fmt.Errorf("%w: %d of %d", acp.ErrBadRank, rank, p.Procs())
		case kind < 0 || int(kind) >= len(statsKinds):
			return 0, fmt.Errorf("no kind of transfer %d", kind)
		case path < 0 || int(path) >= len(statsPaths):
			return 0, fmt.Errorf("no path %d", path)
		}
		operations, bytes := total(list, int(rank), statsKinds[kind], statsPaths[path])
		if volume != nil {
			*volume = C.int64_t(bytes)
		}
		return C.int64_t(operations), nil
	})
}

// total adds up transfers with a rank, or with all if it is negative, of a kind and on a path, or of all if
// they are "".
func total(list []acp.Transfers, rank int, kind, path string) (operations, bytes uint64) {
	for _, x := range list {
		if (rank < 0 || int(x.Rank) == rank) && (kind == "" || x.Kind == kind) && (path == "" || x.Path == path) {
			operations += x.Operations
			bytes += x.Bytes
		}
	}
	return operations, bytes
}
