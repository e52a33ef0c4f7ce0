package remote

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/stdio"
)

// hostilePayloads are JSON texts in place of the payloads of frames.
var hostilePayloads = []string{
	"", "null", "{}", "[]", "7", `"x"`, "{", `{"pid":99999999999}`, `{"pid":-5}`, `{"pid":7,"host":"pc\u0007"}`,
	`{"Code":256}`, `{"Code":-1}`, `{"Signal":65}`, `{"Code":3,"Signal":9}`, `{"Signal":9}`, "no\x1b[2Jice\n",
}

// eventChecker checks what a client reports.
type eventChecker struct {
	t     *testing.T
	ended map[int]int // how often, by rank
}

func (e *eventChecker) RankStarted(rank, pid int, host string) {
	e.check(rank, host)
	if pid < 0 {
		e.t.Errorf("process %d", pid)
	}
}

func (e *eventChecker) RankEnded(rank int, status exit.Status) {
	e.check(rank, "")
	e.ended[rank]++
	if code := status.ExitStatus(); code < 0 || code > 255 {
		e.t.Errorf("the run would end with status %d", code)
	}
}

func (e *eventChecker) RankFailed(rank int, host, reason string) { e.check(rank, host+reason) }

func (e *eventChecker) HostLost(rank int, host, remoteShell string, status exit.Status) {
	e.check(rank, host+remoteShell)
	if e.ended[rank] > 0 {
		e.t.Errorf("rank %d has ended, but its host is lost with it", rank)
	}
}

// check checks the rank and the text of an event.
func (e *eventChecker) check(rank int, text string) {
	if rank != 0 && rank != 2 {
		e.t.Errorf("rank %d is not on this host", rank)
	}
	if strings.ContainsAny(text, "\x1b\n\a") {
		e.t.Errorf("text %q", text)
	}
}

// FuzzProxyMessages: a launcher reads the frames of a broken or hostile proxy, as a proxy that starts ranks
// and as a token holder.
func FuzzProxyMessages(f *testing.F) {
	for _, kind := range []byte{message.FrameStarted, message.FrameEnded, message.FrameFailed, message.FrameKept, message.FrameStdout, message.FrameStderr, message.FrameInputRead, message.FrameJob, message.FrameTraffic} {
		for _, value := range hostilePayloads {
			var b bytes.Buffer
			b.WriteString(message.ProxyGreeting + "\n")
			for rank := range 4 {
				_ = message.WriteFrame(&b, message.Frame{Kind: kind, Number: uint32(rank), Payload: []byte(value)})
			}
			f.Add(b.Bytes(), kind == message.FrameKept)
		}
	}
	f.Add([]byte(strings.Repeat("x", 2<<20)), false)
	f.Fuzz(func(t *testing.T, stream []byte, holdsToken bool) {
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		var posted []func()
		h := &Hosts{Console: stdio.NewConsole("acprun", false, null, null, null), Post: func(f func()) { posted = append(posted, f) }, Transferred: func(*traffic.Snapshot) {}}
		numbers := []int{0, 2}
		c := h.newClient("far", numbers)
		c.shell = "ssh"
		events := &eventChecker{t, map[int]int{}}
		c.events, c.forwarders = events, h.forwarders(Ranks{Numbers: numbers, Tag: func(int) func([]byte) (string, []byte) { return nil }})
		lost := 0
		if holdsToken {
			c.ranks, c.lost = nil, func(string, string, exit.Status) { lost++ }
		}
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer write.Close()
			_, _ = io.Copy(write, bytes.NewReader(stream))
		}()
		c.read(read)
		c.shellEnded(exit.Status{Code: 1})
		for _, f := range posted {
			f()
		}
		if !holdsToken && (events.ended[0] == 0 || events.ended[2] == 0) {
			t.Errorf("ranks ended %v times; expected each", events.ended)
		}
		if lost > 1 {
			t.Errorf("the host was lost %d times", lost)
		}
	})
}

// lossCounter also counts the losses of hosts.
type lossCounter struct {
	*eventChecker
	lost int
}

func (l *lossCounter) HostLost(int, string, string, exit.Status) { l.lost++ }

// TestLastFramesAreLate: the launcher reads the last frames of a proxy long after the remote shell has ended. If the shell has ended
// in order, the host is not lost.
func TestLastFramesAreLate(t *testing.T) {
	for _, c := range []struct {
		status exit.Status
		lost   int
	}{{exit.Status{}, 0}, {exit.Status{Code: 255}, 1}} {
		var mu sync.Mutex
		var posted []func()
		h := &Hosts{Post: func(f func()) {
			mu.Lock()
			defer mu.Unlock()
			posted = append(posted, f)
		}}
		proxy := h.newClient("far", []int{0})
		events := &lossCounter{eventChecker: &eventChecker{t, map[int]int{}}}
		proxy.events = events
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go proxy.read(read)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			proxy.shellEnded(c.status)
		}()
		if c.lost == 0 {
			time.Sleep(2 * lastFramesLimit)
		} else {
			<-ended
		}
		if _, err := io.WriteString(write, message.ProxyGreeting+"\n"); err != nil {
			t.Fatal(err)
		}
		if err := message.WriteFrame(write, message.Frame{Kind: message.FrameEnded, Payload: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
		write.Close()
		<-proxy.outputEnded
		<-ended
		for _, f := range posted {
			f()
		}
		if events.lost != c.lost {
			t.Errorf("%v: the host was lost %d times, expected %d", c.status, events.lost, c.lost)
		}
	}
}

// TestFramesBehindBlockedOutput: the remote shell ends while the launcher cannot write a frame of output. What the proxy has sent
// behind it counts when the output has been written.
func TestFramesBehindBlockedOutput(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	output, blocked, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	var mu sync.Mutex
	var posted []func()
	h := &Hosts{Console: stdio.NewConsole("acprun", false, null, blocked, null), Post: func(f func()) {
		mu.Lock()
		defer mu.Unlock()
		posted = append(posted, f)
	}}
	numbers := []int{0}
	proxy := h.newClient("far", numbers)
	events := &lossCounter{eventChecker: &eventChecker{t, map[int]int{}}}
	proxy.events = events
	proxy.forwarders = h.forwarders(Ranks{Numbers: numbers, Tag: func(int) func([]byte) (string, []byte) { return nil }})
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go proxy.read(read)
	go func() {
		defer write.Close()
		_, _ = io.WriteString(write, message.ProxyGreeting+"\n")
		_ = message.WriteFrame(write, message.Frame{Kind: message.FrameStdout, Payload: bytes.Repeat([]byte("x\n"), 100<<10)})
		_ = message.WriteFrame(write, message.Frame{Kind: message.FrameEnded, Payload: []byte("{}")})
	}()
	for !proxy.taking.Load() {
		time.Sleep(time.Millisecond)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		proxy.shellEnded(exit.Status{Code: 1})
	}()
	select {
	case <-ended:
		t.Error("the wait for the last frames has ended while the launcher handles a frame")
	case <-time.After(2 * lastFramesLimit):
	}
	go func() { _, _ = io.Copy(io.Discard, output) }()
	<-ended
	<-proxy.outputEnded
	for _, f := range posted {
		f()
	}
	if events.lost != 0 || events.ended[0] != 1 {
		t.Errorf("the host was lost %d times, the rank has ended %d times; expected an end only", events.lost, events.ended[0])
	}
}

// TestTooLargeAnEnvironment: ranks whose environments do not fit into a frame are refused with the reason, and no proxy starts.
func TestTooLargeAnEnvironment(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	h := &Hosts{Console: stdio.NewConsole("acprun", false, null, null, null)}
	err = h.StartRanks("far", Ranks{Numbers: []int{0}, Argv: []string{"./a"}, Environ: func(int) []string { return []string{"A=" + strings.Repeat("x", 17<<20)} },
		Tag: func(int) func([]byte) (string, []byte) { return nil }})
	if err == nil || !strings.HasPrefix(err.Error(), "host far: the environments and the arguments of its processes have ") || len(h.clients) > 0 {
		t.Errorf("%v, %d proxies", err, len(h.clients))
	}
}
