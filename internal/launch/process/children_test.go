package process

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// childrenTest is a launcher's Children whose processes are in a /proc of a test, with the notes that the cleaner has
// read.
type childrenTest struct {
	children *Children
	looks    int // inotify descriptor with an event for each read of the list of processes
	pipe     *os.File
}

// newChildrenTest returns the children of a launcher, process 101, in the /proc of a test.
func newChildrenTest(t *testing.T, fs ProcFS) *childrenTest {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	looks, err := unix.InotifyInit1(unix.IN_NONBLOCK)
	if err == nil {
		_, err = unix.InotifyAddWatch(looks, string(fs), unix.IN_OPEN)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		read.Close()
		write.Close()
		unix.Close(looks)
	})
	self := Identity{101, 5}
	scope := &Scope{proc: fs, ancestor: self, exempted: map[Identity]bool{self: true}}
	return &childrenTest{&Children{Scope: scope, cleaner: &cleaner{pipe: write}}, looks, read}
}

// lookedAt returns how often the list of processes was read since the last call.
func (d *childrenTest) lookedAt(t *testing.T) (times int) {
	t.Helper()
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(d.looks, buf)
		if err == unix.EAGAIN {
			return times
		}
		if err != nil {
			t.Fatal(err)
		}
		// Only the directory itself is opened, because the files are one level below. So each event has no
		// name and the same size.
		times += n / unix.SizeofInotifyEvent
	}
}

// sessions ends the pipe and returns the sessions that the cleaner has recorded. Before, the cleaner has
// recorded their leaders.
func (d *childrenTest) sessions(leaders []Identity) map[int][]Identity {
	scope := &Scope{sessions: map[int][]Identity{}}
	for _, l := range leaders {
		scope.sessions[l.PID] = []Identity{l}
	}
	d.children.cleaner.pipe.Close()
	readNotes(d.pipe, scope)
	return scope.sessions
}

// manyLeaders makes a /proc in which many leaders have ended. Every third one has left a process behind.
func manyLeaders(t *testing.T) (fs ProcFS, leaders []Identity, left map[int][]Identity) {
	t.Helper()
	fs = fakeProc(t, "101 5 1 101 S")
	left = map[int][]Identity{}
	for i := range 300 {
		leader := Identity{1000 + i, uint64(i)}
		leaders = append(leaders, leader)
		if i%3 == 0 {
			fs.add(t, fmt.Sprintf("%d %d 101 %d S", 5000+i, 7+i, leader.PID))
			left[leader.PID] = []Identity{{5000 + i, uint64(7 + i)}}
		}
	}
	return fs, leaders, left
}

func (d *childrenTest) check(t *testing.T, leaders []Identity, left map[int][]Identity) {
	t.Helper()
	got := d.sessions(leaders)
	if len(got) != len(left) {
		t.Errorf("the cleaner knows %d sessions; expected %d", len(got), len(left))
	}
	for session, want := range left {
		if !slices.Equal(got[session], want) {
			t.Errorf("the cleaner knows %v of session %d; expected %v", got[session], session, want)
		}
	}
}

// TestOneLookForAllLeaders ends many leaders at once and checks the sessions that the cleaner has recorded,
// and how often the list of processes was read.
func TestOneLookForAllLeaders(t *testing.T) {
	fs, leaders, left := manyLeaders(t)
	d := newChildrenTest(t, fs)
	d.children.TellRemaining()
	if n := d.lookedAt(t); n != 0 {
		t.Errorf("%d looks before a leader has ended", n)
	}
	for _, l := range leaders {
		d.children.LeaderEnded(l)
	}
	d.children.LeaderEnded(Identity{}) // was never started
	for _, want := range []int{1, 0} {
		d.children.TellRemaining()
		if n := d.lookedAt(t); n != want {
			t.Errorf("%d looks for %d leaders; expected %d", n, len(leaders), want)
		}
	}
	d.check(t, leaders, left)
}

// TestLookForLeadersThatWait has one goroutine for each leader, as a proxy has. While one goroutine scans,
// others record further ends, and one further scan serves all of these.
func TestLookForLeadersThatWait(t *testing.T) {
	fs, leaders, left := manyLeaders(t)
	d := newChildrenTest(t, fs)
	var all sync.WaitGroup
	d.children.telling.Lock() // as a look does
	for _, l := range leaders {
		all.Go(func() {
			d.children.LeaderEnded(l)
			d.children.TellRemaining()
		})
	}
	for noted := 0; noted < len(leaders); time.Sleep(time.Millisecond) {
		d.children.mu.Lock()
		noted = len(d.children.ended)
		d.children.mu.Unlock()
	}
	d.children.telling.Unlock()
	all.Wait()
	if n := d.lookedAt(t); n != 1 {
		t.Errorf("%d looks for %d leaders", n, len(leaders))
	}
	d.check(t, leaders, left)
}

// TestNoCleanerNoLook ends leaders of a part of a run, which has no cleaner.
func TestNoCleanerNoLook(t *testing.T) {
	fs, leaders, _ := manyLeaders(t)
	d := newChildrenTest(t, fs)
	d.children.cleaner = nil
	d.children.LeaderEnded(leaders[0])
	d.children.TellRemaining()
	if n := d.lookedAt(t); n != 0 {
		t.Errorf("%d looks", n)
	}
}
