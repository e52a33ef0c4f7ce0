package bridge

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// meeting is a network on which members gather, and a record of all bytes that a listener on it receives.
type meeting struct {
	mu       sync.Mutex
	arrived  *sync.Cond
	size     int
	pieces   [][][]byte // by round and member
	received []byte
	change   func(round int, all []byte) // the change that an attacker makes to the bytes; nil = none
}

func newMeeting(size int) *meeting {
	m := &meeting{size: size}
	m.arrived = sync.NewCond(&m.mu)
	return m
}

// gatherer is the view of one member.
func (m *meeting) gatherer(member int) gatherer {
	round := -1
	return func(send []byte, counts []int) ([]byte, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(send) != counts[member] {
			return nil, fmt.Errorf("member %d sends %d bytes, announced %d", member, len(send), counts[member])
		}
		round++
		if len(m.pieces) == round {
			m.pieces = append(m.pieces, make([][]byte, m.size))
		}
		m.pieces[round][member] = append([]byte{}, send...)
		m.received = append(m.received, send...)
		m.arrived.Broadcast()
		for {
			all, complete := []byte{}, true
			for _, p := range m.pieces[round] {
				complete = complete && p != nil
				all = append(all, p...)
			}
			if complete {
				if m.change != nil {
					m.change(round, all)
				}
				return all, nil
			}
			m.arrived.Wait()
		}
	}
}

// agree has all members agree on a token.
func (m *meeting) agree() ([]Token, []error) {
	tokens, errs := make([]Token, m.size), make([]error, m.size)
	var all sync.WaitGroup
	for member := range m.size {
		all.Go(func() { tokens[member], errs[member] = agreeOnToken(member, m.size, m.gatherer(member)) })
	}
	all.Wait()
	return tokens, errs
}

func TestMembersAgreeOnToken(t *testing.T) {
	var before Token
	for _, size := range []int{1, 2, 3, 4, 7} {
		m := newMeeting(size)
		tokens, errs := m.agree()
		for i := range tokens {
			if errs[i] != nil || tokens[i] != tokens[0] {
				t.Errorf("%d members: member %d has another token than member 0, or none: %v", size, i, errs[i])
			}
		}
		if tokens[0] == before || tokens[0] == (Token{}) {
			t.Errorf("%d members: the token is not a new one", size)
		}
		before = tokens[0]
		for at := range len(before) - 8 {
			if bytes.Contains(m.received, before[at:at+8]) {
				t.Fatalf("%d members: a listener hears the token", size)
			}
		}
	}
}

// TestChangedTokenIsRefused changes bytes on their way: no member may accept a token that member 0 has not
// made.
func TestChangedTokenIsRefused(t *testing.T) {
	m := newMeeting(3)
	m.change = func(round int, all []byte) {
		if round == 1 {
			all[sealedSize+3] ^= 1
		}
	}
	_, errs := m.agree()
	if errs[0] != nil || errs[1] != nil || errs[2] == nil || !strings.Contains(errs[2].Error(), "rank 2 cannot be opened") {
		t.Errorf("errors %v; expected one of member 2 alone", errs)
	}
	m = newMeeting(2)
	m.change = func(round int, all []byte) { clear(all) }
	for member, err := range second(m.agree()) {
		if err == nil || !strings.Contains(err.Error(), "key of rank") {
			t.Errorf("member %d accepts a key that is none: %v", member, err)
		}
	}
}

func second(_ []Token, errs []error) []error { return errs }
