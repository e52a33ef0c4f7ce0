package acp_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestDeathAfterReset breaks all connections of one of three ranks that Reset has renumbered. The errors of
// the other ranks, from operations, from each other and from the end of the run, name that rank by its
// present number.
func TestDeathAfterReset(t *testing.T) {
	const victim = 2 // the member, which becomes rank 0
	w := newWorld(t, 3)
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	procs, lost, errs := make([]*acp.Process, 3), make([]chan error, 3), make([]error, 3)
	all := func(what string, f func(member int) error) {
		t.Helper()
		var wg sync.WaitGroup
		for m := range procs {
			wg.Go(func() { errs[m] = f(m) })
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	t.Cleanup(func() {
		for _, p := range procs {
			if p != nil {
				p.Abort("a test is over")
			}
		}
	})
	all("open", func(m int) (err error) {
		lost[m] = make(chan error, 1)
		procs[m], err = w.open(ctx, m, acp.Config{Mode: bridge.ModeTCP, OnLost: func(err error) { lost[m] <- err }})
		return err
	})
	all("touch", func(m int) error {
		if m == victim {
			return nil // so that all its connections lead to its agent
		}
		return touchAll(procs[m])
	})
	all("reset", func(m int) error { return procs[m].Reset(acp.Rank(m+1) % 3) })
	if err := cutOff(procs[victim].AgentOf(victim)); err != nil {
		t.Fatal(err)
	}
	all("after the death", func(m int) error {
		if m == victim {
			return nil
		}
		err := findsDead(procs[m], 0)
		select {
		case reason := <-lost[m]:
			return errors.Join(err, deadPeer(reason, "lost the connection to rank 0: connection lost: "))
		case <-ctx.Done():
			return errors.Join(err, errors.New("OnLost was not called"))
		}
	})
}

// touchAll makes connections of p to all ranks.
func touchAll(p *acp.Process) error {
	for rank := range p.Procs() {
		if _, err := p.Copy(starterOf(p.Rank()), starterOf(acp.Rank(rank)), 8, 0); err != nil {
			return err
		}
	}
	return p.Complete(acp.HandleAll)
}

// findsDead checks the errors that p gets for the rank dead, from its own operations and from the third rank.
func findsDead(p *acp.Process, dead acp.Rank) error {
	copied := func(dst, src acp.Rank) error {
		if _, err := p.Copy(starterOf(dst), starterOf(src), 8, 0); err != nil {
			return err
		}
		return p.Complete(acp.HandleAll)
	}
	me, third := p.Rank(), 3-p.Rank()
	return errors.Join(
		deadPeer(copied(dead, me), fmt.Sprintf(" by rank %d over tcp: rank %d: connection lost: ", me, dead)),
		deadPeer(copied(dead, third), fmt.Sprintf(" by rank %d over tcp: rank %d: as seen by rank %d: connection lost: ", me, dead, third)),
	)
}

// deadPeer checks that err is ErrPeerDead and that its text contains text.
func deadPeer(err error, text string) error {
	if errors.Is(err, acp.ErrPeerDead) && strings.Contains(err.Error(), text) {
		return nil
	}
	return fmt.Errorf("%v: expected %q", err, text)
}

// cutOff breaks the connections of this OS process that lead to the addresses of an agent,
// as the end of the process of that agent would.
func cutOff(agent []netip.AddrPort) error {
	var ends []int
	for fd := range 1 << 10 {
		local, err1 := unix.Getsockname(fd)
		remote, err2 := unix.Getpeername(fd)
		if err1 != nil || err2 != nil {
			continue
		}
		if slices.ContainsFunc(agent, func(a netip.AddrPort) bool { return leads(local, a) || leads(remote, a) }) {
			ends = append(ends, fd)
		}
	}
	if len(ends) != 4 {
		return fmt.Errorf("%d ends of connections lead to the agent, expected 4", len(ends))
	}
	// Shutting down one end of each is enough; afterwards the other end may be closed already.
	for _, fd := range ends {
		if err := unix.Shutdown(fd, unix.SHUT_RDWR); err != nil && !errors.Is(err, unix.ENOTCONN) && !errors.Is(err, unix.EBADF) {
			return err
		}
	}
	return nil
}

// leads reports whether an end of a connection is at an address.
func leads(end unix.Sockaddr, a netip.AddrPort) bool {
	switch end := end.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(end.Addr), uint16(end.Port)) == a
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(end.Addr).Unmap(), uint16(end.Port)) == a
	}
	return false
}
