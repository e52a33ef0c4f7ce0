package launch

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/stdio"
	"github.com/goacp/goacp/internal/launch/supervise"
)

// hostilePayloads are JSON texts in the place of what frames hold.
var hostilePayloads = []string{
	"", "null", "{}", "[]", "7", `"x"`, "{", `{"pid":99999999999}`, `{"pid":-5}`, `{"pid":7,"host":"pc\u0007"}`,
	`{"Code":256}`, `{"Code":-1}`, `{"Signal":65}`, `{"Code":3,"Signal":9}`, `{"Signal":9}`, "no\x1b[2Jice\n",
}

// FuzzProxyMessages has a launcher read what a broken or hostile proxy says, as one
// that starts ranks and as a keeper.
func FuzzProxyMessages(f *testing.F) {
	for _, kind := range []byte{message.FrameStarted, message.FrameEnded, message.FrameFailed, message.FrameKept, message.FrameStdout, message.FrameStderr, message.FrameJob} {
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
	f.Fuzz(func(t *testing.T, stream []byte, keeper bool) {
		plan := &plan.Plan{Total: 3, Jobs: []plan.Job{{Size: 3, Acprun: true, Argv: []string{"x"}}}}
		r := &runner{program: config.Acprun, opts: &config.Options{}, plan: plan, loop: newEventLoop(), out: stdio.NewSink(io.Discard), err: stdio.NewSink(io.Discard),
			sup: supervise.New(plan, true, "here"), leaders: make([]process.Identity, 3)}
		p := &proxyClient{host: "far", shell: "ssh", ranks: []int{0, 2}, to: make(chan message.Frame, 64), quit: make(chan struct{}),
			heard: make(chan struct{}), answer: make(chan error, 1), ended: map[int]bool{}}
		if keeper {
			p.ranks = nil
		}
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer write.Close()
			_, _ = write.Write(stream)
		}()
		r.relays.Add(1)
		r.readProxy(p, read, r.proxyRelays(p.ranks))
		r.loop.drain()
		r.sup.Tick(time.Now().Add(time.Hour))
		if status := r.sup.ExitStatus(); status < 0 || status > 255 {
			t.Errorf("the run would end with status %d", status)
		}
		if v := r.sup.Outcome(); v != nil && strings.ContainsAny(v.Text, "\x1b\n") {
			t.Errorf("message %q", v.Text)
		}
	})
}
