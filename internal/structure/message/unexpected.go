package message

// anyMember stands for every sender.
const anyMember = -1

// arrival is a message that no receive has taken yet.
type arrival struct {
	from int
	size uint64
	data []byte // the message, unless it is direct

	direct   bool
	id, addr uint64 // of a direct message
	ended    kind   // kindEnded or kindLacking: there is no message, because of member size

	next *arrival // with the same label
}

// unexpectedQueue has the messages that have come and wait for a receive, by label in order of arrival.
// Its methods are called with the lock of the Engine.
type unexpectedQueue struct{ byLabel map[Label]*arrivals }

// arrivals are the messages with one label. There is one at least.
type arrivals struct{ first, last *arrival }

// add adds a message.
func (b *unexpectedQueue) add(l Label, a *arrival) {
	if b.byLabel == nil {
		b.byLabel = make(map[Label]*arrivals)
	}
	list := b.byLabel[l]
	if list == nil {
		b.byLabel[l] = &arrivals{a, a}
		return
	}
	list.last.next = a
	list.last = a
}

// take takes out the first message with a label from a member, or from anyMember. It returns nil if
// there is none.
func (b *unexpectedQueue) take(l Label, from int) *arrival {
	list := b.byLabel[l]
	if list == nil {
		return nil
	}
	var before *arrival
	for a := list.first; a != nil; before, a = a, a.next {
		if from != anyMember && a.from != from {
			continue
		}
		b.remove(l, list, before, a)
		return a
	}
	return nil
}

// end returns the end that has come with a label from a member, since one is gone, or nil. It stays: functions of the team can only fail.
func (b *unexpectedQueue) end(l Label, from int) *arrival {
	list := b.byLabel[l]
	if list == nil {
		return nil
	}
	for a := list.first; a != nil; a = a.next {
		if a.ended == kindEnded && a.from == from {
			return a
		}
	}
	return nil
}

// remove takes a out of its list, where it stands behind before.
func (b *unexpectedQueue) remove(l Label, list *arrivals, before, a *arrival) {
	switch {
	case before != nil:
		before.next = a.next
		if list.last == a {
			list.last = before
		}
	case a.next != nil:
		list.first = a.next
	default:
		delete(b.byLabel, l)
	}
	a.next = nil
}

// forget drops the messages of a world.
func (b *unexpectedQueue) forget(world uint64) {
	for l := range b.byLabel {
		if l.World == world {
			delete(b.byLabel, l)
		}
	}
}
