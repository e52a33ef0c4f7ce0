package node

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
)

// wave is requests that are under way at the same time, and whose end one goroutine awaits.
type wave struct {
	node *Node
	cond *wait.Cond
	open atomic.Int32
	to   int // the process of all requests, or noProcess or severalProcesses
}

const (
	severalProcesses = -1
	noProcess        = -2
)

func (n *Node) newWave() *wave { return &wave{node: n, cond: n.p.Cond, to: noProcess} }

// reply is the answer to a request of a wave, once it has come.
type reply struct {
	of    *wave
	to    int
	bytes []byte
	size  uint64
	err   error
}

// waveWidth bounds the requests that are under way at the same time.
const waveWidth = 256

// start sends a request to a process. There is room for an answer of some bytes.
func (w *wave) start(to int, op int, message []byte, room int) *reply {
	return w.startInto(to, op, message, make([]byte, room))
}

// startInto is start with memory for the answer.
func (w *wave) startInto(to int, op int, message, answer []byte) *reply {
	if w.open.Load() >= waveWidth {
		_ = w.wait(waveWidth / 2) // the last wait fails for the same reason
	}
	switch w.to {
	case noProcess:
		w.to = to
	case to:
	default:
		w.to = severalProcesses
	}
	r := &reply{of: w, to: to, bytes: answer}
	w.open.Add(1)
	w.node.count(to, len(message)+len(answer))
	w.node.p.Start(to, op, message, r.bytes, r)
	return r
}

// Complete implements fabric.Completion.
func (r *reply) Complete(size uint64, err error) {
	c := r.of.cond
	c.Lock()
	defer c.Unlock()
	r.size, r.err = size, err
	r.of.open.Add(-1)
	c.Broadcast()
}

// wait returns when at most some requests are under way, or with the reason why the run is over.
func (w *wave) wait(most int32) error {
	return w.cond.Wait(activity.On(activity.Answer, w.to), func() bool { return w.open.Load() <= most })
}
