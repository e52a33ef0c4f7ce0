package extension

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/lifecycle"
)

// system is what an extension of these tests keeps for a process. It notes what is called.
type system struct {
	name  string
	p     *Process
	calls []string
}

func (s *system) note(what string) { s.calls = append(s.calls, s.name+" "+what) }

func (s *system) serve(fabric.Request) (int, error) {
	s.note("serve")
	return 7, nil
}

func (s *system) take(int, uint32, uint64) { s.note("take") }

// described returns an extension with a number of operations and notices. Its range is that of
// tests with an index.
func described(name string, index am.Op, ops, notices int) Extension[*system] {
	e := Extension[*system]{
		Name:    name,
		First:   am.OpTest + index*am.RangeSize,
		Open:    func(p *Process) (*system, error) { return &system{name: name, p: p}, nil },
		Fail:    func(s *system, err error) { s.note(err.Error()) },
		Settle:  func(s *system) { s.note("settle") },
		Release: func(s *system) { s.note("release") },
		Forget:  func(s *system) { s.note("forget") },
		Close:   func(s *system) { s.note("close") },
	}
	for range ops {
		e.Operations = append(e.Operations, Operation[*system]{Name: name, Serve: (*system).serve})
	}
	for range notices {
		e.Notices = append(e.Notices, Notice[*system]{Name: name, Take: (*system).take})
	}
	return e
}

// openAll opens extensions in a process whose run has these on all ranks.
func openAll(t *testing.T, entries ...Entry) (*Set, lifecycle.Structures, error) {
	t.Helper()
	return Open(entries, agreedOn(t, entries...), Process{})
}

// TestNumbers: an extension has the numbers of its range, whatever other extensions there are, and
// none has those of another.
func TestNumbers(t *testing.T) {
	a, b, c := newEntry(described("a", 2, 3, 2)), newEntry(described("b", 1, 0, 0)), newEntry(described("c", 0, maxCount, 1))
	for _, entries := range [][]Entry{{a, b, c}, {c, a}, {a}} {
		set, all, err := openAll(t, entries...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := am.NewTable(func() *heapview.View { return nil }, all.Operations(), all.Notices()); err != nil {
			t.Error(err)
		}
		first := set.byName["a"].(*system).p
		if op, notice := first.Op(2), first.notice(1); op != am.OpTest+0x202 || notice != am.NoticeNumber(am.OpTest)+0x201 {
			t.Errorf("operation %#x and notice %#x with %d extensions", op, notice, len(entries))
		}
		if s, ok := set.byName["c"].(*system); ok && s.p.Op(maxCount-1).Range() != am.OpTest {
			t.Errorf("operation %#x is outside of the range", s.p.Op(maxCount-1))
		}
	}
}

// TestForeignNumberPanics: an extension cannot send what another one serves.
func TestForeignNumberPanics(t *testing.T) {
	p := &Process{first: am.OpTest, ops: 2}
	for _, op := range []int{-1, 2} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("operation %d has a number", op)
				}
			}()
			p.Op(op)
		}()
	}
}

// TestHooks: each event reaches the system of each extension.
func TestHooks(t *testing.T) {
	set, all, err := openAll(t, newEntry(described("a", 0, 1, 1)), newEntry(described("b", 1, 1, 0)))
	if err != nil {
		t.Fatal(err)
	}
	all.Settle()
	all.Release()
	all.Forget()
	all.Close()
	all.Fail(errors.New("fail"))
	table, err := am.NewTable(func() *heapview.View { return nil }, all.Operations(), all.Notices())
	if err != nil {
		t.Fatal(err)
	}
	a, b := set.byName["a"].(*system), set.byName["b"].(*system)
	if n, err := table.Serve(fabric.Request{Service: uint16(b.p.Op(0))}); n != 7 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	table.Notify(1, uint16(a.p.notice(0)), 0, 0)
	events := []string{"settle", "release", "forget", "close", "fail"}
	for _, c := range []struct {
		s    *system
		last string
	}{{a, "take"}, {b, "serve"}} {
		var want []string
		for _, e := range append(slices.Clone(events), c.last) {
			want = append(want, c.s.name+" "+e)
		}
		if !slices.Equal(c.s.calls, want) {
			t.Errorf("got %q, want %q", c.s.calls, want)
		}
	}
}

// TestRegister: the list is in order of names, and complete when the first process reads it.
func TestRegister(t *testing.T) {
	t.Cleanup(func() { registry.sealed, registry.entries = false, nil })
	refused := func(e Extension[*system], want string) {
		t.Helper()
		defer func() {
			if r, _ := recover().(string); !strings.Contains(r, want) {
				t.Errorf("registering %q: %q, want %q", e.Name, r, want)
			}
		}()
		Register(e)
	}
	refused(described("", 0, 1, 1), "a name has 1 to 255 bytes")
	refused(described(strings.Repeat("n", 256), 0, 1, 1), "a name has 1 to 255 bytes")
	refused(described("many", 0, 256, 0), "at most 255")
	for first, want := range map[am.Op]string{
		0: "1 operations and 1 notices without a range", am.OpTest + 1: "no range of numbers begins with 0xf001",
	} {
		e := described("lost", 0, 1, 1)
		e.First = first
		refused(e, want)
	}
	Register(described("second", 0, 1, 0))
	h := Register(described("first", 1, 1, 0))
	refused(described("first", 2, 2, 0), "first is registered twice")
	refused(described("twin", 1, 1, 0), "extensions first and twin have the same numbers, from 0xf100 on")
	entries := Sealed()
	if len(entries) != 2 || entries[0].Name != "first" || entries[1].Name != "second" {
		t.Errorf("extensions %v", Signatures(entries))
	}
	refused(described("third", 2, 1, 0), "third is registered after a process was opened")
	set, _, err := openAll(t, entries...)
	if err != nil {
		t.Fatal(err)
	}
	Provide(func(process any) *Set { return process.(*Set) })
	if s := h.Of(set); s.name != "first" {
		t.Errorf("the system of %s", s.name)
	}
}

// TestOpenFails: the error names the extension, and those before it are closed.
func TestOpenFails(t *testing.T) {
	before, closed := described("before", 0, 1, 0), 0
	before.Close = func(*system) { closed++ }
	e := described("broken", 1, 1, 0)
	failed := errors.New("no memory")
	e.Open = func(*Process) (*system, error) { return nil, failed }
	if _, _, err := openAll(t, newEntry(before), newEntry(e)); !errors.Is(err, failed) || !strings.Contains(err.Error(), "extension broken") {
		t.Errorf("%v", err)
	}
	if closed != 1 {
		t.Errorf("the extension before the broken one was closed %d times", closed)
	}
}
