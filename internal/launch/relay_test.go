package launch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goacp/goacp/internal/launch/plan"
)

// TestRelaysKeepLinesWhole writes lines of several streams in random pieces at
// the same time; every line must come out whole and in the order of its stream.
func TestRelaysKeepLinesWhole(t *testing.T) {
	const streams, lines = 7, 300
	var out bytes.Buffer
	sink := newLineSink(&out)
	var wg sync.WaitGroup
	for id := range streams {
		wg.Add(1)
		go func() {
			defer wg.Done()
			random := rand.New(rand.NewPCG(1, uint64(id)))
			var text []byte
			for i := range lines {
				text = append(text, fmt.Sprintf("%d %d %s\n", id, i, strings.Repeat("\x00\xff", random.IntN(400)))...)
			}
			relay := &lineRelay{sink: sink}
			for len(text) > 0 {
				n := min(1+random.IntN(900), len(text))
				_, _ = relay.Write(text[:n])
				text = text[n:]
			}
			_ = relay.close()
		}()
	}
	wg.Wait()
	next := make([]int, streams)
	for line := range strings.Lines(out.String()) {
		var id, i int
		if _, err := fmt.Sscanf(line, "%d %d", &id, &i); err != nil || next[id] != i {
			t.Fatalf("line %.40q: expected number %d of its stream; %v", line, next[id], err)
		}
		next[id]++
	}
	if slices.ContainsFunc(next, func(n int) bool { return n != lines }) {
		t.Errorf("lines of the streams: %v; expected %d of each", next, lines)
	}
}

func TestRelayLastLine(t *testing.T) {
	var out bytes.Buffer
	sink := newLineSink(&out)
	a, b := &lineRelay{sink: sink}, &lineRelay{sink: sink, tag: rankTag(3)}
	write := func(r *lineRelay, text string) {
		t.Helper()
		if n, err := r.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
	}
	write(a, "one\ntw")
	write(b, "x\n\nlast")
	write(a, "o\nno newline")
	for _, r := range []*lineRelay{a, b} {
		if err := r.close(); err != nil {
			t.Fatal(err)
		}
	}
	if want := "one\n[3] x\n[3] \ntwo\nno newline\n[3] last"; out.String() != want {
		t.Errorf("output %q; expected %q", out.String(), want)
	}
}

// TestRelayHugeLine passes a line longer than a relay keeps together.
func TestRelayHugeLine(t *testing.T) {
	var out bytes.Buffer
	sink := newLineSink(&out)
	relay := &lineRelay{sink: sink}
	piece := bytes.Repeat([]byte("a"), 1<<20)
	for range 3 * maxLine >> 20 {
		if _, err := relay.Write(piece); err != nil {
			t.Fatal(err)
		}
		if len(relay.held) > maxLine || cap(relay.held) > 2*maxLine || sink.held.Load() != int64(len(relay.held)) {
			t.Fatalf("%d bytes are held in %d, and %d counted; at most %d are expected", len(relay.held), cap(relay.held), sink.held.Load(), maxLine)
		}
	}
	_, _ = relay.Write([]byte("\nnext\n"))
	if want := strings.Repeat("a", 3*maxLine) + "\nnext\n"; out.String() != want {
		t.Errorf("%d bytes; expected %d", out.Len(), len(want))
	}
	if sink.held.Load() != 0 || cap(relay.held) > maxCopy {
		t.Errorf("%d bytes counted, %d kept", sink.held.Load(), cap(relay.held))
	}
}

// TestRelayParts lets another stream write between the parts of a long line: each part
// then begins with the tag of its stream, and none of the other line's.
func TestRelayParts(t *testing.T) {
	var out bytes.Buffer
	sink := newLineSink(&out)
	var seen []int
	long := &lineRelay{sink: sink, tag: jobTag(&plan.Job{First: 3, Size: 2, MPI: plan.MPI{Family: plan.OpenMPI, Version: "4.1.4"}}),
		see: func(line []byte) { seen = append(seen, len(line)) }}
	other := &lineRelay{sink: sink, tag: rankTag(7)}
	text := "[1,1]<stdout>:" + strings.Repeat("a", maxLine)
	half := len(text) / 2
	for _, part := range []string{text[:5], text[5:half], text[half:], strings.Repeat("b", maxLine), "cc\n[1,0]<stdout>:next\n"} {
		_, _ = long.Write([]byte(part))
		_, _ = other.Write([]byte("x\n"))
	}
	for _, r := range []*lineRelay{long, other} {
		_ = r.close()
	}
	const x = "[7] x\n"
	want := x + x + "[4] " + strings.Repeat("a", maxLine) + "\n" + x + x +
		"[4] " + strings.Repeat("b", maxLine) + "cc\n[3] next\n" + x
	if out.String() != want {
		t.Errorf("output %s\nexpected %s", abridged(out.String()), abridged(want))
	}
	if want := []int{half, len("[1,0]<stdout>:next")}; !slices.Equal(seen, want) {
		t.Errorf("lines of the lengths %v were seen; expected %v", seen, want)
	}
}

// abridged replaces runs of one letter by their length.
func abridged(text string) string {
	return regexp.MustCompile(`a{20,}|b{20,}`).ReplaceAllStringFunc(text, func(run string) string {
		return fmt.Sprintf("<%d %c>", len(run), run[0])
	})
}

// TestRelaysHoldLittle has many streams whose lines do not end.
func TestRelaysHoldLittle(t *testing.T) {
	const streams = 100
	sink := newLineSink(&bytes.Buffer{})
	relays := make([]lineRelay, streams)
	piece := bytes.Repeat([]byte("a"), maxLine/4)
	for range 5 {
		for i := range relays {
			relays[i].sink = sink
			_, _ = relays[i].Write(piece)
		}
	}
	held := 0
	for i := range relays {
		held += len(relays[i].held)
	}
	if held > maxHeld || held == 0 || sink.held.Load() != int64(held) {
		t.Errorf("%d bytes are held and %d counted; at most %d are expected", held, sink.held.Load(), maxHeld)
	}
}

// failing is an output that nobody reads any more.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("nobody reads") }

func TestRelayFailureIsReportedOnce(t *testing.T) {
	count := 0
	sink := newLineSink(failing{})
	sink.failed = func() { count++ }
	relay := &lineRelay{sink: sink}
	for range 3 {
		if _, err := relay.Write([]byte("line\n")); err == nil {
			t.Error("no error")
		}
	}
	if count != 1 {
		t.Errorf("reported %d times; expected once", count)
	}
}

func TestJobTags(t *testing.T) {
	for _, test := range []struct {
		mpi        plan.MPI
		line, want string
	}{
		{plan.MPI{Family: plan.OpenMPI, Version: "4.1.4"}, "[1,2]<stdout>:text", "[12] text"},
		{plan.MPI{Family: plan.OpenMPI, Version: "4.1.4"}, "[37501,0]<stderr>: [1] x", "[10] [1] x"},
		{plan.MPI{Family: plan.OpenMPI, Version: "4.1.4"}, "mpirun noticed", "[job 4] mpirun noticed"},
		{plan.MPI{Family: plan.OpenMPI, Version: "4.1.4"}, "[1,3]<stdout>:no such rank", "[job 4] [1,3]<stdout>:no such rank"},
		{plan.MPI{Family: plan.MPICH, Version: "4.0.2"}, "[1] text", "[11] text"},
		{plan.MPI{Family: plan.MPICH, Version: "4.0.2"}, "[99999999999999999999] text", "[job 4] [99999999999999999999] text"},
		{plan.MPI{}, "[1] text", "[job 4] [1] text"},
	} {
		tag := jobTag(&plan.Job{Number: 4, First: 10, Size: 3, MPI: test.mpi})
		prefix, rest := tag([]byte(test.line))
		if got := prefix + string(rest); got != test.want {
			t.Errorf("%v: %q becomes %q; expected %q", test.mpi, test.line, got, test.want)
		}
	}
}
