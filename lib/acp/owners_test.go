//go:build cgo

package libacp

import (
	"fmt"
	"syscall"
	"testing"
)

// TestOwners: a host that owns SIGSEGV or SIGFPE keeps its faults, whenever it has installed its handlers, and a fault
// that it does not repair ends the process as without the library.
func TestOwners(t *testing.T) {
	path := program(t, "owners", "-lm")
	for _, host := range []struct {
		name string
		ends ended
	}{
		{"barrier", ended{}},
		{"dump", ended{status: -int(syscall.SIGSEGV), stderr: "dump\n"}},
		{"trap", ended{}},
	} {
		for _, when := range []string{"load", "before", "after"} {
			t.Run(fmt.Sprintf("%s/%s", host.name, when), func(t *testing.T) {
				if e := alone(t, []string{"ACP_STARTER_MEMSIZE=2097152"}, path, host.name, when); e != host.ends {
					t.Errorf("%v, expected %v", e, host.ends)
				}
			})
		}
	}
}
