package lifecycle

import (
	"fmt"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/debuglog"
)

// reasonLimit is how long a process that has lost another one waits for the reason from the launcher, which sees how
// processes end. The launcher sends no reason if only the network between two processes has failed, or if it is the
// launcher of an MPI.
const reasonLimit = 3 * time.Second

// abortLimit is how long the launcher may take to notice the end of a rank. After that, a rank that aborts because of
// it reports its own reason.
const abortLimit = 500 * time.Millisecond

// awaitReason waits until the run is over, reasonLimit at most.
func (l *Lifecycle) awaitReason() {
	select {
	case <-l.running.Done():
	case <-time.After(reasonLimit):
	}
}

// LostPeer ends the run because the connection to a member is lost; err names its rank. Connections are not made
// again, so a barrier would wait for ever. But the run goes on until the launcher has the report about the lost rank.
// Otherwise, after a fault of the network, the launcher might see the end of this process first and report it as the
// cause. Does not block.
func (l *Lifecycle) LostPeer(member int, err error) {
	if e := l.ending.Load(); e != nil && e.left {
		return // other processes give up their connections to one that leaves
	}
	l.peerLost.Store(true)
	debuglog.Liveness.Printf("the connection to a rank is lost; reported to the launcher: %v", err)
	go func() {
		l.cfg.Boot.ReportLost(member, bridge.ConnectionBroken)
		l.awaitReason()
		l.Lose(fmt.Errorf("lost the connection to %w", err))
	}()
}

// SuspectPeer records that another process may be lost, until the caller knows and calls settled. An abort of the program
// meanwhile is one because of a lost process. Does not block.
func (l *Lifecycle) SuspectPeer() (settled func()) {
	l.suspected.Add(1)
	return func() { l.suspected.Add(-1) }
}

// Missing ends the run because the process of a member has ended while this process waits for it. It reports that to
// the launcher. A launcher of this library then ends the run. Otherwise this process ends it, with the result of
// reason as the reason. Does not block.
func (l *Lifecycle) Missing(member int, reason func() string) {
	if l.peerLost.Swap(true) {
		return
	}
	debuglog.Liveness.Printf("rank %d has ended while this one waits for it; reported to the launcher", member)
	go func() {
		l.cfg.Boot.ReportLost(member, bridge.ProcessEnded)
		l.awaitReason()
		if l.Alive() == nil {
			l.End(reason())
		}
	}()
}

// End ends the run for a reason that this process has found.
func (l *Lifecycle) End(reason string) {
	l.cfg.Boot.Abort(bridge.Abort{Reason: reason})
	l.Lose(&bridge.AbortError{Reason: reason})
}

// Abort ends the run for the program. If another rank cannot be reached, that is most likely why the program aborts.
// Then Abort gives the launcher time to end the run for that reason, which is more exact than the one of this rank.
// It waits for abortLimit at most.
func (l *Lifecycle) Abort(a bridge.Abort) {
	if l.peerLost.Load() || l.suspected.Load() > 0 {
		select {
		case <-l.cfg.Boot.Lost():
			return
		case <-time.After(abortLimit):
		}
	}
	l.cfg.Boot.Abort(a)
}

// Reason returns why the run is over, for a caller whose only reason is err: another rank cannot be reached. It
// blocks until the run is over, for about reasonLimit at most. If no other reason comes, it returns err.
func (l *Lifecycle) Reason(err error) error {
	if l.peerLost.Load() {
		<-l.running.Done() // LostPeer or Missing ends it
	} else if l.Over() == nil {
		l.awaitReason()
	}
	if over := l.Over(); over != nil {
		return over
	}
	return err
}
