// Package messagetest makes runs whose processes are all in one, with the message layer of ARMCI,
// for tests of package message and of what stands on it.
package messagetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/structure/message"
)

// Deadline bounds a test.
const Deadline = 120 * time.Second

// firstOp is the number of the first operation of package message in these runs.
const firstOp = am.OpMessage

// Run is a run whose processes are all in this one.
type Run struct {
	*globaltest.World
	Engines []*message.Engine // by member
}

// Open makes a run, which ends with the test.
func Open(t testing.TB, cfg globaltest.Config) *Run {
	t.Helper()
	w := new(Run)
	cfg.Operations = func(r *globaltest.Rank) (list []am.Operation) {
		h := message.New(message.Config{
			Memory: r.Mem, Messenger: r.Router.Agents(), Budget: &r.Budget,
			Op: func(operation int) am.Op { return firstOp + am.Op(operation) },
		})
		w.Engines = append(w.Engines, h)
		for i, o := range message.Operations() {
			list = append(list, am.Operation{
				Op: firstOp + am.Op(i), Name: o.Name,
				Serve: func(r fabric.Request) (int, error) { return o.Serve(h, r) },
			})
		}
		return list
	}
	w.World = globaltest.New(t, cfg)
	t.Cleanup(func() {
		for _, h := range w.Engines {
			h.Close()
		}
	})
	return w
}

// Way is one in which processes reach each other.
type Way struct {
	Name   string
	Config globaltest.Config
}

// Spinning is the way of processes that share memory and have a processor each.
var Spinning = Way{"shm, spinning", globaltest.Config{Mode: bridge.ModeSHM, Spin: true}}

// Ways are all of them.
var Ways = []Way{
	{"shm", globaltest.Config{Mode: bridge.ModeSHM}},
	Spinning,
	{"tcp", globaltest.Config{Mode: bridge.ModeTCP}},
	{"tcp, spinning", globaltest.Config{Mode: bridge.ModeTCP, Spin: true}},
	{"some map nothing", globaltest.Config{Mode: bridge.ModeSHM, Refuse: func(self, other int) error {
		if self%2 == 1 {
			return errors.New("refused")
		}
		return nil
	}}},
}

// ForEachWay runs f as a subtest for each way, in a run of n processes.
func ForEachWay(t *testing.T, n int, f func(t *testing.T, w *Run)) {
	for _, way := range Ways {
		t.Run(way.Name, func(t *testing.T) {
			stuck := time.AfterFunc(Deadline, func() { panic("processes are stuck: " + t.Name()) })
			defer stuck.Stop()
			cfg := way.Config
			cfg.Size = n
			f(t, Open(t, cfg))
		})
	}
}

// Together runs body for each member at the same time and fails the test if one fails.
func (w *Run) Together(t *testing.T, body func(h *message.Engine, self int) error) {
	t.Helper()
	errs := make([]error, len(w.Engines))
	var all sync.WaitGroup
	for i, h := range w.Engines {
		all.Go(func() {
			if err := body(h, i); err != nil {
				errs[i] = fmt.Errorf("process %d: %w", i, err)
				w.Lose(errs[i])
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Lose ends the run for the reason err.
func (w *Run) Lose(err error) {
	w.End(err)
	for _, h := range w.Engines {
		h.Fail(err)
	}
}
