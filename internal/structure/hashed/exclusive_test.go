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

// TestAbandoned: a table that a lost member has acquired is free for all others, also to be acquired. The lost member cannot release it for
// another one.
func TestAbandoned(t *testing.T) {
	const present, lost = (lostMembers - 1 + 1) << holderShift, (lostMembers + 1) << holderShift
	s, _, _ := newView(alive)
	for op, arg := range map[Op]uint64{Find: 0, Count: 0, Clear: 0, Verify: acquire | present, Destroy: 0} {
		table := newTable(t, s, Map, 3, "a", "b", "c")
		do := func(op Op, arg uint64) error {
			c := am.Call{Args: [4]uint64{3: arg}, Data: []byte("a"), Out: make([]byte, 100)}
			table.Address(&c, Map, op, 0)
			_, err := Perform(s, &c)
			return err
		}
		want := func(op Op, arg uint64, want error) {
			t.Helper()
			if err := do(op, arg); !errors.Is(err, want) {
				t.Errorf("operation %d: %v, expected %v", op, err, want)
			}
		}
		want(Verify, acquire|present, nil)
		want(op, arg, am.ErrExclusive)
		want(Verify, release|lost, am.ErrExclusive)
		want(Count, 0, am.ErrExclusive)
		table.exclusive = true
		want(Verify, release|present, nil)
		table.exclusive = false
		want(Verify, acquire|lost, nil)
		want(op, arg, nil)
		switch op {
		case Verify:
			want(Verify, release|lost, am.ErrExclusive)
			table.exclusive = true
			want(Verify, release|present, nil)
		case Destroy:
		default:
			want(Count, 0, nil)
		}
	}
}
