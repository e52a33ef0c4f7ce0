package acp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// step is a collective call of a program, by the name that users see.
type step string

const (
	stepSync     step = "acp_sync"
	stepFinalize step = "acp_finalize"
	stepReset    step = "acp_reset"
	stepCreate   step = "acp_create_ws"
	stepDestroy  step = "acp_destroy_ws for workspace %d"
)

// script lists the calls of one rank of a test, in order. It ends with stepFinalize.
type script []step

// randomScript returns a script that a correct program could have.
func randomScript(rnd *rand.Rand) script {
	var s script
	made, alive := 0, []int{}
	for range rnd.IntN(12) {
		switch rnd.IntN(8) {
		case 0:
			s = append(s, stepReset)
			alive = nil
		case 1, 2:
			made++
			alive = append(alive, made)
			s = append(s, stepCreate)
		case 3:
			if n := len(alive); n > 0 {
				s = append(s, destroying(alive[n-1]))
				alive = alive[:n-1]
			}
		default:
			s = append(s, stepSync)
		}
	}
	return append(s, stepFinalize)
}

// diverge returns s with one call left out, added or replaced by another.
func (s script) diverge(rnd *rand.Rand) script {
	at := rnd.IntN(len(s))
	other := []step{stepSync, stepReset, stepCreate, stepFinalize}[rnd.IntN(4)]
	d := append(script{}, s[:at]...)
	switch rnd.IntN(3) {
	case 0:
		d = append(d, s[at+1:]...)
	case 1:
		d = append(append(d, other), s[at:]...)
	default:
		d = append(append(d, other), s[at+1:]...)
	}
	return append(d, stepFinalize)
}

// firstDifference returns the first place at which two scripts differ, and -1 if there is
// none.
func firstDifference(a, b script) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
		if a[i] == stepFinalize {
			return -1
		}
	}
	return -1
}

// player carries out a script as one rank.
type player struct {
	p     *acp.Process
	works []*acp.Workspace // by number, from 1
}

// play returns the error of the first call that fails, and how many were made.
func (pl *player) play(s script) (calls int, err error) {
	for i, c := range s {
		if err := pl.call(c); err != nil || c == stepFinalize {
			return i, err
		}
	}
	return len(s), nil
}

func (pl *player) call(c step) error {
	switch c {
	case stepSync:
		return pl.p.Sync()
	case stepFinalize:
		return pl.p.Finalize()
	case stepReset:
		return pl.p.Reset(acp.Rank((int(pl.p.Rank()) + 1) % pl.p.Procs()))
	case stepCreate:
		w, err := pl.p.NewWorkspace(100)
		pl.works = append(pl.works, w)
		return err
	}
	var number int
	if _, err := fmt.Sscanf(string(c), string(stepDestroy), &number); err != nil {
		return err
	}
	return pl.works[number-1].Destroy()
}

// resets counts the resets among the first n calls.
func (s script) resets(n int) int {
	count := 0
	for _, c := range s[:n] {
		if c == stepReset {
			count++
		}
	}
	return count
}

// TestDivergence lets one rank of several call another collective function than the others, at a random place
// of a random program. This call must fail on every rank, and the message must name both calls and both
// ranks.
func TestDivergence(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	forEachMode(t, []int{2, 3, 4, 7}, func(t *testing.T, mode bridge.Mode, n int) {
		rnd := rand.New(rand.NewPCG(seed, uint64(n)<<8|uint64(mode)))
		for range rounds {
			common := randomScript(rnd)
			other, at := common, -1
			for at < 0 || !common[:at].allows(other[at]) {
				other = common.diverge(rnd)
				at = firstDifference(common, other)
			}
			diverge(t, mode, n, rnd.IntN(n), common, other, at)
		}
	})
}

// allows reports whether a rank that has called s may call c: it needs a workspace to
// destroy it.
func (s script) allows(c step) bool {
	if !strings.HasPrefix(string(c), "acp_destroy_ws") {
		return true
	}
	alive, made := make(map[step]bool), 0
	for _, past := range s {
		switch past {
		case stepCreate:
			made++
			alive[destroying(made)] = true
		case stepReset:
			clear(alive)
		default:
			delete(alive, past)
		}
	}
	return alive[c]
}

// destroying is the call that destroys a workspace.
func destroying(number int) step { return step(fmt.Sprintf(string(stepDestroy), number)) }

// diverge runs a program of n ranks of which one, the member odd, has another script than
// the others. The scripts differ first in call at.
func diverge(t *testing.T, mode bridge.Mode, n, odd int, common, other script, at int) {
	t.Helper()
	w := newWorld(t, n)
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	stuck := time.AfterFunc(deadline, func() { panic(fmt.Sprintf("ranks are stuck: %v and %v of member %d", common, other, odd)) })
	defer stuck.Stop()
	errs := make([]error, n)
	var all sync.WaitGroup
	for m := range n {
		all.Go(func() {
			p, err := w.open(ctx, m, acp.Config{Mode: mode})
			if err != nil {
				errs[m] = err
				return
			}
			own := common
			if m == odd {
				own = other
			}
			calls, err := (&player{p: p}).play(own)
			// Between hosts, the end of the run may reach a rank before the last note.
			if !errors.Is(err, acp.ErrDisagree) && !errors.Is(err, acp.ErrPeerDead) {
				errs[m] = fmt.Errorf("member %d: call %d of %v, expected %d to fail: %w", m, calls, own, at, err)
			} else if calls != at {
				errs[m] = fmt.Errorf("member %d: call %d of %v failed, expected %d: %w", m, calls, own, at, err)
			} else if want := difference(n, odd, common, other, at); !strings.Contains(err.Error(), want) {
				errs[m] = fmt.Errorf("member %d: %w, expected %q", m, err, want)
			}
			if own[min(calls, len(own)-1)] != stepFinalize {
				_ = p.Finalize() // of a lost run
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatalf("%v, but member %d %v: %v", common, odd, other, err)
	}
}

// difference is the expected message for scripts that differ first in call at. Every earlier reset has given
// each rank the number of the next one.
func difference(n, odd int, common, other script, at int) string {
	rank := func(member int) int { return (member + common.resets(at)) % n }
	if odd == 0 {
		return fmt.Sprintf("rank %d called %s while rank %d called %s", rank(1), common[at], rank(0), other[at])
	}
	return fmt.Sprintf("rank %d called %s while rank %d called %s", rank(odd), other[at], rank(0), common[at])
}
