//go:build mpi

package rma

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The numbers of operations are those of Go; the functions of calls.h are where acp/capi/direct.h says, and of the same kind but for
// what they belong to.
const sameHead = `
#include "calls.h"
#include "direct.h"
#define SAME(member)                                                                       \
  _Static_assert(offsetof(struct goacp_rma, member) ==                                     \
                     offsetof(struct goacp_windows, member) &&                             \
                 sizeof((struct goacp_rma *)0)->member ==                                  \
                     sizeof((struct goacp_windows *)0)->member, #member)
SAME(copy);
SAME(atomic);
_Static_assert(GOACP_RMA_OPERATION(999, GOACP_RMA_REGISTERED, 65537) == 2 + 2 * (2 + 3 * 999),
               "as TestOperation has it");
#define goacp_rma goacp_windows
int copy(struct goacp_rma *, uint64_t, void *, uint64_t, int);
int atomic(struct goacp_rma *, int, int, uint64_t, uint64_t, uint64_t, uint64_t *);
void assign(struct goacp_windows *w) {
  w->copy = copy;
  w->atomic = atomic;
}
`

func TestHead(t *testing.T) {
	source := filepath.Join(t.TempDir(), "head.c")
	if err := os.WriteFile(source, []byte(sameHead), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append(strings.Fields(os.Getenv("CGO_CFLAGS")), "-fsyntax-only", "-Werror", "-I.", "-I../../../acp/capi", source)
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestTurn lets goroutines take turns.
func TestTurn(t *testing.T) {
	c, err := newCalls(1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.free()
	const goroutines, times = 8, 20000
	count := 0
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range times {
				c.Lock()
				count++
				c.Unlock()
			}
		})
	}
	all.Wait()
	if count != goroutines*times || *c.turn() != 0 {
		t.Errorf("counted %d, expected %d; the turn is %d", count, goroutines*times, *c.turn())
	}
}

// TestKeeper: an operation that takes long wakes its target, and is the last of its kind
// that does not do so at once.
func TestKeeper(t *testing.T) {
	c, err := newCalls(2)
	if err != nil {
		t.Fatal(err)
	}
	defer c.free()
	woken := make(chan int, 1000)
	k := startKeeper(c, func(member int) { woken <- member })
	defer k.stop()
	c.Lock()
	defer c.Unlock()
	k.enter(1, kindAtomic, 8)
	if len(woken) > 0 {
		t.Error("woken by an operation that has just begun")
	}
	for deadline := time.Now().Add(20 * time.Second); !c.needsHelp(1, kindAtomic); {
		if time.Now().After(deadline) {
			t.Fatal("the keeper has learnt nothing from an operation that keeps a processor busy")
		}
	}
	k.leave()
	if m := <-woken; m != 1 {
		t.Errorf("member %d was woken", m)
	}
	if c.needsHelp(1, kindCopy) || c.needsHelp(0, kindAtomic) {
		t.Error("the keeper has learnt too much")
	}
	k.last[1].Store(0)
	for len(woken) > 0 {
		<-woken
	}
	k.enter(1, kindAtomic, 8)
	if len(woken) == 0 {
		t.Error("not woken, although the operation is known to need help")
	}
	k.leave()
}

// TestLearn: only an operation that has kept a processor busy is taken for one that needs
// help, unless it is long.
func TestLearn(t *testing.T) {
	c, err := newCalls(1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.free()
	k := &keeper{calls: c}
	k.learn(operation{kind: kindCopy}, renewal/10) // was interrupted
	k.learn(operation{kind: kindCopy, long: true}, 2*renewal)
	if c.needsHelp(0, kindCopy) {
		t.Error("an operation that was interrupted, or is long, is taken for one that needs help")
	}
	if k.learn(operation{kind: kindCopy}, 2*renewal); !c.needsHelp(0, kindCopy) {
		t.Error("an operation that waits for MPI is not taken for one that needs help")
	}
}

// TestOperation announces operations and looks at what C would see.
func TestOperation(t *testing.T) {
	c, err := newCalls(1000)
	if err != nil {
		t.Fatal(err)
	}
	defer c.free()
	for _, member := range []int{0, 1, 999} {
		for _, what := range []kind{kindCopy, kindAtomic, kindRegistered} {
			for _, n := range []uint64{0, 8, 1 << 16, 1<<16 + 1, 1 << 40} {
				c.begin(member, what, n)
				want := operation{member: member, kind: what, long: n > 1<<16}
				if got, _, any := c.underWay(); !any || got != want || member == 999 && what == kindRegistered && want.long && *c.current() != 2+2*(2+3*999) {
					t.Errorf("%+v, %v; expected %+v", got, any, want)
				}
				c.end()
			}
		}
	}
	if _, count, any := c.underWay(); any || count != 45 {
		t.Errorf("%d operations, one under way: %v; expected 45, false", count, any)
	}
}
