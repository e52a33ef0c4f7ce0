package global_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// TestCause: errors of the layers below become those that users test for, and keep their text.
func TestCause(t *testing.T) {
	if global.Cause(nil) != nil {
		t.Error("success has a cause")
	}
	for _, c := range []struct{ err, want error }{
		{&fabric.RangeError{Pos: 4096, Size: 8}, global.ErrBadAddress},
		{heapview.ErrBadAddress, global.ErrBadAddress},
		{fabric.ErrGone, global.ErrBadAddress},
		{am.ErrGone, global.ErrDestroyed},
		{fabric.ErrClosed, global.ErrFinalized},
	} {
		for _, err := range []error{c.err, &fabric.RankError{Rank: 5, Err: c.err}, fmt.Errorf("on the way: %w", c.err)} {
			got := global.Cause(err)
			if !errors.Is(got, c.want) || !errors.Is(got, c.err) || !strings.HasSuffix(got.Error(), err.Error()) {
				t.Errorf("%v became %v", err, got)
			}
		}
	}
	for _, err := range []error{fabric.ErrPeerDead, heapview.ErrFull, am.ErrElsewhere, am.ErrBadIterator, io.EOF} {
		if got := global.Cause(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

// TestErrorsNameAddresses: the error of a copy says which bytes of a rank are no memory, whatever
// numbers the ranks have.
func TestErrorsNameAddresses(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		for life, ranks := range [][]uint32{{0, 1, 2}, {2, 0, 1}} {
			w.Renumber(t, ranks)
			_, at := register(t, w.Rank(2), foreign(t, 4096))
			for _, r := range w.Ranks {
				if err := r.Mem.Put(at, make([]byte, 16)); err != nil {
					t.Errorf("life %d: a copy by rank %d: %v", life, r.Numbers.Own(), err)
				}
				err := r.Mem.Put(nowhere(1), make([]byte, 16))
				var outside *fabric.RangeError
				if !errors.As(err, &outside) || outside.Pos != ga.Pos(nowhere(1)) || outside.Size != 16 {
					t.Errorf("life %d: a copy by rank %d to nowhere: %v", life, r.Numbers.Own(), err)
				}
			}
		}
	})
}
