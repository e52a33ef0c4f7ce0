package link

import (
	"context"
	"hash/fnv"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/system/couple/meet"
)

// The operations, and the notices.
const (
	opMeet     = iota // introduces a rank to the host of a link
	opLeave           // ends the wait of a rank at the host of a link
	opRefuse          // tells the host of a link that the other side will never open it
	opReport          // reports a fact about a model to the host of the models
	opInquiry         // asks the host of the models whether a field may still be declared
	opHold            // sends the points that a rank holds to a directory
	opFetch           // gets the result of a directory
	opConnect         // connects a sender to a receiver
	opWatch           // goes from an end of a watched link to another one
	opReady           // gives a sender on another host the array of a receiver
	opRecall          // takes that array back when the receiver gives up
	opIntegral        // sends the part of a rank in the integrals of a message to the first receiver
)

const (
	noticeSent  = iota // how many messages a sender has sent
	noticeTaken        // how many messages a receiver has taken
)

var systems = extension.Register(extension.Extension[*System]{
	Name:     "couple",
	First:    am.OpCouple,
	Optional: true,
	Open:     func(p *extension.Process) (*System, error) { return newSystem(p), nil },
	Operations: []extension.Operation[*System]{
		opMeet:     {Name: "introduction to a link", Serve: (*System).serveMeet},
		opLeave:    {Name: "end of the wait for a link", Serve: (*System).serveLeave},
		opRefuse:   {Name: "refusal of a link", Serve: (*System).serveRefuse},
		opReport:   {Name: "declaration of a model", Serve: (*System).serveReport},
		opInquiry:  {Name: "question about a field", Serve: (*System).serveInquiry},
		opHold:     {Name: "points of a link", Serve: (*System).serveHold},
		opFetch:    {Name: "schedule of a link", Serve: (*System).serveFetch},
		opConnect:  {Name: "connection of a link", Serve: (*System).serveConnect},
		opWatch:    {Name: "step of a watched link", Serve: (*System).serveWatch},
		opReady:    {Name: "array of a receiver of a link", Serve: (*System).serveReady},
		opRecall:   {Name: "recall of the array of a receiver of a link", Serve: (*System).serveRecall},
		opIntegral: {Name: "integrals of a message of a link", Serve: (*System).serveIntegral},
	},
	Notices: []extension.Notice[*System]{
		noticeSent:  {Name: "message of a link", Take: (*System).take},
		noticeTaken: {Name: "end of a message of a link", Take: (*System).take},
	},
	Fail:   (*System).fail,
	Left:   (*System).gone,
	Lost:   (*System).gone,
	Settle: (*System).settle,
	// No notice changes memory that Reset is about to empty.
	Release: func(s *System) { s.flows.forget() },
	Forget:  (*System).forget,
})

// Of returns the system of an *acp.Process.
func Of(process any) *System { return systems.Of(process) }

// System is the state of coupling in one process. Several goroutines may call its methods at once.
type System struct {
	p   *extension.Process
	mem *global.Memory

	host      locked[*meet.Host]
	registry  locked[*meet.Registry]
	shards    locked[*meet.Shards]
	totals    locked[map[uint64]*meet.Totals] // by id of the link
	inquiries atomic.Uint64                   // of this process

	flows    flows
	notifier notifier
	watches  watches
	openings openings
	models   models // of this process

	publishers publishers
	background background
	over       uint32        // not 0: the run is over; C reads it
	life       atomic.Uint64 // how often all links have been forgotten
}

func newSystem(p *extension.Process) *System {
	s := &System{p: p, mem: p.Memory}
	procs := p.Ranks.Seats()
	s.host.machine = meet.NewHost(p.Ranks.Self(), procs)
	s.registry.machine = meet.NewRegistry(procs, p.Members.Jobs())
	s.shards.machine = meet.NewShards(procs)
	s.forget()
	return s
}

// Ranks returns all ranks of the job that this process belongs to, in order of the processes of the
// job.
func (s *System) Ranks() []int {
	members := s.p.Members
	job := members.Job(s.p.Ranks.Self())
	var list []int
	if s.p.Ranks.Elastic() {
		list = s.p.Roster.JobMembers(job)
	} else {
		for m, end := members.JobRange(job); m < end; m++ {
			list = append(list, m)
		}
	}
	for i, m := range list {
		list[i] = s.p.Ranks.Rank(m)
	}
	return list
}

// JobName returns the name of the job that this process belongs to.
func (s *System) JobName() string {
	members := s.p.Members
	return members.JobName(members.Job(s.p.Ranks.Self()))
}

// settle ends the goroutines that use memory of other ranks, and closes the links that are still open, so that no partner waits for
// this process. Then it reports that the models of this process have ended.
func (s *System) settle() {
	s.background.settle()
	s.closeAll()
	s.endModels()
}

// fail ends all waiting, because the run is over.
func (s *System) fail(error) {
	atomic.StoreUint32(&s.over, 1)
	s.forgetMeetings()
	s.notifier.notify()
}

// forget ends all links: the memory of all ranks is new.
func (s *System) forget() {
	s.life.Add(1)
	s.forgetMeetings()
	s.registry.mu.Lock()
	s.registry.machine.Forget()
	s.registry.mu.Unlock()
	s.totals.mu.Lock()
	s.totals.machine = make(map[uint64]*meet.Totals)
	s.totals.mu.Unlock()
	s.flows.forget()
	s.watches.forget()
	s.openings.forget()
	s.models.forget()
	s.publishers.forget()
	s.background.forget()
	s.notifier.forget()
}

// forgetMeetings ends all meetings, and all directories of points.
func (s *System) forgetMeetings() {
	s.host.mu.Lock()
	s.host.machine.Forget()
	s.host.mu.Unlock()
	s.shards.mu.Lock()
	s.shards.machine.Forget()
	s.shards.mu.Unlock()
}

// hostOf returns the member that is the host of a link: the hash of the name selects a member that stays until the end of the run
// and has this package.
func (s *System) hostOf(name string) int {
	n := s.p.Memory.Permanent()
	host := int(hash(name) % uint64(n))
	for !s.p.Present(host) {
		host = (host + 1) % n
	}
	return host
}

// hash returns the hash of a name.
func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// registryHost returns the member that is the host of the models.
func (s *System) registryHost() int { return s.hostOf("") }

// report sends a fact about a model to the registry. The name is that of a field or a link, or the list of the members.
func (s *System) report(fact meet.Fact, model, name string) *reply {
	r := meet.Report{Fact: fact, Model: model, Name: name}
	return s.start(s.registryHost(), opReport, r.Encode(), 0)
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

// ask sends a request to a member, and returns the reply, which has at most capacity bytes. Blocks until the reply
// arrives, the run is over, or ctx ends.
func (s *System) ask(ctx context.Context, member, operation int, request []byte, capacity int) ([]byte, error) {
	return s.answer(ctx, s.start(member, operation, request, capacity))
}

// start is ask without waiting.
func (s *System) start(member, operation int, request []byte, capacity int) *reply {
	r := &reply{done: make(chan struct{}), answer: make([]byte, capacity)}
	s.p.Start(member, operation, request, r.answer, r)
	return r
}

// answer returns the reply to a request, as ask does.
func (s *System) answer(ctx context.Context, r *reply) ([]byte, error) {
	select {
	case <-r.done:
		return r.answer, global.Cause(r.err)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-s.p.Lifecycle.Running().Done():
		if err := s.p.Lifecycle.Alive(); err != nil {
			return nil, err
		}
		return nil, fabric.ErrPeerDead
	}
}
