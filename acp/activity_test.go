package acp_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/ground/activity"
)

// TestWaitsAreSeen: while rank 0 waits, readers see the reason of the wait, the function and the line of the
// program. Rank 1 then ends the wait.
func TestWaitsAreSeen(t *testing.T) {
	long := make([]byte, 4<<20) // does not go in the ring of a channel
	for _, c := range []struct {
		name string
		wait func(p *member) error // of rank 0
		end  func(p *member) error // by rank 1
		want activity.Sleeper
	}{
		{"barrier", func(p *member) error { return p.Process.Sync() }, func(p *member) error { return p.Process.Sync() },
			activity.Sleeper{Kind: activity.Barrier, Member: -1, Call: "acp.Process.Sync"}},
		{"receive", func(p *member) error {
			r := must(must(p.NewChannel(1, 0, acp.ChannelOptions{})).Recv(make([]byte, 8)))
			_, err := r.Wait()
			return err
		}, func(p *member) error {
			_, err := must(must(p.NewChannel(1, 0, acp.ChannelOptions{})).Send(make([]byte, 8))).Wait()
			return err
		}, activity.Sleeper{Kind: activity.Receive, Member: 1, Call: "acp.Request.Wait"}},
		{"send", func(p *member) error {
			_, err := must(must(p.NewChannel(0, 1, acp.ChannelOptions{})).Send(long)).Wait()
			return err
		}, func(p *member) error {
			_, err := must(must(p.NewChannel(0, 1, acp.ChannelOptions{})).Recv(make([]byte, len(long)))).Wait()
			return err
		}, activity.Sleeper{Kind: activity.Send, Member: 1, Call: "acp.Request.Wait"}},
		{"connect", func(p *member) error { return must(p.NewSegBufSource(1, make([]byte, 64), 8)).Connect() },
			func(p *member) error { return must(p.NewSegBufDestination(0, make([]byte, 64), 8)).Connect() },
			activity.Sleeper{Kind: activity.Connect, Member: 1, Call: "acp.SegBuf.Connect"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, 2, acp.Config{}, func(p *member) error {
				if p.Rank() == 0 {
					return c.wait(p)
				}
				if err := awaitSleeper(c.want); err != nil {
					return err
				}
				return c.end(p)
			})
		})
	}
}

// awaitSleeper waits until member 0 of a run in this process shows one sleeper as wanted, which has
// called the library in this file.
func awaitSleeper(want activity.Sleeper) error {
	for end := time.Now().Add(deadline / 2); ; time.Sleep(time.Millisecond) {
		seen := sleepers()
		for _, s := range seen {
			at := s.At
			if s.Since, s.At = 0, ""; s == want && strings.HasPrefix(at, "activity_test.go:") {
				return nil
			}
		}
		if time.Now().After(end) {
			return fmt.Errorf("seen %+v, expected %+v", seen, want)
		}
	}
}

// sleepers returns the sleepers that member 0 of each run of two members in this process shows.
func sleepers() (all []activity.Sleeper) {
	windows, err := activity.Open("/proc", os.Getpid())
	if err != nil {
		return nil
	}
	for _, w := range windows {
		if v, err := w.Look(0); err == nil && v.Member == 0 && v.Procs == 2 {
			all = append(all, v.Sleepers...)
		}
		w.Close()
	}
	return all
}
