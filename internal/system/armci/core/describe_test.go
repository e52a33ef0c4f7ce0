package core_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/system/armci/core"
)

// TestDescribe: the description names the processes, why the domains are as they are, and the route.
func TestDescribe(t *testing.T) {
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		for _, asked := range []bool{false, true} {
			extensiontest.Run(t, 3, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *acp.Process) error {
				s := core.Of(p)
				if err := s.Begin([]int{2, 0, 1}, core.Options{ProcessDomains: asked}); err != nil {
					return err
				}
				lines := s.Session().Describe()
				why := "memory does not have the same addresses" // they are in one process
				switch {
				case asked:
					why = "as the environment asks for"
				case mode == bridge.ModeTCP:
					why = "memory has the same addresses" // of itself: no two processes share any
				}
				if len(lines) != 3 || !strings.Contains(lines[0], ": 3 processes on 1 host, 3 domains") ||
					!strings.Contains(lines[1], why) || !strings.HasSuffix(lines[2], ": processes [0 1 2], by "+mode.String()) {
					return fmt.Errorf("%q, expected %q", lines, why)
				}
				if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "\n") }); i >= 0 {
					return fmt.Errorf("line %d is several", i)
				}
				return s.End()
			})
		}
	})
}
