package page

import "slices"

// Owner is the page in the process that owns it. One goroutine at a time uses it.
type Owner struct {
	state  State
	queue  []Request // in order of arrival
	lent   int       // long requests that read the bytes
	change *change   // under way, or nil
	empty  bool      // the bytes do not exist until the first change
	next   int       // the owner that took the page, if gone
	gone   bool

	actions []Action // of the call under way
}

// change is a Write or Take under way.
type change struct {
	request Request
	phase   phase
	waiting []int // processes that have not answered
}

// phase is a phase of a change.
type phase uint8

const (
	telling  phase = iota // processes with copies are told that the bytes change
	changing              // the requester changes the bytes, or reads them to take the page
	bringing              // the new bytes of a long change go to processes with update copies
)

// NewOwner returns the page of a process that becomes its owner. first is the change for which the process has taken the page, or nil.
// empty says that this change sets all bytes, and the process has no bytes before. It returns the first actions.
func NewOwner(s State, first *Request, empty bool) (*Owner, []Action) {
	o := &Owner{state: s, empty: empty}
	if first == nil {
		return o, nil
	}
	return o, o.Arrive(*first)
}

// Arrive takes a request, whose Kind, From and Copy are valid.
func (o *Owner) Arrive(r Request) []Action {
	switch {
	case o.gone:
		o.do(Action{Do: Redirect, Request: r, Owner: o.next})
	case r.Kind == Get && !r.Long && !o.Shut():
		// The bytes are those before the change under way, which has not happened yet.
		o.do(Action{Do: Serve, Request: r, Version: o.state.Version})
	default:
		o.queue = append(o.queue, r)
		o.advance()
	}
	return o.take()
}

// Answered takes the answer of a process to Drop, Hold or Bring. kept says that the process has a copy.
func (o *Owner) Answered(process int, kept bool) []Action {
	c := o.change
	if c == nil || !slices.Contains(c.waiting, process) {
		return nil
	}
	c.waiting = slices.DeleteFunc(c.waiting, func(p int) bool { return p == process })
	if !kept {
		o.state.Holders = slices.DeleteFunc(o.state.Holders, func(h Holder) bool { return h.Process == process })
	}
	if len(c.waiting) == 0 {
		o.proceed()
	}
	return o.take()
}

// Ended ends the use of the bytes by a long request.
func (o *Owner) Ended(r Request) []Action {
	if r.Kind == Get || r.Kind == Fetch {
		o.lent--
		o.advance()
		return o.take()
	}
	o.used()
	return o.take()
}

// Shut reports whether reads have to be requests, too: the bytes may not be read now.
func (o *Owner) Shut() bool {
	return o.gone || o.empty || o.change != nil && o.change.phase == changing && o.change.request.Kind == Write
}

// Guarded reports whether changes have to be requests: others know the bytes, or use them now.
func (o *Owner) Guarded() bool {
	return o.Shut() || o.change != nil || len(o.queue) > 0 || o.lent > 0 || len(o.state.Holders) > 0
}

// Sharers returns how many processes have copies when all requests that wait have been carried out, at most.
func (o *Owner) Sharers() int {
	count := len(o.state.Holders)
	for _, r := range o.queue {
		if r.Kind == Fetch {
			count++
		}
	}
	return count
}

// Idle reports whether no request is under way.
func (o *Owner) Idle() bool { return !o.gone && o.change == nil && len(o.queue) == 0 && o.lent == 0 }

// State returns what a new owner gets. The caller does not change it.
func (o *Owner) State() State { return o.state }

// do appends an action.
func (o *Owner) do(a Action) { o.actions = append(o.actions, a) }

// take returns the actions of the call under way.
func (o *Owner) take() []Action {
	a := o.actions
	o.actions = nil
	return a
}

// advance begins the requests at the head of the queue.
func (o *Owner) advance() {
	for !o.gone && o.change == nil && len(o.queue) > 0 {
		r := o.queue[0]
		changes := r.Kind == Write || r.Kind == Take
		if changes && o.lent > 0 {
			return
		}
		o.queue = o.queue[1:]
		if changes {
			o.begin(r)
		} else {
			o.read(r)
		}
	}
}

// read lets a Get or Fetch read the bytes.
func (o *Owner) read(r Request) {
	if r.Kind == Fetch {
		o.enter(Holder{r.From, r.Copy, r.Grant})
	}
	if r.Long {
		o.lent++
		o.do(Action{Do: Lend, Request: r, Version: o.state.Version})
		return
	}
	o.do(Action{Do: Serve, Request: r, Version: o.state.Version})
}

// enter enters a process that gets a copy, in place of its earlier copy. A newer copy stays: the process has owned the page since it sent
// this Fetch, and does not keep its bytes.
func (o *Owner) enter(holder Holder) {
	i := slices.IndexFunc(o.state.Holders, func(h Holder) bool { return h.Process == holder.Process })
	switch {
	case i < 0:
		o.state.Holders = append(o.state.Holders, holder)
	case o.state.Holders[i].Grant < holder.Grant:
		o.state.Holders[i] = holder
	}
}

// begin begins a change. No other one, and no long read, is under way.
func (o *Owner) begin(r Request) {
	o.change = &change{request: r}
	if r.Kind == Take {
		// The copies stay right. The new owner tells them about its change.
		o.proceed()
		return
	}
	o.state.Version++
	for _, h := range o.state.Holders {
		do := Drop
		if h.Kind == Update {
			do = Hold
		}
		o.do(Action{Do: do, Request: r, Holder: h, Version: o.state.Version})
		o.change.waiting = append(o.change.waiting, h.Process)
	}
	if len(o.change.waiting) == 0 {
		o.proceed()
	}
}

// proceed goes on with the change under way when all processes have answered.
func (o *Owner) proceed() {
	c := o.change
	switch {
	case c.phase == bringing:
		o.finish()
	case c.request.Long:
		c.phase = changing
		o.do(Action{Do: Lend, Request: c.request, Version: o.state.Version})
	default:
		if c.request.Kind == Write {
			o.do(Action{Do: Apply, Request: c.request, Version: o.state.Version})
		}
		o.finish()
	}
}

// used goes on with the change under way when its long request has used the bytes.
func (o *Owner) used() {
	c := o.change
	if c == nil || c.phase != changing {
		return
	}
	if c.request.Kind == Write {
		c.phase = bringing
		for _, h := range o.state.Holders {
			o.do(Action{Do: Bring, Request: c.request, Holder: h, Version: o.state.Version})
			c.waiting = append(c.waiting, h.Process)
		}
		if len(c.waiting) > 0 {
			return
		}
	}
	o.finish()
}

// finish ends the change under way.
func (o *Owner) finish() {
	r := o.change.request
	o.change = nil
	if r.Kind == Take {
		o.move(r)
		return
	}
	o.empty = false
	o.do(Action{Do: Finish, Request: r, Version: o.state.Version})
	for _, h := range o.state.Holders {
		o.do(Action{Do: Release, Holder: h, Version: o.state.Version})
	}
	o.advance()
}

// move gives the page to the process that has taken it.
func (o *Owner) move(r Request) {
	o.gone, o.next = true, r.From
	o.do(Action{Do: Move, Request: r, Version: o.state.Version})
	for _, q := range o.queue {
		o.do(Action{Do: Redirect, Request: q, Owner: r.From})
	}
	o.queue = nil
}
