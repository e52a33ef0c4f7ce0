package startup

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/segment"
)

// Fabric is what grouping asks of the router.
type Fabric interface {
	// ShareMemory reports whether two members map each other's memory.
	ShareMemory(a, b int) (bool, error)
	// View maps the memory of a member that shares it with this process.
	View(member int) (*segment.View, error)
	// Space returns what this process publishes.
	Space() *segment.Space
}

// Groups has the members that share the words of a barrier, and what else members have to know
// of each other's memory. It numbers the members of the epoch from 0.
type Groups struct {
	// Epoch has the members by number. Self is the number of this process.
	Epoch *bridge.Epoch
	Self  int
	// Leaders has, by member, the leader of its group. A group is members that share memory.
	Leaders []int
	// Sharing says which members share processors with this one.
	Sharing Sharing
	// bases has, by member, the address of position 0 in the member's own process. It may be another one than in
	// the contact of the member: the network may have replaced the memory that the member publishes.
	bases []uint64
}

// Group forms the groups of the barrier from the epoch. If one member of a group cannot map the memory of its
// leader, each of them becomes a group of its own. Collective. Blocks until all members of the epoch have
// called it.
func Group(ctx context.Context, boot bridge.Bootstrap, roster *bridge.Roster, fabric Fabric) (Groups, error) {
	epoch := roster.Epoch()
	self, found := epoch.Find(boot.Member())
	if !found {
		return Groups{}, fmt.Errorf("rank %d does not belong to the epoch", boot.Member())
	}
	hostOf := func(i int) bridge.HostID { return roster.CohortOf(epoch.Member(i)).Host(epoch.Member(i)) }
	leaders, err := leadersOf(epoch.Len(), kindsOf(roster, epoch), hostOf,
		func(a, b int) (bool, error) { return fabric.ShareMemory(epoch.Member(a), epoch.Member(b)) })
	if err != nil {
		return Groups{}, err
	}
	own := ability{reaches: true, base: uint64(uintptr(fabric.Space().Base())), processors: wait.Processors()}
	if l := leaders[self]; l != self {
		_, err := fabric.View(epoch.Member(l))
		own.reaches = err == nil
	}
	blobs, err := boot.Exchange(ctx, own.encode())
	if err != nil {
		return Groups{}, err
	}
	all := abilities(blobs)
	if err := all.check(epoch); err != nil {
		return Groups{}, err
	}
	dissolve(leaders, all.reaches)
	bases := make([]uint64, len(all))
	for m := range bases {
		bases[m] = all.base(m)
	}
	return Groups{epoch, self, leaders, sharingOf(self, hostOf, leaders, all), bases}, nil
}

// kindsOf returns a function that numbers the kinds of members. Members that have come together may be of one kind.
func kindsOf(roster *bridge.Roster, epoch *bridge.Epoch) func(i int) int {
	type kind struct {
		of     *bridge.Members
		number int
	}
	numbers := make(map[kind]int)
	return func(i int) int {
		of := roster.CohortOf(epoch.Member(i))
		k := kind{of, of.Kind(epoch.Member(i))}
		n, known := numbers[k]
		if !known {
			n = len(numbers)
			numbers[k] = n
		}
		return n
	}
}

// SetBases records the addresses of the memory of all members in a roster.
func (g *Groups) SetBases(roster *bridge.Roster) {
	for i, base := range g.bases {
		m := g.Epoch.Member(i)
		roster.CohortOf(m).SetBase(m, base)
	}
}

// ability is what a member can do in a group, and where its memory is.
type ability struct {
	reaches    bool   // it maps the memory of its leader
	base       uint64 // address of position 0 in its process
	processors []byte // those on which it may run, one bit each
}

func (a *ability) encode() []byte {
	reaches := byte(0)
	if a.reaches {
		reaches = 1
	}
	return append(binary.LittleEndian.AppendUint64([]byte{reaches}, a.base), a.processors...)
}

// abilities are the encoded abilities of all members. They stay as they have come: a host may have many.
type abilities [][]byte

// check fails if one of them is malformed.
func (a abilities) check(epoch *bridge.Epoch) error {
	for i, b := range a {
		if len(b) < 1+8 || b[0] > 1 {
			return otherVersion(epoch.Member(i), errors.New("malformed message about the barrier"))
		}
	}
	return nil
}

func (a abilities) reaches(member int) bool      { return a[member][0] == 1 }
func (a abilities) base(member int) uint64       { return binary.LittleEndian.Uint64(a[member][1:]) }
func (a abilities) processors(member int) []byte { return a[member][1+8:] }

// leadersOf returns for every one of size members the lowest one with which it shares memory.
// It asks share about members of one host only, and once for each kind of members.
func leadersOf(size int, kindOf func(member int) int, hostOf func(member int) bridge.HostID, share func(a, b int) (bool, error)) ([]int, error) {
	leaders := make([]int, size)
	first := make(map[bridge.HostID]int) // member of each host
	leaderOf := make(map[int]int)        // by kind: the first member of the host, or noLeader
	for m := range leaders {
		leaders[m] = m
		l, known := leaderOf[kindOf(m)]
		if !known {
			if l, known = first[hostOf(m)]; !known {
				first[hostOf(m)] = m
				continue
			}
			shared, err := share(l, m)
			if err != nil {
				return nil, err
			}
			if !shared {
				l = noLeader
			}
			leaderOf[kindOf(m)] = l
		}
		if l != noLeader {
			leaders[m] = l
		}
	}
	return leaders, nil
}

// noLeader is the leader of members that do not share memory with the first member of their host.
const noLeader = -1

// dissolve makes each member of a group its own leader if one of them does not reach the
// leader's memory.
func dissolve(leaders []int, reaches func(member int) bool) {
	broken := make(map[int]bool)
	for m, l := range leaders {
		if !reaches(m) {
			broken[l] = true
		}
	}
	for m, l := range leaders {
		if broken[l] {
			leaders[m] = m
		}
	}
}
