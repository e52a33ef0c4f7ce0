//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"fmt"
	"os"

	"github.com/goacp/goacp/bridge"
)

// The C library calls goacp_exiting when the process calls exit or returns from main. If it is a
// rank that has not called acp_finalize, the others would wait for it, so it ends the run. The
// launchers of this library notice that themselves, and say how the process ended. An mpirun may
// not notice it, and would not name acp_finalize.
//
//export goacp_exiting
func goacp_exiting() {
	p := lib.process.Load()
	if p == nil || p.Procs() == 1 || os.Getenv(bridge.EnvRendezvous) != "" {
		return
	}
	ending.Lock()
	p.Abort(fmt.Sprintf("rank %d ended without acp_finalize", p.Rank()))
	C._exit(abortStatus)
}
