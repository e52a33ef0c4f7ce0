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

var hubs = extension.Register(extension.Extension[*Hub]{
	Name:     "armci message",
	First:    am.OpMessage,
	Optional: true,
	Open: func(p *extension.Process) (*Hub, error) {
		return New(Config{Memory: p.Memory, Messenger: p.Messenger, Budget: p.Budget, Op: p.Op}), nil
	},
	Operations: Operations(),
	Fail:       (*Hub).Fail,
	Release:    (*Hub).release,
	Forget:     (*Hub).forget,
	Close:      (*Hub).Close,
})

// Operations returns what a Hub carries out for other members, by number.
func Operations() []extension.Operation[*Hub] {
	return []extension.Operation[*Hub]{
		opConnect: {Name: "request for a ring", Serve: (*Hub).serveConnect},
		opDrain:   {Name: "request to empty a ring", Serve: (*Hub).serveDrain},
		opDeliver: {Name: "record of a message", Serve: (*Hub).serveDeliver},
		opFetch:   {Name: "request for a piece of a message", Serve: (*Hub).serveFetch},
	}
}

// Of returns the Hub of an *acp.Process.
func Of(process any) *Hub { return hubs.Of(process) }

// serveDrain moves the messages in the ring of another member to the queue of unexpected messages.
func (h *Hub) serveDrain(r fabric.Request) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return 0, h.drain(r.From, nil)
}

// serveDeliver takes a record.
func (h *Hub) serveDeliver(r fabric.Request) (int, error) {
	rec, payload, err := decode(r.Body)
	if err != nil {
		return 0, h.from(r.From, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return 0, h.file(r.From, &rec, payload)
}
