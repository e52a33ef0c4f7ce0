package node

import (
	"container/list"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/system/dmi/address"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// unknown is the owner of a page of which a process knows nothing.
const unknown = -1

// entry is what one process knows of one page.
type entry struct {
	space *space
	page  int64
	near  atomic.Pointer[near] // the bytes of an owner on this host, also in this process; may be stale
	used  atomic.Bool          // since replacement has looked at the copy

	mu         sync.RWMutex  // readers read the copy
	owner      int           // the newest that this process knows of
	generation uint64        // counts owners: that of owner
	own        *owned        // if this process is the owner
	taking     chan struct{} // closed when the Take under way has ended; nil: none is
	early      []*pending    // requests of others that have come during the Take

	copy     page.Copy
	block    block         // bytes of the copy
	told     []copyMessage // messages that have overtaken the bytes of the Fetch under way
	fetching chan struct{} // closed when the Fetch under way has ended

	watchers []*watcher
	saved    bool          // replacement leaves the page in this process
	pooled   *list.Element // in a list of the pool, whose lock guards it; nil: the process has no bytes
}

func newEntry(s *space, number int64) *entry { return &entry{space: s, page: number, owner: unknown} }

// size returns the number of bytes of the page.
func (e *entry) size() int64 { return e.space.pageBytes(e.page) }

// home returns the process that knows the owner.
func (n *Node) home(e *entry) int { return n.shards.holder(e.shard()) }

// shard returns the shard of the home.
func (e *entry) shard() int { return address.Home(e.space.base, e.page) }

// target returns the process to which requests go.
func (n *Node) target(e *entry) int {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.owner == unknown {
		return n.home(e)
	}
	return e.owner
}

// asking returns the reason of a wait for the answer of a process to a request for the page.
func (e *entry) asking(process int) activity.Reason {
	e.mu.RLock()
	defer e.mu.RUnlock()
	switch {
	case e.own != nil:
		return e.reason(activity.Copies, -1)
	case e.owner == process:
		return e.reason(activity.Access, process)
	}
	return e.reason(activity.Home, process)
}

// reason returns the reason of a wait for the page. member is the one for which the goroutine waits, or -1.
func (e *entry) reason(kind activity.Kind, member int) activity.Reason {
	return activity.On(kind, member).At(e.space.base, e.page)
}

// pause waits until another goroutine has ended what it does with the page.
func (n *Node) pause(e *entry, kind activity.Kind, ended <-chan struct{}) {
	defer n.p.Budget.Unpark(n.p.Budget.Park(e.reason(kind, -1)))
	<-ended
}

// untouched reports, at the home, whether no process has changed the page.
func (e *entry) untouched() bool { return e.owner == unknown && e.generation == 0 }

// lose forgets the owner if it is a process that has left, and reports whether it was.
func (e *entry) lose(process int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.owner != process {
		return false
	}
	e.owner = unknown
	return true
}

// learn notes the owner with a generation, unless a newer one is known.
func (e *entry) learn(owner int, generation uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.note(owner, generation)
}

// note is learn for a caller that holds the lock.
func (e *entry) note(owner int, generation uint64) {
	if e.owner == unknown || generation > e.generation {
		e.owner, e.generation = owner, generation
	}
}

// block is a block of this process's heap.
type block struct {
	at    uint64
	bytes []byte
}

// poolOption is the option of dmimw that sets the size of memory pools, with its variable.
const poolOption = "-pool (" + envvar.DMIPool + ")"

// explain adds to the error of a full heap what a user can do about it. It returns other errors as they are.
func (n *Node) explain(err error) error { return n.mem.ExplainBy(err, poolOption) }

// alloc returns a new block of size bytes.
func (n *Node) alloc(size int64, zero bool) (block, error) {
	heap := n.mem.Own()
	get := heap.Alloc
	if zero {
		get = heap.AllocZero
	}
	at, err := get(uint64(size))
	if err != nil {
		return block{}, n.explain(err)
	}
	n.p.Page.Use(size)
	b, err := heap.Bytes(at, uint64(size))
	return block{at, b}, err
}

// free frees a block, and sets it to none.
func (n *Node) free(b *block) {
	if b.at != 0 {
		n.p.Page.Use(-int64(len(b.bytes)))
		_ = n.mem.Own().Free(b.at) // it is a block of the heap
		*b = block{}
	}
}
