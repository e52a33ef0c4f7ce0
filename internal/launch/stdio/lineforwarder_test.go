package stdio

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestForwarderKeepLinesWhole writes lines of several streams in random pieces at
// the same time; every line must come out whole and in the order of its stream.
func TestForwarderKeepLinesWhole(t *testing.T) {
	const streams, lines = 7, 300
	var out bytes.Buffer
	sink := newSink(&out)
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
			forwarder := &LineForwarder{Sink: sink}
			for len(text) > 0 {
				n := min(1+random.IntN(900), len(text))
				_, _ = forwarder.Write(text[:n])
				text = text[n:]
			}
			_ = forwarder.Close()
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

func TestForwarderLastLine(t *testing.T) {
	var out bytes.Buffer
	sink := newSink(&out)
	a, b := &LineForwarder{Sink: sink}, &LineForwarder{Sink: sink, Tag: RankTag(3, "")}
	write := func(r *LineForwarder, text string) {
		t.Helper()
		if n, err := r.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
	}
	write(a, "one\ntw")
	write(b, "x\n\nlast")
	write(a, "o\nno newline")
	for _, r := range []*LineForwarder{a, b} {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if want := "one\n[3] x\n[3] \ntwo\nno newline\n[3] last"; out.String() != want {
		t.Errorf("output %q; expected %q", out.String(), want)
	}
}

// TestForwarderHugeLine passes a line longer than a forwarder keeps together.
func TestForwarderHugeLine(t *testing.T) {
	var out bytes.Buffer
	sink := newSink(&out)
	forwarder := &LineForwarder{Sink: sink}
	piece := bytes.Repeat([]byte("a"), 1<<20)
	for range 3 * maxLine >> 20 {
		if _, err := forwarder.Write(piece); err != nil {
			t.Fatal(err)
		}
		if len(forwarder.held) > maxLine || cap(forwarder.held) > 2*maxLine || sink.held.Load() != int64(len(forwarder.held)) {
			t.Fatalf("%d bytes are held in %d, and %d counted; at most %d are expected", len(forwarder.held), cap(forwarder.held), sink.held.Load(), maxLine)
		}
	}
	_, _ = forwarder.Write([]byte("\nnext\n"))
	if want := strings.Repeat("a", 3*maxLine) + "\nnext\n"; out.String() != want {
		t.Errorf("%d bytes; expected %d", out.Len(), len(want))
	}
	if sink.held.Load() != 0 || cap(forwarder.held) > maxCopy {
		t.Errorf("%d bytes counted, %d kept", sink.held.Load(), cap(forwarder.held))
	}
}

// TestForwarderParts lets another stream write between the parts of a long line: each part
// then begins with the tag of its stream, and none of the other line's.
func TestForwarderParts(t *testing.T) {
	var out bytes.Buffer
	sink := newSink(&out)
	var seen []int
	long := &LineForwarder{Sink: sink, Tag: tagOfLauncher,
		See: func(line []byte) { seen = append(seen, len(line)) }}
	other := &LineForwarder{Sink: sink, Tag: RankTag(7, "")}
	text := "[1,1]<stdout>:" + strings.Repeat("a", maxLine)
	half := len(text) / 2
	for _, part := range []string{text[:5], text[5:half], text[half:], strings.Repeat("b", maxLine), "cc\n[1,0]<stdout>:next\n"} {
		_, _ = long.Write([]byte(part))
		_, _ = other.Write([]byte("x\n"))
	}
	for _, r := range []*LineForwarder{long, other} {
		_ = r.Close()
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

// tagOfLauncher replaces the tag of Open MPI by the rank of the run, which is 3 more.
func tagOfLauncher(line []byte) (string, []byte) {
	return fmt.Sprintf("[%d] ", line[3]-'0'+3), line[len("[1,0]<stdout>:"):]
}

// abridged replaces runs of one letter by their length.
func abridged(text string) string {
	return regexp.MustCompile(`a{20,}|b{20,}`).ReplaceAllStringFunc(text, func(run string) string {
		return fmt.Sprintf("<%d %c>", len(run), run[0])
	})
}

// TestForwarderHoldLittle has many streams whose lines do not end.
func TestForwarderHoldLittle(t *testing.T) {
	const streams = maxHeld/maxLine + 4 // which would hold more than maxHeld
	sink := newSink(io.Discard)
	forwarders := make([]LineForwarder, streams)
	piece := bytes.Repeat([]byte("a"), maxLine/4)
	for range 4 {
		for i := range forwarders {
			forwarders[i].Sink = sink
			_, _ = forwarders[i].Write(piece)
		}
	}
	held := 0
	for i := range forwarders {
		held += len(forwarders[i].held)
	}
	if held > maxHeld || held == 0 || sink.held.Load() != int64(held) {
		t.Errorf("%d bytes are held and %d counted; at most %d are expected", held, sink.held.Load(), maxHeld)
	}
}

// failing is an output whose reader has ended.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("the reader has gone") }

func TestForwarderFailureIsReportedOnce(t *testing.T) {
	count := 0
	sink := newSink(failing{})
	sink.Failed = func(error) { count++ }
	forwarder := &LineForwarder{Sink: sink}
	for range 3 {
		if _, err := forwarder.Write([]byte("line\n")); err == nil {
			t.Error("no error")
		}
	}
	if count != 1 {
		t.Errorf("reported %d times; expected once", count)
	}
}
