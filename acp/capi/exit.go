//go:build cgo

package main

// #include "bind.h"
import "C"

import (
	"fmt"
	"os"

	"github.com/goacp/goacp/bridge"
)

// goacp_exiting is called when the process ends in order. If it is a rank that has not
// called acp_finalize, the others would wait for it: the run is over. The launchers of this
// library notice that themselves, and tell how the process ended; an mpirun may not notice,
// and if it does, says nothing of this library.
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
