package group

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"

	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// World is the part of world.World that groups use.
type World interface {
	ID() uint64
	Procs() int
	Self() int
	Member(proc int) int
	Domain(proc int) int
}

// Groups are the groups of a world of which this process is a member. Several goroutines may call
// its methods at once, except collective methods.
type Groups struct {
	engine *message.Engine
	world  World
	all    *Group

	mu   sync.Mutex
	made uint32 // numbers that this process has given out
}

// New returns the groups of a world. At first there is one group, of all processes.
func New(engine *message.Engine, w World) *Groups {
	procs := make([]int, w.Procs())
	for i := range procs {
		procs[i] = i
	}
	s := &Groups{engine: engine, world: w}
	s.all = s.group(0, procs)
	return s
}

// Engine returns the engine that carries the messages of the groups.
func (s *Groups) Engine() *message.Engine { return s.engine }

// All returns the group of all processes.
func (s *Groups) All() *Group { return s.all }

// Create makes the group of some processes of parent: rank i of the group is rank ranks[i] of
// parent. It returns nil if this process is not one of them, also if parent is nil. All members pass
// the same list. Fails with ErrProc if the list has a rank twice or a rank that parent does not
// have, or if the lists differ, and if the run is over. Collective over the processes in the list.
// Blocks until all of them have called it.
func (s *Groups) Create(parent *Group, ranks []int) (*Group, error) {
	if parent == nil {
		return nil, nil
	}
	procs, err := parent.translate(ranks)
	if err != nil || !slices.Contains(procs, s.world.Self()) {
		return nil, err
	}
	number, err := s.agree(procs)
	if err != nil {
		return nil, err
	}
	g := s.group(number, procs)
	return g, g.Barrier()
}

// Split makes a group of the processes of parent with the same color, in order of their keys and,
// if these are equal, of their ranks. It returns nil if the color of this process is negative.
// Collective over parent. Blocks until all of its processes have called it. Fails as Create does.
func (s *Groups) Split(parent *Group, color, key int32) (*Group, error) {
	own := binary.LittleEndian.AppendUint32(nil, uint32(color))
	all, err := parent.Exchange(binary.LittleEndian.AppendUint32(own, uint32(key)))
	if err != nil || color < 0 {
		return nil, err
	}
	word := func(rank, i int) int32 { return int32(binary.LittleEndian.Uint32(all[8*rank+4*i:])) }
	var ranks []int
	for rank := range parent.Size() {
		if word(rank, 0) == color {
			ranks = append(ranks, rank)
		}
	}
	slices.SortStableFunc(ranks, func(a, b int) int { return int(int64(word(a, 1)) - int64(word(b, 1))) })
	return s.Create(parent, ranks)
}

// agree returns the number of a new group of some processes, which the lowest of them gives out.
//
// All numbers of new groups have the same label. Two processes that are members of several groups
// make them in the same order, and so a message between the two is for the group that both make.
func (s *Groups) agree(procs []int) (uint64, error) {
	lowest := slices.Min(procs)
	sum := checksum(procs)
	note := make([]byte, 16)
	if lowest == s.world.Self() {
		binary.LittleEndian.PutUint64(note, s.number())
		binary.LittleEndian.PutUint64(note[8:], sum)
	}
	t := s.team(message.Label{Use: message.Creation}, procs)
	if err := s.engine.Broadcast(t.Team, note, slices.Index(procs, lowest)); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint64(note[8:]) != sum {
		return 0, fmt.Errorf("%w: process %d makes a group of other processes than %v", world.ErrProc, lowest, procs)
	}
	return binary.LittleEndian.Uint64(note), nil
}

// number returns a number that no group of the world has.
func (s *Groups) number() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return uint64(s.world.Self())<<32 | uint64(s.made)
}

// checksum returns a number that is different for different lists.
func checksum(procs []int) uint64 {
	h := fnv.New64a()
	for _, p := range procs {
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(p)))
	}
	return h.Sum64()
}

// team returns the team of some processes, which include this process.
func (s *Groups) team(l message.Label, procs []int) *Team {
	l.World = s.world.ID()
	t := &message.Team{Label: l, Rank: slices.Index(procs, s.world.Self()), Near: true}
	for _, p := range procs {
		t.Near = t.Near && s.world.Domain(p) == s.world.Domain(s.world.Self())
		t.Members = append(t.Members, s.world.Member(p))
	}
	return &Team{t, procs}
}

// Label returns the label of a message of the program with a tag.
func (s *Groups) Label(tag int32) message.Label { return message.Label{World: s.world.ID(), Tag: tag} }

// Close drops the messages of the world that no receive has taken. All processes have stopped to
// use the world.
func (s *Groups) Close() { s.engine.ForgetWorld(s.world.ID()) }
