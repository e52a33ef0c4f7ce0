package acp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestErrorsNameFabric: the error of an access that a fabric has refused names the fabric, in its field and
// in its text. The error of an access that this process has refused names no fabric.
func TestErrorsNameFabric(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		memory := foreign(t, 4096)
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			if p.Rank() == 1 {
				// Rank 0 gets an address that was valid once.
				key := must(p.Register(memory, 0))
				ga := must(p.QueryGA(key, unsafe.Pointer(&memory[0])))
				*(*acp.GA)(unsafe.Pointer(&p.Starter()[0])) = ga
				return errors.Join(p.Unregister(key), p.Sync(), p.Sync())
			}
			if err := p.Sync(); err != nil {
				return err
			}
			mine, theirs := must(p.StarterGA(0)), must(p.StarterGA(1))
			if err := p.Complete(must(p.Copy(mine, theirs, 8, 0))); err != nil {
				return err
			}
			gone := *(*acp.GA)(unsafe.Pointer(&p.Starter()[0]))
			_, local := p.Copy(mine, acp.NullGA, 8, 0)
			return errors.Join(
				isOf(mode.String(), p.Complete(must(p.Copy(mine, gone, 100, 0)))),
				isOf(mode.String(), p.Complete(must(p.Copy(gone, mine, 100, 0)))),
				isOf("tcp", p.Complete(must(p.Add8(mine, gone, 1, 0)))),
				isOf("", local),
				p.Sync(),
			)
		})
	})
}

// isOf returns an error unless err is an *OpError of a fabric.
func isOf(fabric string, err error) error {
	var op *acp.OpError
	if !errors.As(err, &op) {
		return fmt.Errorf("expected an error of fabric %q, got %v", fabric, err)
	}
	if op.Fabric != fabric {
		return fmt.Errorf("expected an error of fabric %q, got %q: %v", fabric, op.Fabric, err)
	}
	if named := strings.Contains(err.Error(), " over "+fabric+":"); fabric != "" && !named {
		return fmt.Errorf("the text does not name %s: %v", fabric, err)
	}
	return nil
}

// TestOpErrorText: the text has all known properties of the call.
func TestOpErrorText(t *testing.T) {
	for _, c := range []struct {
		err  acp.OpError
		want string
	}{
		{
			acp.OpError{Op: "add8", Rank: 2, Src: 5<<44 | 0x1040, Size: 8, Err: acp.ErrPeerDead, Fabric: "tcp"},
			"acp: add8 of 8 bytes at 0x500000001040 (rank 5) by rank 2 over tcp: peer died",
		},
		{acp.OpError{Op: "sync", Rank: 1, Err: acp.ErrPeerDead}, "acp: sync by rank 1: peer died"},
		{acp.OpError{Op: "init", Rank: -1, Err: acp.ErrBadRank}, "acp: init: no such rank"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, expected %q", got, c.want)
		}
	}
}
