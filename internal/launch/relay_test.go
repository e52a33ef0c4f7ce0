package launch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
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
	relay := &lineRelay{sink: newLineSink(&out)}
	piece := bytes.Repeat([]byte("a"), 1<<20)
	for range maxLine>>20 + 1 {
		if _, err := relay.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if out.Len() != maxLine {
		t.Errorf("%d bytes passed on before the end of the line; expected %d", out.Len(), maxLine)
	}
	_, _ = relay.Write([]byte("\n"))
	if want := maxLine + len(piece) + 1; out.Len() != want {
		t.Errorf("%d bytes; expected %d", out.Len(), want)
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
		mpi        Flavour
		line, want string
	}{
		{Flavour{OpenMPI, "4.1.4"}, "[1,2]<stdout>:text", "[12] text"},
		{Flavour{OpenMPI, "4.1.4"}, "[37501,0]<stderr>: [1] x", "[10] [1] x"},
		{Flavour{OpenMPI, "4.1.4"}, "mpirun noticed", "[job 4] mpirun noticed"},
		{Flavour{OpenMPI, "4.1.4"}, "[1,3]<stdout>:no such rank", "[job 4] [1,3]<stdout>:no such rank"},
		{Flavour{MPICH, "4.0.2"}, "[1] text", "[11] text"},
		{Flavour{MPICH, "4.0.2"}, "[99999999999999999999] text", "[job 4] [99999999999999999999] text"},
		{Flavour{}, "[1] text", "[job 4] [1] text"},
	} {
		tag := jobTag(&Job{Number: 4, First: 10, Size: 3, MPI: test.mpi})
		if got := string(tag([]byte(test.line))); got != test.want {
			t.Errorf("%v: %q becomes %q; expected %q", test.mpi, test.line, got, test.want)
		}
	}
}
