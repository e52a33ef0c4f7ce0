package message

import (
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/extension"
)

// The operations that other members ask for.
const (
	opConnect = iota // a ring for messages to this process
	opDrain          // to empty that ring
	opDeliver        // a record of a stream without a ring
	opFetch          // a piece of a direct message
)

var engines = extension.Register(extension.Extension[*Engine]{
	Name:     "armci message",
	First:    am.OpMessage,
	Optional: true,
	Open: func(p *extension.Process) (*Engine, error) {
		return New(Config{Memory: p.Memory, Messenger: p.Messenger, Budget: p.Budget, Op: p.Op}), nil
	},
	Operations: Operations(),
	Fail:       (*Engine).Fail,
	Left:       (*Engine).memberGone,
	Lost:       (*Engine).memberGone,
	Leave:      (*Engine).leaves,
	Settle:     (*Engine).settle,
	Release:    (*Engine).release,
	Forget:     (*Engine).forget,
	Close:      (*Engine).Close,
})

// Operations returns what an Engine carries out for other members, by number.
func Operations() []extension.Operation[*Engine] {
	return []extension.Operation[*Engine]{
		opConnect: {Name: "request for a ring", Serve: (*Engine).serveConnect},
		opDrain:   {Name: "request to empty a ring", Serve: (*Engine).serveDrain},
		opDeliver: {Name: "record of a message", Serve: (*Engine).serveDeliver},
		opFetch:   {Name: "request for a piece of a message", Serve: (*Engine).serveFetch},
	}
}

// Of returns the Engine of an *acp.Process.
func Of(process any) *Engine { return engines.Of(process) }

// serveDrain moves the messages in the ring of another member to the queue of unexpected messages.
func (h *Engine) serveDrain(r fabric.Request) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return 0, h.drain(r.From, nil)
}

// serveDeliver takes a record.
func (h *Engine) serveDeliver(r fabric.Request) (int, error) {
	rec, payload, err := decode(r.Body)
	if err != nil {
		return 0, h.from(r.From, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return 0, h.file(r.From, &rec, payload)
}
