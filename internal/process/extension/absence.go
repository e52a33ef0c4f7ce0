package extension

import (
	"errors"
	"time"

	"github.com/goacp/goacp/internal/fabric"
)

const (
	firstAbsencePause   = 20 * time.Microsecond
	longestAbsencePause = 5 * time.Millisecond
)

// Absence returns the error of a message to a member that has failed with err. A process that leaves closes its connections,
// perhaps before this one knows that it leaves, and then the message fails as if the process had died. So Absence blocks until the run is over,
// or this process knows that the other one is gone. Other errors it returns at once.
func (p *Process) Absence(member int, err error) error {
	if fabric.IsGone(err) || !errors.Is(err, fabric.ErrPeerDead) {
		return err
	}
	for pause := firstAbsencePause; p.Lifecycle.Alive() == nil; pause = min(2*pause, longestAbsencePause) {
		time.Sleep(pause)
		if gone := p.Check(member); fabric.IsGone(gone) {
			return gone
		}
	}
	return err
}
