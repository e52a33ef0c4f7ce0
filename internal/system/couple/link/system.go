package link

import (
	"context"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/process/extension"
)

// The operations, and the notices.
const (
	opMeet    = iota // at the host of a link
	opLeave          // before all have come to that meeting
	opRefuse         // that meeting, because the other side will never come
	opTell           // the host of the models something about one of them
	opPartner        // whether a field may still come, at that host
	opHold           // points that a rank holds, to a directory
	opFetch          // what a directory has found out
	opConnect        // of a sender to a receiver
	opWatch          // of an end of a watched link to another one
	opOffer          // of a receiver to a sender on another host: the array
	opRecall         // of a receiver that gives up: that offer
)

const (
	noticeSent  = iota // how many messages a sender has sent
	noticeTaken        // how many messages a receiver has taken
)

var systems = extension.Register(extension.Extension[*System]{
	Name:     "couple",
	Optional: true,
	Open:     func(p *extension.Process) (*System, error) { return newSystem(p), nil },
	Operations: []extension.Operation[*System]{
		opMeet:    {Name: "introduction to a link", Serve: (*System).serveMeet},
		opLeave:   {Name: "end of the wait for a link", Serve: (*System).serveLeave},
		opRefuse:  {Name: "refusal of a link", Serve: (*System).serveRefuse},
		opTell:    {Name: "declaration of a model", Serve: (*System).serveTell},
		opPartner: {Name: "question about a field", Serve: (*System).servePartner},
		opHold:    {Name: "points of a link", Serve: (*System).serveHold},
		opFetch:   {Name: "schedule of a link", Serve: (*System).serveFetch},
		opConnect: {Name: "connection of a link", Serve: (*System).serveConnect},
		opWatch:   {Name: "step of a watched link", Serve: (*System).serveWatch},
		opOffer:   {Name: "array of a receiver of a link", Serve: (*System).serveOffer},
		opRecall:  {Name: "end of a receiver's offer", Serve: (*System).serveRecall},
	},
	Notices: []extension.Notice[*System]{
		noticeSent:  {Name: "message of a link", Take: (*System).take},
		noticeTaken: {Name: "end of a message of a link", Take: (*System).take},
	},
	Fail:   (*System).fail,
	Settle: (*System).settle,
	// No notice changes memory that Reset is about to empty.
	Release: func(s *System) { s.flows.forget() },
	Forget:  (*System).forget,
})

// Of returns the system of an *acp.Process.
func Of(process any) *System { return systems.Of(process) }

// System is what one process has of coupling. Its methods may be called by several goroutines at
// once.
type System struct {
	p   *extension.Process
	mem *global.Memory

	meetings meetings
	offices  offices
	flows    flows
	bell     bellTower
	watches  watches
	registry registry
	models   models // of this process

	publishers publishers
	background background
	over       uint32        // not 0: the run is over; C reads it
	life       atomic.Uint64 // how often all links have been forgotten
}

func newSystem(p *extension.Process) *System {
	s := &System{p: p, mem: p.Memory}
	s.forget()
	return s
}

// Ranks returns all ranks of the job that this process belongs to, in order of the processes of the
// job.
func (s *System) Ranks() []int {
	members := s.p.Members
	first, end := members.JobRange(members.Job(s.p.Ranks.Self()))
	ranks := make([]int, 0, end-first)
	for m := first; m < end; m++ {
		ranks = append(ranks, s.p.Ranks.Rank(m))
	}
	return ranks
}

// JobName returns the name of the job that this process belongs to.
func (s *System) JobName() string {
	members := s.p.Members
	return members.JobName(members.Job(s.p.Ranks.Self()))
}

// settle ends the goroutines that use memory of other ranks, and closes the links that are still open, so that no partner waits for
// this process. Then it says that the models of this process have ended.
func (s *System) settle() {
	s.background.settle()
	s.closeAll()
	s.endModels()
}

// fail ends all waiting, because the run is over.
func (s *System) fail(error) {
	atomic.StoreUint32(&s.over, 1)
	s.meetings.forget()
	s.offices.forget()
	s.bell.ring()
}

// forget ends all links: the memory of all ranks is new.
func (s *System) forget() {
	s.life.Add(1)
	s.meetings.forget()
	s.offices.forget()
	s.flows.forget()
	s.watches.forget()
	s.registry.forget()
	s.models.forget()
	s.publishers.forget()
	s.background.forget()
	s.bell.forget()
}

// hostOf returns the member that is the host of a link: one that the name stands for, and that has this
// package.
func (s *System) hostOf(name string) int {
	n := s.p.Ranks.Size()
	host := int(hash(name) % uint64(n))
	for !s.p.Present(host) {
		host = (host + 1) % n
	}
	return host
}

// reply is the answer to a request of this process. It implements fabric.Completion.
type reply struct {
	done   chan struct{}
	answer []byte
	err    error
}

// Complete implements fabric.Completion.
func (r *reply) Complete(n uint64, err error) {
	if err == nil {
		r.answer = r.answer[:n]
	}
	r.err = err
	close(r.done)
}

// ask lets a member serve a request, and returns the answer, which has at most room bytes. Blocks until it is there, the run is
// over, or ctx ends.
func (s *System) ask(ctx context.Context, member, operation int, request []byte, room int) ([]byte, error) {
	return s.answer(ctx, s.start(member, operation, request, room))
}

// start is ask without waiting.
func (s *System) start(member, operation int, request []byte, room int) *reply {
	r := &reply{done: make(chan struct{}), answer: make([]byte, room)}
	s.p.Start(member, operation, request, r.answer, r)
	return r
}

// answer returns the answer to a request, as ask does.
func (s *System) answer(ctx context.Context, r *reply) ([]byte, error) {
	select {
	case <-r.done:
		return r.answer, global.Cause(r.err)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.p.Lifecycle.Running().Done():
		if err := s.p.Lifecycle.Alive(); err != nil {
			return nil, err
		}
		return nil, fabric.ErrPeerDead
	}
}
