package acp

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/channel"
	"github.com/goacp/goacp/internal/site"
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
	t, err := channel.NewTable()
	if err != nil {
		return err
	}
	// Like the table of mappings it outlives Finalize.
	runtime.AddCleanup(s.p, func(t *channel.Table) { _ = t.Release() }, t)
	t.Spin = uint64(s.p.engine.spin)
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
	if s.p.site(peer) == nil {
		flags |= channel.Far
	}
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
	c, seq, err := s.add(peer, channel.Sender)
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
	own := s.p.site(s.p.self)
	ga, err := own.Alloc(size)
	if err != nil {
		return nil, err
	}
	ring, err := site.At[channel.Ring](own, ga)
	if err != nil {
		return nil, err
	}
	ring.Clear(size - channel.HeadSize)
	ring.Source = s.p.source(peer)
	c, seq, err := s.addReceiver(peer, ring, size-channel.HeadSize)
	if err != nil {
		_ = own.Free(ga) // it was allocated just now
		return nil, err
	}
	s.announce(c, peer, announcement{
		From: uint64(s.p.self), Seq: seq, Name: uint64(c.name),
		Pos: GA(ga).pos(), Size: size - channel.HeadSize,
	})
	return c, nil
}

func (s *channels) addReceiver(peer int, ring *channel.Ring, size uint64) (*Channel, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, 0, err
	}
	c, seq, err := s.add(peer, 0)
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
	to := s.p.site(peer)
	if to == nil {
		return site.ErrElsewhere
	}
	bell, _ := s.p.doorbell(peer)
	ga, err := to.Alloc(uint64(unsafe.Sizeof(a)))
	if err != nil {
		return err
	}
	letter, err := site.At[announcement](to, ga)
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
	own := s.p.site(s.p.self)
	for pos != 0 {
		ga := uint64(makeGA(s.p.Rank(), pos))
		letter, err := site.At[announcement](own, ga)
		if err != nil {
			break // no process of this library wrote that
		}
		a := *letter
		_ = own.Free(ga)
		s.arrive(a)
		pos = a.Next
	}
	return true
}

// arrive connects the sender that an announcement is for, or keeps it for later.
func (s *channels) arrive(a announcement) {
	if a.From >= uint64(s.p.procs) {
		return
	}
	if c := s.meant(a); c != nil {
		c.connect(a)
	}
}

func (s *channels) meant(a announcement) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	pair := s.pair(pairKey{int(a.From), true})
	if c := pair.waiting[a.Seq]; c != nil {
		pair.waiting = without(pair.waiting, a.Seq)
		return c
	}
	if pair.early == nil {
		pair.early = make(map[uint64]announcement)
	}
	pair.early[a.Seq] = a
	return nil
}

// connect tells a sender where its ring is.
func (c *Channel) connect(a announcement) {
	if !c.lock() {
		return
	}
	defer c.unlock()
	e := c.end()
	var ring *channel.Ring
	if peer := int(e.Peer); !e.Has(channel.Far) {
		var err error
		if ring, err = c.p.ringAt(peer, a.Pos, a.Size); err != nil {
			c.need().err = err
			return
		}
		atomic.StoreUint32(&ring.SendSlot, uint32(c.name))
	}
	e.Attach(ring, a.Size)
	e.PeerSlot = uint32(a.Name)
}

// ringAt returns the ring at a position of a member that shares memory.
func (p *Process) ringAt(member int, pos, size uint64) (*channel.Ring, error) {
	s := p.site(member)
	ga := uint64(makeGA(p.rankOf(member), pos))
	if _, err := s.Bytes(ga, channel.HeadSize+size); err != nil {
		return nil, err
	}
	return site.At[channel.Ring](s, ga)
}

// freeRing gives the memory of a ring in the heap of member back.
func (p *Process) freeRing(member int, ring *channel.Ring) error {
	base := p.space.Base()
	if member != p.self {
		v, err := p.shm.View(member)
		if err != nil {
			return err
		}
		base = v.Base()
	}
	pos := uint64(uintptr(unsafe.Pointer(ring)) - uintptr(base))
	return p.site(member).Free(uint64(makeGA(p.rankOf(member), pos)))
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
