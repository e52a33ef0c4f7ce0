package hashed

import (
	"errors"
	"testing"

	"github.com/goacp/goacp/internal/network/am"
)

// TestAcquired: an acquired table refuses operations of other processes than its holder, and a table that is
// not acquired cannot be released.
func TestAcquired(t *testing.T) {
	s, _, _ := newView(alive)
	for kind := range kinds {
		table := newTable(t, s, kind, 3, "a", "b", "c")
		do := func(op Op, arg uint64, key string, exclusive bool) error {
			c := am.Call{Args: [4]uint64{3: arg}, Data: []byte(key), Out: make([]byte, 100)}
			as := table
			as.exclusive = exclusive
			as.Address(&c, kind, op, 0)
			_, err := Perform(s, &c)
			return err
		}
		steps := []struct {
			op        Op
			arg       uint64
			exclusive bool
			want      error
		}{
			{Verify, release, false, am.ErrExclusive},
			{Verify, verifyModes, false, am.ErrMalformed},
			{Verify, acquire, false, nil},
			{Verify, acquire, false, am.ErrExclusive},
			{Verify, acquire, true, am.ErrExclusive},
			{Verify, verifyOnly, false, am.ErrExclusive},
			{Find, 0, false, am.ErrExclusive},
			{Find, 0, true, nil},
			{Count, 0, false, am.ErrExclusive},
			{Clear, 0, false, am.ErrExclusive},
			{Export, 0, false, am.ErrExclusive},
			{Destroy, 0, false, am.ErrExclusive},
			{Clear, 0, true, nil},
			{Verify, release, true, nil},
			{Find, 0, false, nil},
			{Destroy, 0, false, nil},
			{Verify, acquire, false, am.ErrGone},
		}
		for i, x := range steps {
			if err := do(x.op, x.arg, "a", x.exclusive); !errors.Is(err, x.want) {
				t.Errorf("%v, step %d: %v, expected %v", kind, i, err, x.want)
			}
		}
	}
}
