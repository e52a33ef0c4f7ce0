package acp

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// secondSignal is the time after a signal of Config.LeaveSignals within which another one ends the process.
const secondSignal = 5 * time.Second

// watchLeaveSignals makes the signals of the configuration ask this rank to leave, if it can leave.
func (p *Process) watchLeaveSignals() {
	if p.elastic == nil || !p.elastic.MayLeave() {
		return
	}
	signals := slices.DeleteFunc(slices.Clone(p.cfg.LeaveSignals), signal.Ignored) // as nohup does
	if len(signals) == 0 {
		return // Notify would take all signals
	}
	arrived := make(chan os.Signal, 2)
	signal.Notify(arrived, signals...)
	p.lifecycle.Watch(func() {
		defer signal.Stop(arrived)
		var last time.Time
		for {
			select {
			case <-p.lifecycle.Running().Done():
				return
			case s := <-arrived:
				if time.Since(last) < secondSignal {
					signal.Stop(arrived)
					_ = syscall.Kill(os.Getpid(), s.(syscall.Signal))
					return
				}
				last = time.Now()
				_ = p.elastic.AskLeave(p.ranks.Self()) // it fails only if the run is over
			}
		}
	})
}
