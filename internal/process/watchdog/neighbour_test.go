package watchdog

import (
	"fmt"
	"net/netip"
	"os/exec"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/pid"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/lifecycle"
)

// boot is a Bootstrap whose launcher leaves it to the process to end the run.
type boot struct {
	bridge.Bootstrap
	reported chan string
}

func (b *boot) Lost() <-chan struct{} { return nil }

func (b *boot) Abort(a bridge.Abort) { b.reported <- a.Reason }

func (b *boot) ReportLost(member int, how bridge.Loss) {
	b.reported <- fmt.Sprintf("%d: %d", member, how)
}

// neighbours returns a Watchdog of member 0, whose neighbour 1 is the process with a number.
func neighbours(t *testing.T, number int, started uint64) (*Watchdog, *boot) {
	t.Helper()
	var contacts [][]byte
	for m := range 2 {
		c := bridge.Contact{
			Member: uint32(m), JobRank: uint32(m), HostName: "test", PID: uint32(number), StartTime: started,
			Agent: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:1")},
		}
		contacts = append(contacts, c.Append(nil))
	}
	members, err := bridge.NewMembers(contacts)
	if err != nil {
		t.Fatal(err)
	}
	b := &boot{reported: make(chan string, 2)}
	l := lifecycle.New(lifecycle.Config{Boot: b, Fail: func(error) {}})
	return New(Config{Lifecycle: l, Roster: bridge.RosterOf(members), Ranks: ga.NewRanks(2, 0)}), b
}

// TestNeighbour: a neighbour that ends while this process waits for it is reported, and ends the
// run with a line that names it.
func TestNeighbour(t *testing.T) {
	child := exec.Command("cat")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	number := child.Process.Pid
	started, err := pid.StartTime(number)
	if err != nil {
		t.Fatal(err)
	}
	w, b := neighbours(t, number, started)
	ended, missing := w.Neighbour(1)
	if ended == nil {
		t.Fatal("the process of the neighbour is not watched")
	}
	if ended() {
		t.Error("the neighbour has ended before it was to")
	}
	in.Close() // cat ends
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	if !ended() {
		t.Error("the neighbour has not ended")
	}
	missing()
	if got, want := <-b.reported, fmt.Sprintf("1: %d", bridge.ProcessEnded); got != want {
		t.Errorf("reported to the launcher: %q, want %q", got, want)
	}
	want := fmt.Sprintf("rank 1 (host test, pid %d) ended without acp_finalize while rank 0 waits for it", number)
	if got := <-b.reported; got != want {
		t.Errorf("the run ends because %q, want %q", got, want)
	}
	w.cfg.Lifecycle.Finalize()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestStrangeNeighbour: a process that has taken the number of a neighbour is not watched.
func TestStrangeNeighbour(t *testing.T) {
	child := exec.Command("cat")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	started, err := pid.StartTime(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	w, _ := neighbours(t, child.Process.Pid, started+1)
	if ended, missing := w.Neighbour(1); ended != nil || missing != nil {
		t.Error("a process with another start time is watched")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	in.Close()
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
}
