package extension

import (
	"fmt"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/network/driver"
	"github.com/goacp/goacp/internal/process/collective"
	"github.com/goacp/goacp/internal/process/lifecycle"
)

// Process is a process as one extension sees it. Other processes are named by their members;
// Ranks translates. All fields are set, and do not change.
type Process struct {
	// Ranks says which member has which rank now.
	Ranks *ga.Ranks

	// Memory is the memory of all ranks. Its HeapView returns the heap of a member if this process
	// has mapped it, so that an operation can run near.
	Memory *global.Memory

	// Cond is where goroutines wait for what other processes do. It wakes them when the run
	// is over.
	Cond *wait.Cond

	// Page shows readers what this process does. It may be nil.
	Page *activity.Page

	// Budget says how long goroutines may spin on memory that other processes change.
	Budget *wait.Budget

	// Lifecycle says whether the process can be used, and why the run is over.
	Lifecycle *lifecycle.Lifecycle

	// Members says in which jobs and on which hosts the processes are.
	Members *bridge.Members // those that have started together with this one
	Roster  *bridge.Roster  // all
	// Messenger carries the messages, and bytes in order with them.
	Messenger driver.Messenger

	name      string // of the extension
	agreement *Agreement

	// Collective calls the collective functions of all ranks. Begin and Gather use it.
	Collective *collective.Caller

	first        am.Op // of the range of numbers
	ops, notices int
}

// Present reports whether a member has the extension. All have it unless it is optional.
func (p *Process) Present(member int) bool { return p.agreement.has(member, p.name) }

// Check returns nil if a member is present, and otherwise an error that wraps fabric.ErrNoMember or
// fabric.ErrMemberGone.
func (p *Process) Check(member int) error { return p.Memory.CheckMember(member) }

// Op returns the number that messages carry for an operation of the extension. It panics if
// the extension has no such operation.
func (p *Process) Op(operation int) am.Op {
	if operation < 0 || operation >= p.ops {
		panic(fmt.Sprintf("operation %d of an extension that has %d", operation, p.ops))
	}
	return p.first + am.Op(operation)
}

// notice is Op for a notice.
func (p *Process) notice(notice int) am.NoticeNumber {
	if notice < 0 || notice >= p.notices {
		panic(fmt.Sprintf("notice %d of an extension that has %d", notice, p.notices))
	}
	return am.NoticeNumber(p.first) + am.NoticeNumber(notice)
}

// Call lets a member Serve a request and returns the length of its answer. Both have at most
// fabric.CallMax bytes and are not on the stack. Blocks until the answer is there, or the run
// is over: then it fails with fabric.ErrPeerDead.
func (p *Process) Call(member, operation int, request, answer []byte) (int, error) {
	return p.Memory.Call(member, p.Op(operation), request, answer)
}

// CallFor is Call for a reason that says more than that a thread waits for an answer.
func (p *Process) CallFor(member, operation int, request, answer []byte, why activity.Reason) (int, error) {
	return p.Memory.CallFor(member, p.Op(operation), request, answer, why)
}

// Start is Call without waiting: done gets the length of the answer. The caller leaves request
// and answer alone until then.
func (p *Process) Start(member, operation int, request, answer []byte, done fabric.Completion) {
	p.Messenger.Call(member, uint16(p.Op(operation)), request, answer, done)
}

// Far lets a member Run a call, whose bytes are not on the stack, and sets its operation.
// Errors that messages carry keep their identity. Blocks for one round trip, and a few more if
// the call has more than am.MaxData bytes.
func (p *Process) Far(member, operation int, c am.Call) (am.Result, error) {
	c.Op = p.Op(operation)
	return p.Memory.Far(member, c)
}

// Notify sends a notice with two arguments to a member. Notices to one member arrive in order. The
// error says that the member is known to be gone. Does not block.
func (p *Process) Notify(member, notice int, arg uint32, value uint64) error {
	return p.Messenger.Notify(member, uint16(p.notice(notice)), arg, value)
}

// Begin begins a collective function of the extension, whose name says what it is called for
// and has at most collective.MaxName bytes, such as "removal of ledger 3". It waits until every
// rank has called a collective function. If they have not all called this one, the run is over,
// and the error wraps collective.ErrDisagree and names two ranks. One goroutine at a time calls
// collective functions.
func (p *Process) Begin(name string) error {
	if err := p.Lifecycle.Alive(); err != nil {
		return err
	}
	return p.Collective.Begin(collective.Call{Function: collective.Named, Name: name})
}

// Gather is Begin, after which every rank gets the blobs of all, in order of members.
func (p *Process) Gather(name string, blob []byte) ([][]byte, error) {
	if err := p.Begin(name); err != nil {
		return nil, err
	}
	return p.Collective.Exchange(collective.Named, blob)
}
