package launch

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestLongCommandOfGuests attaches a guest whose command line has 1.5 MiB.
func TestLongCommandOfGuests(t *testing.T) {
	s := newFarSandbox(t)
	g := startGrowing(s, "acprun")
	args := []string{"-to", strconv.Itoa(g.cmd.Process.Pid), "-np", "1", "./member", "arrive", "leave", "exit=0"}
	guest := s.start("", "acprun", slices.Concat(args, slices.Repeat([]string{strings.Repeat("x", 120<<10)}, 13))...)
	if guest.awaitEnd(); guest.status != 0 || guest.err.String() != "" {
		t.Errorf("status %d, %.500v", guest.status, guest.err)
	}
	g.end()
}
