//go:build cgo

package libacp

import (
	"context"
	"strconv"
	"strings"
	"testing"
)

// TestUnregisterEndsOwnAccess unregisters memory that another thread uses by the fast path of C.
// The thread then gets an error, never a fault.
func TestUnregisterEndsOwnAccess(t *testing.T) {
	path := program(t, "withdraw")
	ctx, cancel := context.WithTimeout(context.Background(), runTime)
	defer cancel()
	for kind, name := range []string{"copy to", "copy from", "word", "atomic", "atomic result"} {
		t.Run(name, func(t *testing.T) {
			for range 5 {
				e := start(ctx, t, []string{"ACP_STARTER_MEMSIZE=2097152"}, path, strconv.Itoa(kind))
				if e.status != 255 || !strings.Contains(e.stderr, "bad global address") {
					t.Errorf("%v, want status 255 and an error of the address", e)
				}
			}
		})
	}
}
