package node

import (
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/system/dmi/address"
	"github.com/goacp/goacp/internal/system/dmi/gate"
)

// The operations.
const (
	opPage   = iota // a request for a page
	opEnd           // the end of a loan for a change
	opCopy          // of an owner about a copy
	opOwner         // the owner of a page, to its home
	opSpace         // about a space
	opShard         // about shards
	opGather        // reads of several pages
)

// noticeEnd is the notice that ends a loan of bytes that were read.
const noticeEnd = 0

var nodes = extension.Register(extension.Extension[*Node]{
	Name:     "dmi",
	First:    am.OpDMI,
	Optional: true,
	Open:     func(p *extension.Process) (*Node, error) { return newNode(p), nil },
	Operations: []extension.Operation[*Node]{
		opPage:  {Name: "access to a page", Serve: (*Node).servePage},
		opEnd:   {Name: "end of an access to a page", Serve: (*Node).serveEnd},
		opCopy:  {Name: "change of a copy", Serve: (*Node).serveCopy},
		opOwner: {Name: "owner of a page", Serve: (*Node).serveOwner},
		opSpace: {Name: "space of pages", Serve: (*Node).serveSpace},
		opShard: {Name: "shard of addresses", Serve: (*Node).serveShard},

		opGather: {Name: "reads of pages", Serve: (*Node).serveGather},
	},
	Notices: []extension.Notice[*Node]{
		noticeEnd: {Name: "end of a read of a page", Take: (*Node).takeEnd},
	},
	Leave:  (*Node).mayLeave,
	Settle: func(n *Node) { n.users.Close(n.over, nil) },
	Forget: (*Node).begin,
})

// Of returns the global memory of an *acp.Process.
func Of(process any) *Node { return nodes.Of(process) }

// Node is the global memory of one process. Its methods may be called by several goroutines at once.
type Node struct {
	p        *extension.Process
	mem      *global.Memory
	self     int
	over     func() error
	function atomic.Pointer[Function]
	ended    atomic.Pointer[func(begin, end int64)] // called when a space has ended

	spaces sync.Map // by address: each *space that this process has used
	shards shards
	users  gate.Gate
	pool   pool

	lastShards [address.Classes]atomic.Int32 // by class: the shard of the last space that this process has made

	sending atomic.Int64 // messages without an answer yet, of no goroutine that waits
	begun   atomic.Bool  // the program is one of DMI
	leaving atomic.Bool  // the process takes no pages of others any more
	coming  sync.RWMutex // held while a page comes that another process gives away

	mu       sync.Mutex // of the fields below
	registry map[int64]*registered
	numbers  [address.Shards]map[uint]uint64 // by shard and class: the next space
	learning map[int64]*learning
	records  []uint64 // free records
	loans    map[uint64]*loan
	lastLoan uint64
}

func newNode(p *extension.Process) *Node {
	n := &Node{p: p, mem: p.Memory, self: p.Ranks.Self(), over: p.Lifecycle.Alive}
	n.begin()
	return n
}

// begin makes the global memory of a process empty: when the process opens, and when a reset has emptied its heap.
func (n *Node) begin() {
	n.spaces.Clear()
	n.shards.spread(n.p.Ranks.Size())
	for i := range n.lastShards {
		n.lastShards[i].Store(0)
	}
	n.pool.begin()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.registry, n.numbers, n.learning = make(map[int64]*registered), [address.Shards]map[uint]uint64{}, make(map[int64]*learning)
	n.records, n.loans = nil, make(map[uint64]*loan)
	n.users.Open()
}

// ID returns the number of the process.
func (n *Node) ID() int { return n.self }
