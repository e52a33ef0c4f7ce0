package acp

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/arena"
	"github.com/goacp/goacp/internal/channel"
)

// channels are the ends of channels that a process has.
type channels struct {
	p     *Process
	table *channel.Table // set with the first channel and then never changed
	sent  *Request       // what every message has that went into its ring at once

	running  atomic.Bool // somebody answers calls
	stopping atomic.Bool
	runner   sync.WaitGroup
	calls    sync.WaitGroup // operations over tcp under way

	mu     sync.Mutex // taken after the locks of a channel
	all    []*Channel // by place in the table
	pairs  map[pairKey]*pair
	posted map[uint64]*Request // those with a name
	names  uint64              // given to requests
}

// pairKey names the channels in one direction between this process and another.
type pairKey struct {
	peer   int
	sender bool // this process sends
}

// pair matches the ends that this process makes with those that the other one makes.
type pair struct {
	made    uint64                  // ends made here
	waiting map[uint64]*Channel     // senders by number that have not heard of their ring
	early   map[uint64]announcement // rings by number whose senders are not there yet
}

// without returns m without the element that has the key: nil if it was the last, since
// maps do not give memory back.
func without[V any](m map[uint64]V, key uint64) map[uint64]V {
	if delete(m, key); len(m) == 0 {
		return nil
	}
	return m
}

func newChannels(p *Process) *channels {
	sent := new(Request)
	sent.done.Store(true)
	return &channels{
		p: p, sent: sent,
		pairs: make(map[pairKey]*pair), posted: make(map[uint64]*Request),
	}
}

// open makes the table. The caller holds the lock.
func (s *channels) open() error {
	if s.table != nil {
		return nil
	}
	t, err := channel.NewTable(s.p.procs)
	if err != nil {
		return err
	}
	// Like the table of mappings it outlives Finalize.
	runtime.AddCleanup(s.p, func(t *channel.Table) { _ = t.Release() }, t)
	t.Spin = uint64(s.p.budget.Spin())
	s.table = t
	s.p.direct.SetChannels(unsafe.Pointer(t))
	return nil
}

// pair returns the pair with a key. The caller holds the lock.
func (s *channels) pair(key pairKey) *pair {
	if s.pairs[key] == nil {
		s.pairs[key] = new(pair)
	}
	return s.pairs[key]
}

// add makes an end of a channel with peer and returns it with its number in the pair. The
// caller holds the lock.
func (s *channels) add(peer int, flags uint32) (*Channel, uint64, error) {
	name, e, err := s.table.New(flags)
	if err != nil {
		return nil, 0, err
	}
	e.Peer = uint32(peer)
	c := &Channel{p: s.p, name: name}
	for len(s.all) <= name.Index() {
		s.all = append(s.all, nil)
	}
	s.all[name.Index()] = c
	pair := s.pair(pairKey{peer, flags&channel.Sender != 0})
	pair.made++
	return c, pair.made, nil
}

func (s *channels) newSender(peer int) (*Channel, error) {
	c, a, connected, err := s.addSender(peer)
	switch {
	case err != nil:
		return nil, err
	case connected:
		c.connect(a)
	default:
		s.drain()
	}
	return c, nil
}

func (s *channels) addSender(peer int) (c *Channel, a announcement, connected bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err = s.open(); err != nil {
		return nil, a, false, err
	}
	flags := channel.Sender
	if !s.p.net.Shares(peer) {
		flags |= channel.Far // otherwise that is known when there is a ring
	}
	c, seq, err := s.add(peer, flags)
	if err != nil {
		return nil, a, false, err
	}
	pair := s.pair(pairKey{peer, true})
	if a, connected = pair.early[seq]; connected {
		pair.early = without(pair.early, seq)
		return c, a, true, nil
	}
	if pair.waiting == nil {
		pair.waiting = make(map[uint64]*Channel)
	}
	pair.waiting[seq] = c
	return c, a, false, nil
}

func (s *channels) newReceiver(peer int, size uint64) (*Channel, error) {
	size = min(max(size+15, channel.MinRing), channel.MaxRing) &^ 15
	own := s.p.arena(s.p.self)
	ga, err := own.Alloc(size)
	if err != nil {
		return nil, err
	}
	ring, err := arena.At[channel.Ring](own, ga)
	if err != nil {
		return nil, err
	}
	ring.Clear(channel.Data(size))
	a := announcement{From: uint64(s.p.self), Pos: GA(ga).pos(), Size: channel.Data(size)}
	flags := channel.Far
	if _, ok := s.p.doorbell(peer); ok {
		a.Near, flags = 1, 0
		if s.isSource(peer) {
			ring.Direct = 1
		}
	}
	c, seq, err := s.addReceiver(peer, ring, a.Size, flags)
	if err != nil {
		_ = own.Free(ga) // it was allocated just now
		return nil, err
	}
	a.Seq, a.Name = seq, uint64(c.name)
	s.announce(c, peer, a)
	return c, nil
}

func (s *channels) addReceiver(peer int, ring *channel.Ring, size uint64, flags uint32) (*Channel, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, 0, err
	}
	c, seq, err := s.add(peer, flags)
	if err != nil {
		return nil, 0, err
	}
	e := c.end()
	e.Attach(ring, size)
	e.Set(channel.Quick, true)
	return c, seq, nil
}

// announce tells peer of a ring: by a letter in its memory, or through its agent.
func (s *channels) announce(c *Channel, peer int, a announcement) {
	bell, ok := s.p.doorbell(peer)
	if ok {
		ok = s.post(peer, a) == nil
	}
	if !ok {
		c.announceFar(peer, a)
		return
	}
	bell.Wake()
}

// post puts a letter into the memory of peer.
func (s *channels) post(peer int, a announcement) error {
	to := s.p.arena(peer)
	if to == nil {
		return am.ErrElsewhere
	}
	bell, _ := s.p.doorbell(peer)
	ga, err := to.Alloc(uint64(unsafe.Sizeof(a)))
	if err != nil {
		return err
	}
	letter, err := arena.At[announcement](to, ga)
	if err != nil {
		return err
	}
	*letter = a
	bell.Post(GA(ga).pos(), func(next uint64) { letter.Next = next })
	return nil
}

// drain reads the letters to this process and reports whether there were any.
func (s *channels) drain() bool {
	bell := s.p.space.Doorbell()
	pos := bell.Collect()
	if pos == 0 {
		return false
	}
	own := s.p.arena(s.p.self)
	for pos != 0 {
		ga := uint64(makeGA(s.p.Rank(), pos))
		letter, err := arena.At[announcement](own, ga)
		if err != nil {
			break // no process of this library wrote that
		}
		a := *letter
		if own.Free(ga) != nil {
			break // nor this, which would lead round in a circle
		}
		_ = s.arrive(a) // the rank that wrote nonsense does not wait for an answer
		pos = a.Next
	}
	return true
}

// arrive connects the sender that an announcement is for, or keeps it for later. It
// fails with ErrProtocol.
func (s *channels) arrive(a announcement) error {
	if err := s.p.checkAnnouncement(a); err != nil {
		return err
	}
	c, err := s.meant(a)
	if c != nil {
		c.connect(a)
	}
	return err
}

// checkAnnouncement finds out what can be known about an announcement without its sender.
func (p *Process) checkAnnouncement(a announcement) error {
	if a.From >= uint64(p.procs) {
		return fmt.Errorf("%w: a channel of rank %d in a run of %d", ErrProtocol, a.From, p.procs)
	}
	switch {
	case int(a.From) == p.self,
		a.Near > 1, a.Near == 1 && !p.net.Shares(int(a.From)),
		a.Name == 0 || a.Name > math.MaxUint32,
		!channel.IsData(a.Size) || !p.inHeap(int(a.From), a.Pos, channel.HeadSize+a.Size):
		return fmt.Errorf("%w: a channel of rank %d with %d bytes at %#x", ErrProtocol, p.rankOf(int(a.From)), a.Size, a.Pos)
	}
	return nil
}

// inHeap reports whether the n bytes at a position of member, a multiple of 16, lie in its
// heap.
func (p *Process) inHeap(member int, pos, n uint64) bool {
	from, size := p.members.Heap(member)
	return pos%16 == 0 && pos >= from && pos-from <= size && n <= size-(pos-from)
}

// meant returns the sender that an announcement is for, or nil if it is kept for later. A
// process has no more than MaxEndpoints senders, so that it keeps no more announcements
// from one other.
func (s *channels) meant(a announcement) (*Channel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pair := s.pair(pairKey{int(a.From), true})
	if c := pair.waiting[a.Seq]; c != nil {
		pair.waiting = without(pair.waiting, a.Seq)
		return c, nil
	}
	if _, twice := pair.early[a.Seq]; twice || a.Seq <= pair.made || a.Seq-pair.made > channel.MaxEndpoints {
		return nil, fmt.Errorf("%w: channel %d of rank %d, of which %d are known", ErrProtocol, a.Seq, s.p.rankOf(int(a.From)), pair.made)
	}
	if pair.early == nil {
		pair.early = make(map[uint64]announcement)
	}
	pair.early[a.Seq] = a
	return nil, nil
}

// connect tells a sender where its ring is, and how the two ends reach each other. They
// do it by the ring alone if each has mapped the memory of the other: the receiver has
// said whether it has, and if the sender has not, the receiver learns it from the first
// records that its agent brings.
func (c *Channel) connect(a announcement) {
	if !c.lock() {
		return
	}
	defer c.unlock()
	e := c.end()
	var ring *channel.Ring
	if a.Near != 0 {
		ring = c.p.ringAt(int(e.Peer), a.Pos, a.Size)
	}
	if ring != nil {
		atomic.StoreUint32(&ring.SendSlot, uint32(c.name))
	}
	e.Set(channel.Far, ring == nil)
	e.Attach(ring, a.Size)
	e.PeerSlot = uint32(a.Name)
}

// ringAt returns the ring at a position of a member, nil if its memory is not mapped.
func (p *Process) ringAt(member int, pos, size uint64) *channel.Ring {
	s := p.arena(member)
	if _, ok := p.doorbell(member); s == nil || !ok {
		return nil
	}
	ga := uint64(makeGA(p.rankOf(member), pos))
	if _, err := s.Bytes(ga, channel.HeadSize+size); err != nil {
		return nil
	}
	ring, err := arena.At[channel.Ring](s, ga)
	if err != nil {
		return nil
	}
	return ring
}

// freeRing gives the memory of a ring in the heap of member back.
func (c *Channel) freeRing(member int, ring *channel.Ring) error {
	p := c.p
	addr := uintptr(unsafe.Pointer(ring))
	pos, ok := p.space.Position(addr, channel.HeadSize)
	if member != p.self {
		v, err := p.net.View(member)
		if err != nil {
			return err
		}
		pos, ok = v.Position(addr)
	}
	if !ok {
		return fmt.Errorf("%w: a ring at %#x", ErrBadAddress, addr)
	}
	ga := uint64(makeGA(p.rankOf(member), pos))
	if s := p.arena(member); s != nil {
		if err := s.Free(ga); member == p.self || !errors.Is(err, arena.ErrShort) {
			return err
		}
	}
	c.freeFar(member, ga)
	return nil
}

// freeFar lets the agent of member free a block, and does not wait for it.
func (c *Channel) freeFar(member int, ga uint64) {
	call := am.Call{Op: am.OpFree, GA: ga}
	t := &told{c: c, request: call.Append(nil), answer: make([]byte, call.ReplySize())}
	c.p.channels.calls.Add(1)
	c.p.net.Agents().Call(member, uint8(call.Op), t.request, t.answer, t)
}

// find returns the channel with a name, or nil.
func (s *channels) find(name channel.Name) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := name.Index(); i < len(s.all) && s.all[i] != nil && s.all[i].name == name {
		return s.all[i]
	}
	return nil
}

// forget gives up the place of a channel whose life is over.
func (s *channels) forget(c *Channel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[c.name.Index()] = nil
	s.table.Recycle(c.name)
}
