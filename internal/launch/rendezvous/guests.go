package rendezvous

import (
	"fmt"
	"path/filepath"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/launch/control"
)

// OfGuests returns the rendezvous of a run to which the jobs of this launcher have attached. It writes the token into
// the private directory of this launcher.
func OfGuests(a *control.Attachment, runDir string) (*Rendezvous, error) {
	token, err := bridge.ParseToken(a.Token)
	if err != nil {
		return nil, fmt.Errorf("the launcher of the run: %w", err)
	}
	if _, err := bridge.WriteTokenFile(runDir, token); err != nil {
		return nil, err
	}
	debuglog.Rendezvous.Printf("attached to run %s: job %d, rank %d, rendezvous at %v", a.Run, a.Job, a.Rank, a.Rendezvous)
	return &Rendezvous{addrs: a.Rendezvous, token: token, tokenFile: filepath.Join(runDir, bridge.TokenFileName),
		secure: a.Secure, seats: a.Seats, attachment: a}, nil
}

// Attached returns the name of the run to which the jobs of this launcher have attached; "" = none.
func (r *Rendezvous) Attached() string {
	if r == nil || r.attachment == nil {
		return ""
	}
	return r.attachment.Run
}

// Lost reports whether the launcher of the run to which the jobs of this launcher have attached has ended before the run.
func (r *Rendezvous) Lost() bool { return r != nil && r.attachment != nil && r.attachment.Lost() }

// Detach ends the attachment of guests. Their processes have ended, or the run ends them. It does nothing otherwise.
func (r *Rendezvous) Detach() {
	if r != nil && r.attachment != nil {
		r.attachment.Close()
	}
}

// Grow admits count more processes of a job of the run, and returns their ranks.
func (r *Rendezvous) Grow(job, count int) ([]int, error) {
	if r == nil || r.server == nil {
		return nil, bridge.ErrStarting
	}
	return r.server.Grow(job, count)
}

// AskLeave asks ranks of the run to leave. All of them get the request, or none.
func (r *Rendezvous) AskLeave(ranks []int) error {
	if r == nil || r.server == nil {
		return bridge.ErrStarting
	}
	return r.server.AskLeave(ranks...)
}

// Asked reports whether a rank is asked to leave.
func (r *Rendezvous) Asked(rank int) bool { return r != nil && r.server != nil && r.server.Asked(rank) }

// FailJoin tells the ranks of the run that a process which was to join does not come, and why. rank is -1 if it has no rank.
func (r *Rendezvous) FailJoin(rank int, reason string) {
	if r != nil && r.server != nil {
		r.server.FailJoin(rank, reason)
	}
}

// Attach gives seats to the jobs of another launcher. The run is named name. events is called as that of
// [bridge.Server.Attach].
func (r *Rendezvous) Attach(name string, q *control.Request, events func(bridge.Event)) (*bridge.Guests, control.Admission, error) {
	switch {
	case q.Secure && !r.secure:
		return nil, control.Admission{}, fmt.Errorf("run %s does not encrypt its connections (-secure); its guests cannot, either", name)
	case q.Remote && r.hostOnly:
		return nil, control.Admission{}, fmt.Errorf("run %s takes guests on its own host only; start it with -join network for guests on other hosts", name)
	}
	guests, err := r.server.Attach(q.Jobs, events)
	if err != nil {
		return nil, control.Admission{}, err
	}
	return guests, control.Admission{Run: name, Token: r.Token(), Rendezvous: r.addrs, Secure: r.secure,
		Job: guests.Job(), Rank: guests.First(), Names: guests.Names(), Seats: r.seats}, nil
}
