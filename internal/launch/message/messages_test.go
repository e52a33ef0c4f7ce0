package message

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/process"
)

// hostileValues are JSON texts in place of the values of messages.
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
		ReadReport(bytes.NewReader(stream), size, func(n RankNote) {
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

// TestReportGoesOn: ReadReport finds the notes between lines that are no notes.
func TestReportGoesOn(t *testing.T) {
	var got []int
	text := "{\"rank\":0,\"pid\":10}\nhello\n" + strings.Repeat("x", 3*maxNote) + "\n{\"rank\":1,\"pid\":11}\n\n" +
		strings.Repeat("y", maxNote-1) + "\n{\"rank\":9}\n{\"rank\":2,\"pid\":12}"
	ReadReport(strings.NewReader(text), 3, func(n RankNote) { got = append(got, n.PID) })
	if fmt.Sprint(got) != "[10 11 12]" {
		t.Errorf("notes of the processes %v; expected 10, 11 and 12", got)
	}
}

func FuzzProxyJob(f *testing.F) {
	for _, value := range hostileValues {
		f.Add([]byte(value))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		job, err := DecodeJob(payload)
		if err != nil {
			if !errors.Is(err, errMessage) {
				t.Errorf("unexpected kind of error: %v", err)
			}
			return
		}
		if job.Keep == "" && (len(job.Argv) == 0 || len(job.Ranks) == 0) {
			t.Errorf("nothing to start: %+v", job)
		}
		if job.Keep != "" && (!filepath.IsAbs(job.Keep) || strings.Contains(job.Keep, "..") && job.Keep != filepath.Clean(job.Keep) || !strings.Contains(job.Keep, "/"+process.RunDirPrefix)) {
			t.Errorf("%q would be made and removed", job.Keep)
		}
	})
}

// TestHostileSizesTakeNoMemory announces long frames and sends short ones.
func TestHostileSizesTakeNoMemory(t *testing.T) {
	var head bytes.Buffer
	if err := WriteFrame(&head, Frame{Kind: FrameStdout}); err != nil {
		t.Fatal(err)
	}
	for _, size := range [][]byte{{0, 0, 0, 1}, {0xff, 0xff, 0xff, 0xff}} {
		stream := append(head.Bytes()[:frameHeaderLen-4:frameHeaderLen-4], size...)
		taken := allocated(func() {
			for range 10 {
				if _, err := ReadFrame(bytes.NewReader(stream)); !errors.Is(err, ErrFrame) {
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
		if err := AwaitGreeting(bufio.NewReader(banner)); !errors.Is(err, ErrFrame) {
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

// TestMessagesComeBack encodes messages of launchers and proxies and decodes them.
func TestMessagesComeBack(t *testing.T) {
	text := func(value any) []byte {
		b, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, want := range []exit.Status{{}, {Code: 255}, {Signal: 9}, {Signal: 64}} {
		if got, err := DecodeStatus(text(want)); err != nil || got != want {
			t.Errorf("%v became %v, %v", want, got, err)
		}
	}
	start := ProxyStart{PID: 7, Host: "pc01", Dir: "/dev/shm/goacp-7-1"}
	if got, err := DecodeStart(text(start)); err != nil || got != start {
		t.Errorf("%v, %v", got, err)
	}
	job := ProxyJob{Argv: []string{"./a", "\n"}, Dir: "/x", Env: []string{"B=2"}, Ranks: []RankSpec{{0, []string{"A=1"}}, {2, nil}}, Stdin: -1, Token: "t"}
	if got, err := DecodeJob(text(job)); err != nil || fmt.Sprint(got) != fmt.Sprint(job) {
		t.Errorf("%v became %v, %v", job, got, err)
	}
	for _, note := range []RankNote{{Rank: 1, PID: 7, Host: "pc01"}, {Rank: 2, Ended: &exit.Status{Code: 3}}, {Failure: "no ice; ä", Status: 255}} {
		got, err := decodeNote(text(note), 3)
		if err != nil || string(text(got)) != string(text(note)) {
			t.Errorf("%s became %s, %v", text(note), text(got), err)
		}
	}
}

// TestEnvironsAreShared: a job has only once what the environments of its ranks share, and each rank has its own again.
func TestEnvironsAreShared(t *testing.T) {
	text := strings.Repeat("x", 64<<10)
	environ := func(rank int) []string {
		return []string{"A=1", "RANK=" + strconv.Itoa(rank), "TEXT=" + text, "ODD=" + strconv.Itoa(rank%2)}
	}
	var ranks []int
	for rank := range 256 {
		ranks = append(ranks, rank)
	}
	job := ProxyJob{Argv: []string{"./a"}, Dir: "/", Stdin: -1}
	job.SetEnvirons(ranks, environ)
	f, err := JobFrame(job)
	if err != nil || len(f.Payload) > 2*len(text) {
		t.Fatalf("%d bytes, %v; expected little more than %d", len(f.Payload), err, len(text))
	}
	got, err := DecodeJob(f.Payload)
	if err != nil {
		t.Fatal(err)
	}
	for i, spec := range got.Ranks {
		env, want := got.Environ(spec), environ(ranks[i])
		slices.Sort(env)
		slices.Sort(want)
		if spec.Rank != ranks[i] || !slices.Equal(env, want) {
			t.Errorf("rank %d has %d variables; expected %d", spec.Rank, len(env), len(want))
		}
	}
}

// TestTooLongAJob: the sender of a job that no proxy takes gets an error.
func TestTooLongAJob(t *testing.T) {
	job := ProxyJob{Argv: []string{"./a", strings.Repeat("x", maxFramePayload)}, Dir: "/", Stdin: -1}
	if _, err := JobFrame(job); err == nil || !strings.Contains(err.Error(), "at most 16777216 are possible") {
		t.Error(err)
	}
	var w bytes.Buffer
	if err := WriteFrame(&w, Frame{Kind: FrameJob, Payload: make([]byte, maxFramePayload+1)}); !errors.Is(err, ErrFrame) || w.Len() > 0 {
		t.Errorf("%v, %d bytes written", err, w.Len())
	}
}
