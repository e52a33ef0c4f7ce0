package tests

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// dmiStuck is a run of dmi_stuck.
type dmiStuck struct {
	*stuckRun
	objects, pages, bytes int64 // addresses
}

// startDMIStuck starts a run of two processes of dmi_stuck, whose threads wait for something.
func startDMIStuck(t *testing.T, wait string, options ...string) *dmiStuck {
	t.Helper()
	sandbox := suite.Sandbox(t)
	argv := append(append([]string{"dmimw", "-n", "2", "-pool", "64m"}, options...), suite.DMI(t, "tests/programs/dmi_stuck"), wait)
	s := &dmiStuck{stuckRun: &stuckRun{sandbox: sandbox, run: sandbox.StartRead(strings.NewReader(""), argv...)}}
	t.Cleanup(s.end)
	first := regexp.MustCompile("objects at 0x([0-9a-f]+), pages at 0x([0-9a-f]+), bytes at 0x([0-9a-f]+)\n")
	m := first.FindStringSubmatch(s.run.Output(first.MatchString))
	for i, to := range []*int64{&s.objects, &s.pages, &s.bytes} {
		*to, _ = strconv.ParseInt(m[i+1], 16, 64)
	}
	s.name = runName(t, sandbox)
	return s
}

// in is a pattern for a wait in a function of dmi_stuck.c, for a reason.
func in(function, reason string, arguments ...any) string {
	return "waits in " + function + ` \(dmi_stuck\.c:\d+\)` + since + ": " + fmt.Sprintf(reason, arguments...)
}

// inAnyOrder is a pattern for waits of several threads, whose order depends on which of them began to wait first.
func inAnyOrder(waits ...string) string {
	if len(waits) == 1 {
		return waits[0]
	}
	var orders []string
	for i, first := range waits {
		others := slices.Delete(slices.Clone(waits), i, i+1)
		orders = append(orders, first+"; "+inAnyOrder(others...))
	}
	return "(" + strings.Join(orders, "|") + ")"
}

// TestDMIStat: acpstat names what the threads of DMI wait for.
func TestDMIStat(t *testing.T) {
	suspended := in("DMI_suspend", "another thread is to wake this one")
	rescale := in("DMI_rescale", "the threads of DMI_scaleunit have not ended")
	const idle = "waits" + since + ": no thread of the program is here"
	of := func(waits ...string) string { return inAnyOrder(append(waits, rescale)...) }
	for _, c := range []struct {
		wait    string
		options []string
		want    func(s *dmiStuck) (rank0, rank1 string)
	}{
		{"phase", nil, func(*dmiStuck) (string, string) { return of(suspended, suspended), inAnyOrder(suspended, suspended) }},
		{"cond", nil, func(s *dmiStuck) (string, string) {
			return of(suspended, in("DMI_cond_wait", "the condition variable at %#x, with the mutex at %#x", s.objects+64, s.objects)), inAnyOrder(suspended, suspended)
		}},
		{"barrier", nil, func(s *dmiStuck) (string, string) {
			w := in("DMI_local_barrier_sync", "the barrier at %#x: 3 of 4 threads have come", s.objects+192)
			return of(w, w), inAnyOrder(w, suspended)
		}},
		{"watch", []string{"-net", "tcp"}, func(s *dmiStuck) (string, string) {
			return of(suspended, in("DMI_watch", "a change of 8 bytes at %#x", s.bytes)), inAnyOrder(suspended, suspended)
		}},
		{"page", []string{"-net", "tcp"}, func(s *dmiStuck) (string, string) {
			return of(suspended, in("DMI_read", "page 2 of the space at %#x, at its owner, rank 1", s.pages)), "is stopped.*"
		}},
		{"group", []string{"-net", "tcp"}, func(*dmiStuck) (string, string) {
			return of(suspended, in("DMI_group_read", "an answer from rank 1")), "is stopped.*"
		}},
		{"home", []string{"-net", "tcp"}, func(s *dmiStuck) (string, string) {
			return of(suspended, in("DMI_read", "the owner of page [01] of the space at %#x, which rank 1 names", s.pages)), "is stopped.*"
		}},
		{"copies", []string{"-net", "tcp"}, func(s *dmiStuck) (string, string) {
			return of(suspended, in("DMI_write", "ranks with copies of page 0 of the space at %#x", s.pages)), "is stopped.*"
		}},
		{"processes", nil, func(*dmiStuck) (string, string) { return in("DMI_rescale", "2 of 3 processes take part"), idle }},
		{"poll", nil, func(*dmiStuck) (string, string) { return in("DMI_poll", "a rank that asks to join or leave"), idle }},
		{"join", nil, func(*dmiStuck) (string, string) { return in("DMI_join", "the end of thread 1 of rank 1"), suspended }},
		{"goodbye", nil, func(*dmiStuck) (string, string) {
			return in("DMI_goodbye", "a rank is to leave: rank 1"), "is stopped.*" // its thread perhaps runs on for a moment
		}},
	} {
		t.Run(c.wait, func(t *testing.T) {
			t.Parallel()
			s := startDMIStuck(t, c.wait, c.options...)
			rank0, rank1 := c.want(s)
			s.becomes(t, rank0, rank1)
		})
	}
}

// TestDMIStatOfLocks: acpstat names the owner of a mutex, also when it has changed since the wait began, and that of a spin lock.
func TestDMIStatOfLocks(t *testing.T) {
	for _, net := range []string{"auto", "tcp"} {
		t.Run("mutex/"+net, func(t *testing.T) {
			t.Parallel()
			s := startDMIStuck(t, "mutex", "-net", net)
			line := regexp.MustCompile(`the owner is (thread \d+ of rank \d+)\n`)
			out := s.run.Output(func(text string) bool { return len(line.FindAllString(text, -1)) == 2 })
			owner := line.FindAllStringSubmatch(out, -1)[1][1]
			s.isHeld(t, fmt.Sprintf("the mutex at %#x, held by %s", s.objects, owner), "DMI_mutex_lock", 2)
		})
		t.Run("spin/"+net, func(t *testing.T) {
			t.Parallel()
			s := startDMIStuck(t, "spin", "-net", net)
			s.isHeld(t, fmt.Sprintf("the spin lock at %#x, held by thread 2 of rank 1", s.objects+128), "DMI_spin_lock", 3)
		})
	}
}

// isHeld waits until acpstat shows so many waits for a lock in a function, and the other threads suspended.
func (s *dmiStuck) isHeld(t *testing.T, lock, function string, waits int) {
	t.Helper()
	expected := regexp.MustCompile(in(function, "%s", lock) + `(;|$)`)
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		r, n := s.look(t), 0
		for i := range r.Ranks {
			n += len(expected.FindAllString(r.Explain(i), -1))
		}
		if n == waits {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d waits for %s, expected %d: %s", n, lock, waits, s.sandbox.Must("acpstat", s.name))
		}
	}
}

// TestDMIStall: dmimw prints once that all threads wait and for what, and on SIGQUIT the states of the processes. The run continues.
func TestDMIStall(t *testing.T) {
	s := startDMIStuck(t, "barrier", "-stall", "1")
	barrier := fmt.Sprintf("the barrier at %#x: 3 of 4 threads have come", s.objects+192)
	line := regexp.MustCompile(`(?m)^dmimw: all ranks have been waiting for 1\.0 s: (.*)$`)
	text := s.run.Errors(line.MatchString)
	for _, part := range []string{
		"rank 0 waits in DMI_rescale", "ranks 0-1 wait in DMI_local_barrier_sync", barrier, "rank 1 waits in DMI_suspend",
	} {
		if !strings.Contains(line.FindStringSubmatch(text)[1], part) {
			t.Errorf("%q is not in %s", part, text)
		}
	}
	s.run.Signal(syscall.SIGQUIT)
	table := regexp.MustCompile(`(?s)dmimw: run \d+, 2 ranks, .*\ndmimw: 1 +dmi_stuck .* waits in DMI_.*` + regexp.QuoteMeta(barrier))
	text = s.run.Errors(table.MatchString)
	if n := len(line.FindAllString(text, -1)); n != 1 {
		t.Errorf("the line about the stall is there %d times:\n%s", n, text)
	}
	s.becomes(t, "waits .*", "waits .*")
}
