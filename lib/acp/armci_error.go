//go:build cgo

package libacp

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"errors"
	"fmt"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// armciResult returns the number of ARMCI for an error of a function. Unless the error is one of
// resources or ARMCI_ERRORS is return, it ends the run with a line.
func armciResult(call *C.struct_goacp_call, err error) C.int {
	if err == nil {
		return 0
	}
	returns := errors.Is(err, world.ErrMemory) || armciReturnsErrors() && call.ends == 0
	if !returns || errors.Is(err, acp.ErrPeerDead) {
		armciFatal(call, err)
	}
	return C.int(world.Code(err))
}

// armciReturnsErrors reports whether functions return the numbers of mistakes. The variable holds
// before ARMCI_Init, too.
func armciReturnsErrors() bool { return getenv(envArmciErrors) == "return" }

// goacp_armci_wrong is what a function returns whose arguments are wrong: the number of an error, if
// it is one to return. The value is the argument.
//
//export goacp_armci_wrong
func goacp_armci_wrong(call *C.struct_goacp_call, code C.int, value C.long) C.int {
	defer stopPanic()
	reason := world.OfCode(int(code))
	if reason == world.ErrAddress || reason == world.ErrArray {
		return armciResult(call, fmt.Errorf("%w: NULL", reason))
	}
	return armciResult(call, fmt.Errorf("%w: %d", reason, value))
}

// armciFatal ends the run because of a call.
func armciFatal(call *C.struct_goacp_call, err error) {
	if errors.Is(err, acp.ErrPeerDead) {
		time.Sleep(runEndLimit) // the launcher says why
	}
	armciEnd(fmt.Sprintf("armci: %s by %s: %v", callText(call), armciSelf(), err), 1)
}

// stopArmciPanic is stopPanic for functions of armci.h. The line names the function.
func stopArmciPanic(call *C.struct_goacp_call) {
	if cause := recover(); cause != nil {
		armciEnd(fmt.Sprintf("armci: %s by %s: %s", callText(call), armciSelf(), panicText(cause, panicPlace())), 1)
	}
}

// armciStoreFailed ends the run because of a store for which no call waits any more.
func armciStoreFailed(err error) {
	line := fmt.Sprintf("armci: %v, issued by %s", err, armciSelf())
	if armciReturnsErrors() {
		report(line)
		return
	}
	go armciEnd(line, 1)
}

// armciEnd writes a line to standard error and ends the run, as ARMCI_Error does. code is the exit
// status if it is one of 1 to 127.
func armciEnd(line string, code C.int) {
	if code < 1 || code > 127 {
		code = 1
	}
	C.fflush(nil)
	endWith(line, line, code)
}
