package launch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/supervise"
)

// hostileValues are JSON texts in the place of what messages hold.
var hostileValues = []string{
	"", "null", "{}", "[]", "7", `"x"`, "{", `{"rank":-1}`, `{"rank":1048576}`, `{"rank":1e99}`, `{"rank":0,"pid":-5}`,
	`{"pid":99999999999}`, `{"Code":256}`, `{"Code":-1}`, `{"Signal":65}`, `{"Code":3,"Signal":9}`, `{"rank":1,"ended":{"Code":512}}`,
	`{"rank":1,"ended":{"Signal":9}}`, `{"failure":"no\u001b[2Jice\n","status":7}`, `{"failure":"x"}`, `{"rank":2,"pid":7,"host":"pc\u0007"}`,
	`{"argv":[],"ranks":[{"rank":0}]}`, `{"argv":["x"],"ranks":[{"rank":0},{"rank":0}]}`, `{"argv":["x"],"ranks":[{"rank":-1}]}`,
	`{"keep":"/etc"}`, `{"keep":"goacp-1"}`, `{"keep":"/tmp/../goacp-1/../x"}`, `{"keep":"/dev/shm/goacp-1-2","token":"x"}`,
	`{"argv":["x"],"dir":"/","ranks":[{"rank":0,"env":["A=b"]}],"stdin":-1}`,
}

func FuzzReport(f *testing.F) {
	for _, value := range hostileValues {
		f.Add([]byte(value+"\n"), 3)
	}
	f.Add([]byte(strings.Join(hostileValues, "\n")), 1)
	f.Add([]byte(strings.Repeat("x", 2*maxNote)+"\n{\"rank\":0,\"pid\":7}\n"), 1)
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		readReport(bytes.NewReader(stream), size, func(n rankNote) {
			if n.Rank < 0 || n.Rank >= size || n.PID < 0 || n.Status < 0 || n.Status > 255 || strings.ContainsAny(n.Failure+n.Host, "\x1b\n\r") {
				t.Errorf("taken: %+v", n)
			}
			if n.Ended != nil && (n.Ended.ExitStatus() < 0 || n.Ended.ExitStatus() > 255) {
				t.Errorf("taken: status %+v", *n.Ended)
			}
			_ = fmt.Sprint(n.Ended)
		})
	})
}

// TestReportGoesOn finds the notes between lines that are none.
func TestReportGoesOn(t *testing.T) {
	var got []int
	text := "{\"rank\":0,\"pid\":10}\nhello\n" + strings.Repeat("x", 3*maxNote) + "\n{\"rank\":1,\"pid\":11}\n\n" +
		strings.Repeat("y", maxNote-1) + "\n{\"rank\":9}\n{\"rank\":2,\"pid\":12}"
	readReport(strings.NewReader(text), 3, func(n rankNote) { got = append(got, n.PID) })
	if fmt.Sprint(got) != "[10 11 12]" {
		t.Errorf("notes of the processes %v; expected 10, 11 and 12", got)
	}
}

func FuzzProxyJob(f *testing.F) {
	for _, value := range hostileValues {
		f.Add([]byte(value))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		job, err := decodeJob(payload)
		if err != nil {
			if !errors.Is(err, errMessage) {
				t.Errorf("unexpected kind of error: %v", err)
			}
			return
		}
		if job.Keep == "" && (len(job.Argv) == 0 || len(job.Ranks) == 0) {
			t.Errorf("nothing to start: %+v", job)
		}
		if job.Keep != "" && (!filepath.IsAbs(job.Keep) || strings.Contains(job.Keep, "..") && job.Keep != filepath.Clean(job.Keep) || !strings.Contains(job.Keep, "/"+runDirPrefix)) {
			t.Errorf("%q would be made and removed", job.Keep)
		}
	})
}

// FuzzProxyMessages has a launcher read what a broken or hostile proxy says, as one
// that starts ranks and as a keeper.
func FuzzProxyMessages(f *testing.F) {
	for _, kind := range []byte{frameStarted, frameEnded, frameFailed, frameKept, frameStdout, frameStderr, frameJob} {
		for _, value := range hostileValues {
			var b bytes.Buffer
			b.WriteString(proxyGreeting + "\n")
			for rank := range 4 {
				_ = writeFrame(&b, frame{kind, uint32(rank), []byte(value)})
			}
			f.Add(b.Bytes(), kind == frameKept)
		}
	}
	f.Add([]byte(strings.Repeat("x", maxBanner+1)), false)
	f.Fuzz(func(t *testing.T, stream []byte, keeper bool) {
		plan := &plan.Plan{Total: 3, Jobs: []plan.Job{{Size: 3, Acprun: true, Argv: []string{"x"}}}}
		r := &runner{program: config.Acprun, opts: &config.Options{}, plan: plan, loop: newEventLoop(), out: newLineSink(io.Discard), err: newLineSink(io.Discard),
			sup: supervise.New(plan, true, "here"), leaders: make([]identity, 3)}
		r.belong.proc = procfs(os.DevNull)
		p := &proxyClient{host: "far", shell: "ssh", ranks: []int{0, 2}, to: make(chan frame, 64), quit: make(chan struct{}),
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

// TestHostileSizesTakeNoMemory announces much and sends little.
func TestHostileSizesTakeNoMemory(t *testing.T) {
	var head bytes.Buffer
	if err := writeFrame(&head, frame{kind: frameStdout}); err != nil {
		t.Fatal(err)
	}
	for _, size := range [][]byte{{0, 0, 0, 1}, {0xff, 0xff, 0xff, 0xff}} {
		stream := append(head.Bytes()[:frameHeaderLen-4:frameHeaderLen-4], size...)
		taken := allocated(func() {
			for range 10 {
				if _, err := readFrame(bytes.NewReader(stream)); !errors.Is(err, errFrame) {
					t.Errorf("%v; expected a malformed frame", err)
				}
			}
		})
		if taken > 1<<20 {
			t.Errorf("%d bytes were allocated for frames without a payload", taken)
		}
	}
	banner := strings.NewReader(strings.Repeat("x", 64<<20))
	taken := allocated(func() {
		if err := awaitGreeting(bufio.NewReader(banner)); !errors.Is(err, errFrame) {
			t.Errorf("%v; expected too long a banner", err)
		}
	})
	if taken > 1<<20 {
		t.Errorf("%d bytes were allocated for a banner", taken)
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestMessagesComeBack encodes what launchers and proxies say and decodes it.
func TestMessagesComeBack(t *testing.T) {
	text := func(value any) []byte {
		b, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, want := range []exit.Status{{}, {Code: 255}, {Signal: 9}, {Signal: 64}} {
		if got, err := decodeStatus(text(want)); err != nil || got != want {
			t.Errorf("%v became %v, %v", want, got, err)
		}
	}
	if got, err := decodeStart(text(proxyStart{PID: 7, Host: "pc01"})); err != nil || got != (proxyStart{7, "pc01"}) {
		t.Errorf("%v, %v", got, err)
	}
	job := proxyJob{Argv: []string{"./a", "\n"}, Dir: "/x", Ranks: []rankSpec{{0, []string{"A=1"}}, {2, nil}}, Stdin: -1, Token: "t"}
	if got, err := decodeJob(text(job)); err != nil || fmt.Sprint(got) != fmt.Sprint(job) {
		t.Errorf("%v became %v, %v", job, got, err)
	}
	for _, note := range []rankNote{{Rank: 1, PID: 7, Host: "pc01"}, {Rank: 2, Ended: &exit.Status{Code: 3}}, {Failure: "no ice; ä", Status: 255}} {
		got, err := decodeNote(text(note), 3)
		if err != nil || string(text(got)) != string(text(note)) {
			t.Errorf("%s became %s, %v", text(note), text(got), err)
		}
	}
}
