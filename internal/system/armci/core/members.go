package core

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// This file determines the members of the run that may form a world.

// Members returns the members of this process's job, in order.
func (s *System) Members() []int {
	m := s.process.Members
	first, end := m.WorldRange(m.World(s.process.Ranks.Self()))
	members := make([]int, 0, end-first)
	for i := first; i < end; i++ {
		members = append(members, i)
	}
	return members
}

// Run returns all members of the run, in order of their ranks.
func (s *System) Run() []int {
	members := make([]int, s.process.Ranks.Size())
	for rank := range members {
		members[rank] = s.process.Ranks.Member(rank)
	}
	return members
}

// Contact returns an identifier of this process that is unique among all runs. MembersOf finds the
// process by it.
func (s *System) Contact() []byte { return s.contact(s.process.Ranks.Self()) }

func (s *System) contact(member int) []byte {
	c := s.process.Members.At(member)
	return c.Append(nil)
}

// MembersOf returns the members that have these contacts, in this order. Fails with world.ErrState if
// a process is not in the run of this process.
func (s *System) MembersOf(contacts [][]byte) ([]int, error) {
	members := make([]int, len(contacts))
	for i, blob := range contacts {
		if len(blob) == 0 {
			return nil, fmt.Errorf("%w: process %d is in no run of ACP", world.ErrState, i)
		}
		c, err := bridge.DecodeContact(blob)
		if err != nil {
			return nil, fmt.Errorf("%w: process %d: %w", world.ErrState, i, err)
		}
		if members[i] = int(c.Member); members[i] >= s.process.Members.Len() || !bytes.Equal(s.contact(members[i]), blob) {
			return nil, fmt.Errorf("%w: process %d is in another run of ACP", world.ErrState, i)
		}
	}
	return members, nil
}

// present returns an error if a member does not have ARMCI.
func (s *System) present(members []int) error {
	i := slices.IndexFunc(members, func(m int) bool { return !s.process.Present(m) })
	if i < 0 {
		return nil
	}
	return fmt.Errorf("%w: the program of rank %d does not have ARMCI", world.ErrProc, s.process.Ranks.Rank(members[i]))
}
