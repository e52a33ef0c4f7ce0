package core

import (
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/system/armci/exchange"
	"github.com/goacp/goacp/internal/system/armci/memory"
	"github.com/goacp/goacp/internal/system/armci/transfer"
)

// The operations.
const (
	opGather = iota
	opPut
	opGet
	opAccumulate
	opFlag
	opNotify
)

// The notices.
const (
	noticeFollow = iota
	noticeGrant
)

var systems = extension.Register(extension.Extension[*System]{
	Name:     "armci",
	First:    am.OpARMCI,
	Optional: true,
	Open:     open,
	Operations: []extension.Operation[*System]{
		opGather:     {Name: "exchange between processes of ARMCI", Serve: func(s *System, r fabric.Request) (int, error) { return s.exchange.Serve(r) }},
		opPut:        {Name: "put of ARMCI", Serve: func(s *System, r fabric.Request) (int, error) { return s.owner.ServePut(r) }},
		opGet:        {Name: "get of ARMCI", Serve: func(s *System, r fabric.Request) (int, error) { return s.owner.ServeGet(r) }},
		opAccumulate: {Name: "accumulate of ARMCI", Serve: func(s *System, r fabric.Request) (int, error) { return s.owner.ServeAccumulate(r) }},
		opFlag:       {Name: "flag of ARMCI", Serve: func(s *System, r fabric.Request) (int, error) { return s.owner.ServeFlag(r) }},
		opNotify:     {Name: "notification of ARMCI", Serve: func(s *System, r fabric.Request) (int, error) { return s.owner.ServeNotify(r) }},
	},
	Notices: []extension.Notice[*System]{
		noticeFollow: {Name: "waiting for a mutex of ARMCI", Take: (*System).followed},
		noticeGrant:  {Name: "mutex of ARMCI", Take: (*System).granted},
	},
	Fail:   func(s *System, _ error) { s.exchange.Fail() },
	Forget: (*System).forget,
})

// Of returns the system of an *acp.Process.
func Of(process any) *System { return systems.Of(process) }

// System is the ARMCI state of one process. Several goroutines may call its methods at once, except
// Begin and End.
type System struct {
	process  *extension.Process
	exchange *exchange.Exchange
	owner    *transfer.Owner
	local    *memory.Local
	current  atomic.Pointer[Session]

	mu     sync.Mutex
	worlds uint32 // that this process has begun
}

// open makes the system of a process.
func open(p *extension.Process) (*System, error) {
	s := &System{process: p, local: memory.NewLocal(p), owner: transfer.NewOwner(p)}
	s.exchange = exchange.New(p.Members.Len(), func(member int, request, answer []byte) (int, error) {
		return p.Call(member, opGather, request, answer)
	})
	return s, nil
}

// Process returns the process as this extension sees it.
func (s *System) Process() *extension.Process { return s.process }

// Local returns the shared memory of this process.
func (s *System) Local() *memory.Local { return s.local }

// Session returns the state of this process in its world, and nil if there is none.
func (s *System) Session() *Session { return s.current.Load() }

// forget is called when all ranks have settled and begin anew. There is no world.
func (s *System) forget() {
	s.exchange.Forget()
	s.local.Forget()
	s.current.Store(nil)
}

// followed takes the notice of a member that waits for a mutex. A process that has a mutex, or waits
// for one, has a world.
func (s *System) followed(from int, high uint32, value uint64) {
	if w := s.Session(); w != nil {
		w.Mutexes.Followed(s.owner, from, high, value)
	}
}

// granted takes the notice that this process has got a mutex.
func (s *System) granted(_ int, _ uint32, pos uint64) {
	if w := s.Session(); w != nil {
		w.Mutexes.Granted(s.owner, pos)
	}
}
