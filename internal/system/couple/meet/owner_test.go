package meet

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// set is guests that have attached together, and what a serial model says of their only attempt to open the link.
type set struct {
	cohort  int
	members []int
	absent  []int // members that have not come
	doomed  bool  // the ranks that have not got an answer get ErrModel
	linked  bool
	gone    bool
}

// name is the model for which sets of guests come to the host of a link. The sender comes again whenever it has got an answer.
type name struct {
	t      *testing.T
	host   *Host
	sets   []*set
	owner  *set // the latest of those that have come and are not gone
	states map[int]string
}

// arrive lets a member come, and records the answers by member.
func (n *name) arrive(member, cohort int, sd side.Side, index int, members []int) {
	in := Introduction{Element: element.Type{Kind: datatype.Float64, Values: 1}, Every: 1, Members: EncodeMembers(members)}
	a := Arrival{Link: "ocean.sst>viewer.picture", Side: sd, Index: index, Size: len(members), Body: in.Encode()}
	n.states[member] = "waits"
	n.record(n.host.Arrive(&a, Caller{member, member, cohort}, member))
}

func (n *name) record(answers []Answer) {
	for _, a := range answers {
		member := a.To.(int)
		g, err := DecodeAgreement(a.Body)
		if err == nil {
			err = g.Err()
		}
		switch {
		case n.states[member] != "waits":
			n.t.Errorf("member %d gets an answer, and its state is %q", member, n.states[member])
		case err == nil:
			n.states[member] = "linked"
		case errors.Is(err, ErrModel) && strings.Contains(err.Error(), "has attached later, has model viewer"):
			n.states[member] = "refused"
		default:
			n.t.Errorf("member %d: %v", member, err)
		}
	}
	if n.states[0] == "linked" {
		n.arrive(0, residents, side.Sending, 0, []int{0})
	}
}

// come lets the next member of a set come.
func (n *name) come(s *set) {
	member := s.absent[0]
	s.absent = s.absent[1:]
	switch {
	case s.doomed:
	case n.owner != nil && n.owner.cohort > s.cohort:
		s.doomed = true
	default:
		if n.owner != nil && n.owner != s && !n.owner.linked {
			n.owner.doomed = true
		}
		n.owner = s
		s.linked = len(s.absent) == 0
	}
	n.arrive(member, s.cohort, side.Receiving, member-s.members[0], s.members)
}

// leave ends all members of a set.
func (n *name) leave(s *set) {
	s.gone = true
	if n.owner == s {
		n.owner = nil
	}
	for _, member := range s.members {
		n.record(n.host.Gone(Caller{member, member, s.cohort}))
	}
}

// check compares the states of the members with the model.
func (n *name) check() {
	for _, s := range n.sets {
		want := "waits"
		switch {
		case s.gone:
			continue
		case s.linked:
			want = "linked"
		case s.doomed:
			want = "refused"
		}
		for _, member := range s.members {
			if !slices.Contains(s.absent, member) && n.states[member] != want {
				n.t.Errorf("member %d of cohort %d: %q, expected %q", member, s.cohort, n.states[member], want)
			}
		}
	}
	if n.states[0] != "waits" {
		n.t.Errorf("the sender: %q", n.states[0])
	}
}

// TestOneName lets several sets of guests come with one model name in random orders, and go. All ranks of a set must find out the same,
// and the sender must not notice that there are others.
func TestOneName(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		n := &name{t: t, host: NewHost(7, 100), states: make(map[int]string)}
		next := 1
		for i := range 1 + r.IntN(4) {
			s := &set{cohort: 1 + i}
			for range 1 + r.IntN(3) {
				s.members = append(s.members, next)
				next++
			}
			s.absent = slices.Clone(s.members)
			r.Shuffle(len(s.absent), func(i, j int) { s.absent[i], s.absent[j] = s.absent[j], s.absent[i] })
			n.sets = append(n.sets, s)
		}
		n.arrive(0, residents, side.Sending, 0, []int{0})
		for range 3 * next {
			s := n.sets[r.IntN(len(n.sets))]
			switch {
			case s.gone:
			case len(s.absent) > 0 && r.IntN(8) > 0:
				n.come(s)
			case r.IntN(8) == 0:
				n.leave(s)
			}
			if n.check(); t.Failed() {
				t.FailNow()
			}
		}
	}
}
