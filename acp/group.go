package acp

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"

	"github.com/goacp/goacp/internal/structure/message"
)

// SyncRanks waits until all ranks of a list have called it. They pass the same ranks, in any order, and this
// rank is one of them. Calls with different lists are independent of each other, also if the lists have ranks
// in common. It does not complete GMAs.
//
// Fails with ErrBadRank for a rank that the run does not have or that is there twice, with
// ErrNotEndpoint if this rank is not in the list, with ErrRankGone if one of them has left the run or is lost, with ErrHeapFull if the heap of this rank has no
// room at the first call, and with ErrPeerDead when the run is over.
// Any rank of the list. Blocks until all of them have called it. One goroutine at a time may call it
// and Broadcast with the same ranks.
func (p *Process) SyncRanks(ranks []Rank) error {
	const verb = "sync of ranks"
	team, err := p.team(ranks)
	if err != nil {
		return p.lifeError(verb, err)
	}
	_, err = inGroup(p, team, calling{verb: verb}, func(p *Process) (struct{}, error) {
		return struct{}{}, p.lifeError(verb, p.messages().Barrier(team))
	})
	return err
}

// Broadcast gives all ranks of a list the bytes that root, one of them, has in b. They pass slices of
// the same length and the same ranks, as to SyncRanks, in the same order of calls.
//
// Fails as SyncRanks does, and with ErrBadRank if root is not in the list. A rank that does not depend on one that is lost meanwhile
// may succeed. If the memory of a rank cannot be written, it fails with ErrUnreadable on this rank and on those that get the bytes from it, with an
// error that names the rank. With slices of different lengths it fails on some ranks with ErrDisagree, and other ranks may wait until the run is over. Any rank of the
// list. Blocks until root and possibly other ranks have called it, but not always for all ranks.
func (p *Process) Broadcast(b []byte, root Rank, ranks []Rank) error {
	const verb = "broadcast"
	team, err := p.team(ranks)
	at := -1
	if err == nil {
		if at = slices.Index(ranks, root); at < 0 {
			err = fmt.Errorf("%w: root %d is not in the list", ErrBadRank, root)
		}
	}
	if err != nil {
		return p.lifeError(verb, err)
	}
	at, _ = slices.BinarySearch(team.Members, p.member(root))
	broadcast := func(p *Process, b []byte) error {
		err := p.messages().Broadcast(team, b, at)
		switch {
		case errors.Is(err, message.ErrTooLong), errors.Is(err, message.ErrUnequal):
			err = fmt.Errorf("%w: %w", ErrDisagree, err)
		case errors.Is(err, message.ErrNotCopied), errors.Is(err, syscall.EFAULT):
			err = fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		return p.lifeError(verb, err)
	}
	if p.ctx.Done() == nil && !p.groups.waiting(team.Label) {
		return broadcast(p, b)
	}
	// The call may continue after its caller returned early. Then it must not use the caller's slice.
	c := calling{verb: verb, arg: uint64(at)<<32 ^ uint64(len(b))}
	got, err := inGroup(p, team, c, func(p *Process) ([]byte, error) {
		own := bytes.Clone(b)
		return own, broadcast(p, own)
	})
	if err == nil {
		copy(b, got)
	}
	return err
}

// messages returns the messages between ranks.
func (p *Process) messages() *message.Engine { return message.Of(p) }

// team returns the ranks of a list as a team, whose members are in order and whose label stands for
// them.
func (p *Process) team(ranks []Rank) (*message.Team, error) {
	members := make([]int, len(ranks))
	var gone *message.GoneError // the others may wait for this rank
	for i, r := range ranks {
		err := p.mem.CheckRank(int(r))
		if err != nil && !errors.Is(err, ErrRankGone) {
			return nil, fmt.Errorf("rank %d: %w", r, err)
		}
		members[i] = p.member(r)
		if err != nil {
			gone = &message.GoneError{Member: members[i], Rank: int(r)}
		}
	}
	if err := p.alive(); err != nil {
		return nil, err
	}
	slices.Sort(members)
	own, found := slices.BinarySearch(members, p.ranks.Self())
	if !found {
		return nil, fmt.Errorf("%w: the list does not have rank %d", ErrNotEndpoint, p.Rank())
	}
	list := make([]byte, 0, 4*len(members))
	for i, m := range members {
		if i > 0 && members[i-1] == m {
			return nil, fmt.Errorf("%w: rank %d is in the list twice", ErrBadRank, p.ranks.Rank(m))
		}
		list = binary.LittleEndian.AppendUint32(list, uint32(m))
	}
	sum := sha256.Sum256(list)
	le := binary.LittleEndian
	return &message.Team{
		Label:   message.Label{World: le.Uint64(sum[:]), Group: le.Uint64(sum[8:]), Use: message.Ranks},
		Members: members, Rank: own, Gone: gone,
	}, nil
}

// groups holds, for each list of ranks, the collective functions that returned early.
type groups struct {
	mu      sync.Mutex
	byLabel map[message.Label]*succession
}

// waiting reports whether a function of a list returned early and is unfinished.
func (g *groups) waiting(l message.Label) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.byLabel[l] != nil
}

// enter returns the succession of a list.
func (g *groups) enter(l message.Label) *succession {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.byLabel[l]; s != nil {
		return s
	}
	return new(succession)
}

// leave keeps the succession of a list if one of its functions returned early.
func (g *groups) leave(l message.Label, s *succession) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.begun == nil {
		delete(g.byLabel, l)
		return
	}
	if g.byLabel == nil {
		g.byLabel = make(map[message.Label]*succession)
	}
	g.byLabel[l] = s
}

// settle waits until all functions that returned early have ended.
func (g *groups) settle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.byLabel {
		<-s.begun.end
	}
	clear(g.byLabel)
}

// inGroup is together for the ranks of a team.
func inGroup[T any](p *Process, team *message.Team, c calling, op func(p *Process) (T, error)) (T, error) {
	s := p.groups.enter(team.Label)
	defer p.groups.leave(team.Label, s)
	return inSuccession(p, s, c, op)
}
