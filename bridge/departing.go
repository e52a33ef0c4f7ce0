package bridge

import (
	"math"
	"slices"
	"time"
)

// This file delays the members that leave their epoch. They close their connections and give their memory back when Adopt has returned.
// Until a process has received that they have left, it takes a closed connection for the death of a rank of the run, and
// its copies from memory that it has mapped get zeros. So Adopt returns when all processes have received that.

// awareLimit is how long members that leave wait for processes that do not answer, such as stopped ones.
const awareLimit = 2 * time.Second

// departing is the members that leave their epoch together.
type departing struct {
	epoch   int   // that begins without them
	members []int // that wait
	unaware []int // members that have not confirmed the beginning of the epoch, ascending
}

// beginDeparting records that members leave the epoch that ends. All other members of all cohorts have to confirm the next one.
func (m *membership) beginDeparting(leaving []int) *departing {
	d := &departing{epoch: m.epoch, members: leaving}
	for _, cohorts := range [...][]*cohort{m.cohorts, m.lone} {
		for _, c := range cohorts {
			for _, member := range c.members {
				// A process whose cohort has been aborted reads no frames any more.
				if !c.departed && c.aborted == "" && m.records.at(member).state == memberPresent {
					d.unaware = append(d.unaware, member)
				}
			}
		}
	}
	slices.Sort(d.unaware)
	m.departing = append(m.departing, d)
	return d
}

// confirm records that a member has received the beginning of an epoch, and so of all before it.
func (m *membership) confirm(member, epoch int) {
	for _, d := range m.departing {
		if i, found := slices.BinarySearch(d.unaware, member); found && d.epoch <= epoch {
			d.unaware = slices.Delete(d.unaware, i, i+1)
		}
	}
}

// takeDeparted returns the departing members for which no confirmation is missing any more, and forgets them.
func (m *membership) takeDeparted() (departed []*departing) {
	m.departing = slices.DeleteFunc(m.departing, func(d *departing) bool {
		if len(d.unaware) > 0 {
			return false
		}
		departed = append(departed, d)
		return true
	})
	return departed
}

// leave lets members leave their epoch when all others know it. The caller holds mu.
func (s *Server) leave(leaving []int) {
	d := s.members.beginDeparting(leaving)
	s.releaseDeparted()
	if len(d.unaware) == 0 {
		return
	}
	time.AfterFunc(awareLimit, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		d.unaware = nil
		s.releaseDeparted()
	})
}

// confirmed records that a member has received the beginning of an epoch.
func (s *Server) confirmed(member int, payload []byte) error {
	var epoch int
	if err := decodeNumbers("confirmation of an epoch", payload, &epoch); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members.confirm(member, epoch)
	s.releaseDeparted()
	return nil
}

// confirmsNothing records that a member has ended. The caller holds mu.
func (s *Server) confirmsNothing(member int) {
	s.members.confirm(member, math.MaxInt)
	s.releaseDeparted()
}

// releaseDeparted lets Adopt return in the members that have left, if all others know it. The caller holds mu.
func (s *Server) releaseDeparted() {
	for _, d := range s.members.takeDeparted() {
		for _, member := range d.members {
			if record := s.members.records.at(member); record.state == memberPresent {
				record.link.send(numberFrame(frameAdopted, uint32(d.epoch), 1))
			}
		}
	}
}
