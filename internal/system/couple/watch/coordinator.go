package watch

// Coordinator chooses the step that all receivers of a watched link get. Senders do not wait for each other. So the
// coordinator requests a step that is ahead of them. If a sender has passed that step, it requests a later step, each
// time further ahead. The caller guards it by a lock.
type Coordinator struct {
	senders, receivers int

	wishes   int    // receivers that have requested the next step
	round    uint64 // the current round
	waiting  int    // senders that have not answered in it
	step     int64  // that those which have answered have sent, if they agree
	agree    bool
	greatest int64 // the last step that a sender has reached

	asking bool
	ahead  int64 // how far to go next
}

// NewCoordinator returns the coordinator of a link with a number of senders and receivers.
func NewCoordinator(senders, receivers int) *Coordinator {
	return &Coordinator{senders: senders, receivers: receivers}
}

// Wish records that a receiver requests the next step.
func (c *Coordinator) Wish() { c.wishes++ }

// Wanted reports whether all receivers have requested the next step, or a round has begun.
func (c *Coordinator) Wanted() bool { return c.asking || c.wishes == c.receivers }

// Begin begins to choose the step after the given step, unless that has begun. It returns the message to all senders,
// or false.
func (c *Coordinator) Begin(after int64) (Message, bool) {
	if c.asking {
		return Message{}, false
	}
	c.wishes, c.asking, c.ahead = 0, true, 1
	return c.ask(after + 1), true
}

// ask begins a round, in which each sender sends its first step that is not less than from.
func (c *Coordinator) ask(from int64) Message {
	c.round++
	c.waiting, c.agree = c.senders, true
	return Message{Kind: Ask, Round: c.round, Step: from}
}

// Answered records that a sender has sent a step in a round, or that it is at a step and had passed the requested
// step.
func (c *Coordinator) Answered(m *Message) {
	c.greatest = max(c.greatest, m.Step)
	if m.Round != c.round {
		return
	}
	if c.waiting == c.senders {
		c.step = m.Step
	}
	c.waiting--
	c.agree = c.agree && m.Kind != Passed && m.Step == c.step
}

// Decided reports whether all senders have sent a step in the round, or a sender could not.
func (c *Coordinator) Decided() bool { return c.waiting == 0 || !c.agree }

// Decide ends a round that is decided. It returns the message, which is to all receivers if its kind is Chosen, or to
// all senders if it is Ask.
func (c *Coordinator) Decide() Message {
	if c.agree {
		c.asking = false
		return Message{Kind: Chosen, Round: c.round, Step: c.step}
	}
	m := c.ask(c.greatest + c.ahead)
	c.ahead *= 2
	return m
}
