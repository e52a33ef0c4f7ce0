package node

// Reads is ranges of global memory that a program reads again and again. Its methods may be called by several goroutines at once.
type Reads struct {
	node   *Node
	groups []*gatherGroup
	long   []longRange // of more bytes than a message has
	size   int64       // of the buffer, at least
}

// longRange is a range that is read on its own.
type longRange struct {
	part
	to int64
}

// NewReads returns no ranges. Does not block.
func (n *Node) NewReads() *Reads { return &Reads{node: n} }

// Add adds size bytes at addr, which go to the buffer from a place on. It is not called during a Read. Blocks for a round trip the first time
// that the process uses a space. Fails with ErrNoSpace and ErrRange.
func (r *Reads) Add(addr, size, to int64) error {
	s, offset, err := r.node.check(addr, size)
	if err != nil {
		return err
	}
	r.size = max(r.size, to+size)
	for size > 0 {
		e, at := s.entry(offset/s.pageSize), offset%s.pageSize
		n := min(size, s.pageSize-at)
		if n < smallMax {
			r.groups = addSpan(r.groups, e, span{at, n, to})
		} else {
			r.long = append(r.long, longRange{part{entry: e, at: at, from: n}, to})
		}
		offset, size, to = offset+n, size-n, to+n
	}
	return nil
}

// Read reads all ranges to b. Each is an access of its own to each page, in no order. It sends one message to each process of another host that
// owns pages of the ranges, or a few if they have many bytes. Blocks for a round trip or two. Fails as Node.Read does with the mode Get.
func (r *Reads) Read(b []byte) error {
	if int64(len(b)) < r.size {
		return ErrSize
	}
	if err := r.node.users.Enter(); err != nil {
		return err
	}
	defer r.node.users.Leave()
	to := &places{buffer: b}
	var far []*gatherGroup
	for _, g := range r.groups {
		if g.entry.space.ended.Load() {
			return spaceError(g.entry.space.base)
		}
		ok, err := r.node.readGroup(g, to)
		if err != nil {
			return err
		}
		if !ok {
			far = append(far, g)
		}
	}
	for _, x := range r.long {
		if x.space.ended.Load() {
			return spaceError(x.space.base)
		}
		p := x.part
		p.b = b[x.to : x.to+x.from]
		if err := r.node.read(p, Get); err != nil {
			return err
		}
	}
	return r.node.gather(far, to)
}

// readGroup reads ranges of a page that lie on this host, if they may be read now, and reports whether it has.
func (n *Node) readGroup(g *gatherGroup, to *places) (bool, error) {
	e := g.entry
	if b := e.near.Load(); b != nil {
		v, err := b.readSpans(n.over, g.spans, to)
		if err != nil || v == used {
			return err == nil, err
		}
		if v == stale {
			e.near.CompareAndSwap(b, nil)
		}
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if !e.copy.Valid() {
		return false, nil
	}
	for _, x := range g.spans {
		copy(to.of(x), e.block.bytes[x.at:])
	}
	if !e.used.Load() {
		e.used.Store(true)
	}
	return true, nil
}

// readSpans copies ranges of the page, if it may.
func (b *near) readSpans(over func() error, spans []span, to *places) (verdict, error) {
	if err := b.record.lock.RLock(over); err != nil {
		return refused, err
	}
	defer b.record.lock.RUnlock()
	v := b.judge(flagShut)
	if v == used {
		for _, x := range spans {
			copy(to.of(x), b.bytes[x.at:])
		}
	}
	return v, nil
}
