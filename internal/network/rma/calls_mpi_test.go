//go:build mpi

package rma

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/acptest/machine"
	"github.com/goacp/goacp/internal/ground/futex"
)

// printWords prints what stands in memory for the operations whose numbers it reads.
const printWords = `
#include "calls.h"
#include <stdio.h>
int main(void) {
  unsigned long long member, kind, n;
  while (scanf("%llu %llu %llu", &member, &kind, &n) == 3)
    printf("%llu\n", (unsigned long long)GOACP_RMA_OPERATION(member, kind, n));
  return 0;
}
`

// TestOperationInC: C and Go announce an operation by the same word.
func TestOperationInC(t *testing.T) {
	source := filepath.Join(t.TempDir(), "words.c")
	if err := os.WriteFile(source, []byte(printWords), 0o666); err != nil {
		t.Fatal(err)
	}
	program := source + ".out"
	args := append(strings.Fields(os.Getenv("CGO_CFLAGS")), "-Wall", "-Wextra", "-Werror", "-I.", source, "-o", program)
	if out, err := exec.Command(machine.CC(), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var input, want strings.Builder
	for range 1000 {
		o := operation{member: rand.IntN(1 << 20), kind: kind(rand.IntN(int(kindRegistered) + 1))}
		n := rand.Uint64() >> rand.IntN(64)
		o.digits = bits.Len64(n | 1)
		fmt.Fprintln(&input, o.member, int(o.kind), n)
		fmt.Fprintln(&want, o.word())
	}
	cmd := machine.Command(t.Context(), program)
	cmd.Stdin = strings.NewReader(input.String())
	if got, err := cmd.Output(); err != nil || string(got) != want.String() {
		t.Errorf("%v; C has\n%s\nand Go\n%s", err, got, want.String())
	}
}

// TestLock lets goroutines take turns.
func TestLock(t *testing.T) {
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
	if count != goroutines*times || *c.lock() != (futex.Mutex{}) {
		t.Errorf("counted %d, expected %d; the lock is %d", count, goroutines*times, *c.lock())
	}
}

// TestMonitor: an operation that takes long wakes its target, and is the last of its kind
// that does not do so at once.
func TestMonitor(t *testing.T) {
	c, err := newCalls(2)
	if err != nil {
		t.Fatal(err)
	}
	defer c.free()
	woken := make(chan int, 1000)
	wake := func(member int) {
		select {
		case woken <- member:
		default: // more often than the test looks
		}
	}
	begin := time.Now()
	busy := func() time.Duration { return time.Since(begin) } // as if it had a processor all the time
	k := startMonitor(c, new(Transport), wake, busy)
	defer k.stop()
	c.Lock()
	defer c.Unlock()
	k.enter(1, kindAtomic, 8)
	if len(woken) > 0 {
		t.Error("woken by an operation that has just begun")
	}
	for deadline := time.Now().Add(20 * time.Second); !c.needsHelp(1, kindAtomic); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the monitor has learnt nothing from an operation that keeps a processor busy")
		}
	}
	k.leave()
	if m := <-woken; m != 1 {
		t.Errorf("member %d was woken", m)
	}
	if c.needsHelp(1, kindCopy) || c.needsHelp(0, kindAtomic) {
		t.Error("the monitor has learnt too much")
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

// TestExpire: C may leave an agent alone that was woken just now, and no other.
func TestExpire(t *testing.T) {
	c, err := newCalls(3)
	if err != nil {
		t.Fatal(err)
	}
	defer c.free()
	woken := 0
	k := &monitor{calls: c, wake: func(int) { woken++ }, start: time.Now().Add(-time.Hour), last: make([]atomic.Int64, 3)}
	for range 2 {
		k.wakeTarget(1)
		k.wakeTarget(2)
	}
	if woken != 4 || !c.isAwake(1) || !c.isAwake(2) || c.isAwake(0) {
		t.Errorf("%d times woken; awake: %v %v %v", woken, c.isAwake(0), c.isAwake(1), c.isAwake(2))
	}
	k.last[2].Store(k.now() - 2*int64(renewal))
	k.last[1].Store(k.now() + int64(time.Hour))
	k.expire()
	if !c.isAwake(1) || c.isAwake(2) {
		t.Errorf("after the time of one has expired, awake: %v %v", c.isAwake(1), c.isAwake(2))
	}
	k.wakeTarget(2)
	if !c.isAwake(2) {
		t.Error("not awake, although it was woken again")
	}
}

// TestLearn: only an operation that has kept a processor busy, and for longer than its
// bytes take, is taken for one that needs help.
func TestLearn(t *testing.T) {
	for _, tt := range []struct {
		what       string
		n          uint64
		late, used time.Duration
		want       bool
	}{
		{"was interrupted", 8, checkInterval, checkInterval / 10, false},
		{"has begun just now", 8, checkInterval / 4, checkInterval / 4, false},
		{"is long", 16 << 20, 5 * time.Millisecond, 5 * time.Millisecond, false},
		{"is long, overdue and interrupted", 1 << 20, 10 * time.Millisecond, time.Millisecond, false},
		{"waits for MPI", 8, checkInterval, checkInterval, true},
		{"is long and waits for MPI", 16 << 20, 50 * time.Millisecond, 50 * time.Millisecond, true},
	} {
		c, err := newCalls(1)
		if err != nil {
			t.Fatal(err)
		}
		k := &monitor{calls: c}
		k.learn(operation{kind: kindCopy, digits: bits.Len64(tt.n)}, tt.late, tt.used)
		if got := c.needsHelp(0, kindCopy); got != tt.want {
			t.Errorf("an operation of %d bytes that %s: needs help: %v", tt.n, tt.what, got)
		}
		c.free()
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
			for n, digits := range map[uint64]int{0: 1, 8: 4, 1<<16 + 1: 17, 1<<16 - 1: 16, 1 << 40: 41} {
				c.begin(member, what, n)
				want := operation{member: member, kind: what, digits: digits}
				if got, _, any := c.underWay(); !any || got != want {
					t.Errorf("%+v, %v; expected %+v", got, any, want)
				}
				if word := *c.current(); word != 1+uint64(digits)+65*(uint64(what)+3*uint64(member)) {
					t.Errorf("%+v: word %d", want, word)
				}
				c.end()
			}
		}
	}
	if _, count, any := c.underWay(); any || count != 45 {
		t.Errorf("%d operations, one under way: %v; expected 45, false", count, any)
	}
}
