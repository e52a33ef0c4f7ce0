package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/survey"
)

// oneRun is a run of one process, which has joined.
type oneRun struct {
	server   *bridge.Server
	refusal  error         // of Attach and Resize, until it is nil
	failed   string        // why processes of a Resize are not started
	resizes  atomic.Int64  // calls of Resize
	ended    chan struct{} // of processes that were added; nil: the launcher that asks does not wait
	asked    chan string   // to leave
	lost     chan []int    // ranks whose launcher has gone
	attached chan *Request
	detached chan *bridge.Guests
}

func (r *oneRun) Attach(q *Request, events func(bridge.Event)) (*bridge.Guests, Admission, error) {
	if r.refusal != nil {
		return nil, Admission{}, r.refusal
	}
	g, err := r.server.Attach(q.Jobs, events)
	if err != nil {
		return nil, Admission{}, err
	}
	return g, Admission{Run: "7", Job: g.Job(), Rank: g.First(), Names: g.Names()}, nil
}

func (r *oneRun) Attached(_ *bridge.Guests, q *Request) { r.attached <- q }
func (r *oneRun) Resize(q *Resize) (Resized, error) {
	r.resizes.Add(1)
	if r.refusal != nil {
		return Resized{}, r.refusal
	}
	return Resized{Answer: fmt.Sprintf("%d more on %v, without %v", q.Add, q.Hosts, q.Leave), Ranks: []int{7, 8}, Ended: r.ended, Failed: r.failed, Notified: func() {}}, nil
}
func (r *oneRun) AskLeave(ranks []int, reason string) {
	r.asked <- fmt.Sprint(ranks, reason)
	close(r.ended)
}
func (r *oneRun) AdderLost(ranks []int)              { r.lost <- ranks }
func (r *oneRun) Event(*bridge.Guests, bridge.Event) {}
func (r *oneRun) Detached(g *bridge.Guests)          { r.detached <- g }
func request(name string) Request {
	return Request{Jobs: []bridge.GuestJob{{Job: bridge.Job{Name: name, Size: 2}}}}
}

// serve serves the control socket of run 7 until the end of the test.
func serve(t *testing.T, run Run) RunDirs {
	t.Helper()
	dirs, dir := runIn(t)
	socket, err := Listen(filepath.Join(dir, SocketName), run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(socket.Close)
	return dirs
}

// runIn makes the private directory of run 7 in a folder.
func runIn(t *testing.T) (dirs RunDirs, dir string) {
	t.Helper()
	folder := t.TempDir()
	dir = filepath.Join(folder, "run-7-abc")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return RunDirs{Directories: []string{folder}, Prefix: "run-"}, dir
}

// TestDial: a run is found by its name, or as the only one that answers.
func TestDial(t *testing.T) {
	dirs, dir := runIn(t)
	fails := func(run, want string) {
		t.Helper()
		if conn, err := Dial(dirs, run); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("run %q: %v, %v; expected %q", run, conn, err, want)
		}
	}
	fails("", "no run of this user takes guests on this host")
	fails("8", "there is no run 8 on this host")
	other, err := survey.Listen(filepath.Join(dir, survey.SocketName), func() any { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	fails("7", "run 7 takes no guests")
	socket, err := Listen(filepath.Join(dir, SocketName), &oneRun{})
	if err != nil {
		t.Fatal(err)
	}
	// A run whose launcher was killed has left its socket.
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "left"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	dead := filepath.Join(dirs.Directories[0], "run-9-def")
	if err := errors.Join(os.Mkdir(dead, 0o700), os.Rename(filepath.Join(dir, "left"), filepath.Join(dead, SocketName))); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"7", ""} {
		conn, err := Dial(dirs, run)
		if err != nil {
			t.Fatalf("run %q: %v", run, err)
		}
		conn.Close()
	}
	fails("9", "the launcher of run 9 has ended")
	socket.Close()
	fails("7", "run 7 takes no guests")
}

// TestRefusals: a launcher that asks for something wrong gets the reason.
func TestRefusals(t *testing.T) {
	run := &oneRun{refusal: errors.New("the run has ended")}
	dirs := serve(t, run)
	for want, q := range map[string]Request{
		"the run has ended":         request("viewer"),
		"is not the name of a job":  request("a name"),
		"is not the name of a job;": request(""),
	} {
		conn, err := Dial(dirs, "7")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Attach(conn, q, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, expected %q", q, err, want)
		}
	}
	for _, text := range []string{"hello\n", "{}\n", `{"version":99}` + "\n", fmt.Sprintf(`{"version":%d,"resize":{"add":-1}}`+"\n", version),
		fmt.Sprintf(`{"version":%d,"resize":{}}`+"\n", version)} {
		conn, err := Dial(dirs, "7")
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		if _, err := conn.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, 1<<10)
		n, _ := conn.Read(answer)
		if !strings.Contains(string(answer[:n]), `"refused"`) {
			t.Errorf("%.20q was answered by %q", text, answer[:n])
		}
		conn.Close()
	}
}

// TestResize: the launcher of a run gets a request for other ranks, and its answer or refusal comes back.
func TestResize(t *testing.T) {
	run := &oneRun{}
	dirs := serve(t, run)
	ask := func(hosts ...string) (string, error) {
		conn, err := Dial(dirs, "7")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		answer, stay, err := Ask(conn, Resize{Add: 2, Leave: []int{1, 3}, Hosts: hosts})
		if stay != nil {
			t.Error("the launcher has to wait for processes of the run")
		}
		return answer, err
	}
	if answer, err := ask("a", "b"); answer != "2 more on [a b], without [1 3]" || err != nil {
		t.Errorf("%q, %v", answer, err)
	}
	if _, err := ask("a"); err == nil || err.Error() != "malformed request: 2 processes are to join on 1 hosts" {
		t.Errorf("too few hosts: %v", err)
	}
	if _, err := ask("a", "-x"); err == nil {
		t.Error("a host is an option")
	}
	run.failed = "rank 8: host b: no"
	if answer, err := ask("a", "b"); answer != "2 more on [a b], without [1 3]" || err == nil || err.Error() != run.failed {
		t.Errorf("%q, %v", answer, err)
	}
	run.refusal = errors.New("the run cannot grow")
	if answer, err := ask(); answer != "" || err == nil || err.Error() != "the run cannot grow" {
		t.Errorf("%q, %v", answer, err)
	}
}

// TestResizeGivenUp: a request for other ranks ends with its connection while the run starts.
func TestResizeGivenUp(t *testing.T) {
	run := &oneRun{refusal: fmt.Errorf("wait: %w", bridge.ErrStarting)}
	dirs := serve(t, run)
	conn, err := Dial(dirs, "7")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, _, err := Ask(conn, Resize{Add: 2})
		ended <- err
	}()
	for run.resizes.Load() < 3 {
		time.Sleep(retryInterval)
	}
	conn.Close()
	if err := <-ended; err == nil {
		t.Error("the request was answered")
	}
	for before := int64(-1); before != run.resizes.Load(); time.Sleep(10 * retryInterval) {
		before = run.resizes.Load() // or the test exceeds its time limit
		if before > startLimit.Milliseconds()/retryInterval.Milliseconds()/2 {
			t.Fatal("the run is asked for ranks that nobody wants")
		}
	}
}

// TestStay: a launcher whose allocation has processes of the run asks them to leave, and gets a message when they have ended.
func TestStay(t *testing.T) {
	run := &oneRun{ended: make(chan struct{}), asked: make(chan string, 1)}
	stay, conn := addTwo(t, serve(t, run))
	if err := stay.AskLeave(" SIGTERM"); err != nil {
		t.Fatal(err)
	}
	if got := <-run.asked; got != "[7 8] SIGTERM" {
		t.Errorf("asked to leave: %q", got)
	}
	if err := stay.Wait(); err != nil {
		t.Errorf("the wait has failed: %v", err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("%d bytes, %v, expected the end of the connection", n, err)
	}
}

// TestStayLost: a connection that ends before the processes is an error for the launcher that has added them, and is reported to that of
// the run.
func TestStayLost(t *testing.T) {
	run := &oneRun{ended: make(chan struct{}), lost: make(chan []int, 1)}
	stay, conn := addTwo(t, serve(t, run))
	conn.Close()
	if got := <-run.lost; fmt.Sprint(got) != "[7 8]" {
		t.Errorf("ranks %v have lost their launcher", got)
	}
	if err := stay.Wait(); err == nil {
		t.Error("the wait has succeeded")
	}
	here, there := net.Pipe()
	there.Close()
	if err := (&Stay{json.NewEncoder(here), json.NewDecoder(here)}).Wait(); err == nil || err.Error() != "the other side has closed it" {
		t.Errorf("the other side has ended: %v", err)
	}
}

// TestStayGivenUp: a launcher that ends its wait is not reported as lost. It asks its processes to leave only if it gives a reason.
func TestStayGivenUp(t *testing.T) {
	run := &oneRun{ended: make(chan struct{}), asked: make(chan string, 1), lost: make(chan []int, 1)}
	dirs := serve(t, run)
	stay, conn := addTwo(t, dirs)
	if err := stay.GiveUp(); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("%d bytes, %v, expected the end of the connection", n, err)
	}
	_, conn = addTwo(t, dirs)
	if err := GiveUp(conn, " SIGINT"); err != nil {
		t.Fatal(err)
	}
	if got := <-run.asked; got != "[7 8] SIGINT" {
		t.Errorf("asked to leave: %q", got)
	}
	select {
	case ranks := <-run.lost:
		t.Errorf("ranks %v have lost their launcher", ranks)
	default:
	}
}

// TestGiveUpBeforeStart: a launcher that gives up while the run starts gets no processes.
func TestGiveUpBeforeStart(t *testing.T) {
	run := &oneRun{refusal: fmt.Errorf("wait: %w", bridge.ErrStarting)}
	conn, err := Dial(serve(t, run), "7")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ended := make(chan error)
	go func() {
		_, _, err := Ask(conn, Resize{Add: 2})
		ended <- err
	}()
	for run.resizes.Load() < 1 {
		time.Sleep(retryInterval)
	}
	if err := GiveUp(conn, "SIGINT"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the request was answered")
	}
}

// TestLongRequests: a request has room for the longest command line of a system. The error about a longer one has the sizes and what is too
// long.
func TestLongRequests(t *testing.T) {
	run := &oneRun{refusal: errors.New("the run has ended")}
	dirs := serve(t, run)
	dial := func() net.Conn {
		conn, err := Dial(dirs, "7")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	for size, want := range map[int]string{
		6 << 20: `^the run has ended$`,
		17 << 20: `^the request to the launcher of the run has 178\d{5} bytes, more than the 16777216 that are possible: ` +
			`the command line of this launcher has 17825792 bytes$`,
	} {
		q := request("viewer")
		q.Command = strings.Repeat("x", size)
		if _, err := Attach(dial(), q, nil, nil); err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%d bytes: %v, expected %q", size, err, want)
		}
	}
	q := Resize{Add: 1 << 20, Hosts: slices.Repeat([]string{"a-host-with-a-long-name"}, 1<<20)}
	if _, _, err := Ask(dial(), q); err == nil || !strings.HasSuffix(err.Error(), "that are possible: it names the hosts of 1048576 processes") {
		t.Errorf("many hosts: %v", err)
	}
	// A launcher of another release may send more.
	conn := dial()
	go func() { _, _ = conn.Write(append([]byte(`{"command":"`), bytes.Repeat([]byte("x"), 17<<20)...)) }()
	var r reply
	if err := json.NewDecoder(conn).Decode(&r); err != nil || r.Refused != "malformed request: it is longer than the 16777216 bytes that are possible" {
		t.Errorf("%+v, %v", r, err)
	}
}

// addTwo asks for two processes in the allocation of this launcher.
func addTwo(t *testing.T, dirs RunDirs) (*Stay, net.Conn) {
	t.Helper()
	conn, err := Dial(dirs, "7")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_, stay, err := Ask(conn, Resize{Add: 2})
	if err != nil || stay == nil {
		t.Fatalf("%v, %v; expected a connection that stays", stay, err)
	}
	return stay, conn
}

// TestGiveUp: a launcher whose connection ends while the run starts is forgotten.
func TestGiveUp(t *testing.T) {
	dirs, dir := runIn(t)
	run := &oneRun{refusal: fmt.Errorf("wait: %w", bridge.ErrStarting), attached: make(chan *Request, 1)}
	socket, err := Listen(filepath.Join(dir, SocketName), run)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := Dial(dirs, "")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := Attach(conn, request("viewer"), nil, nil)
		ended <- err
	}()
	time.Sleep(5 * retryInterval)
	conn.Close()
	if err := <-ended; err == nil {
		t.Error("it has been admitted")
	}
	socket.Close()
	select {
	case <-run.attached:
		t.Error("it is said to have attached")
	default:
	}
}

// FuzzRequest: no message of a launcher brings the socket down.
func FuzzRequest(f *testing.F) {
	f.Add(fmt.Appendf(nil, `{"version":%d,"jobs":[{"Name":"viewer","Size":2,"Derived":true}],"pid":5}`, version))
	f.Add(fmt.Appendf(nil, `{"version":%d,"resize":{"add":2,"leave":[1,-3]}}`, version))
	f.Add([]byte(`{"abort":"no"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		here, there := net.Pipe()
		run := &oneRun{refusal: errors.New("no")}
		s := &Socket{run: run, conns: map[net.Conn]bool{}}
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.serve(there)
			there.Close()
		}()
		go func() {
			_, _ = here.Write(text)
			_, _ = here.Write([]byte("\n}]"))
			here.Close()
		}()
		answer := make([]byte, 1<<12)
		_, _ = here.Read(answer)
		<-done
	})
}
