// Package extensiontest has what tests of extensions use: [Run], which opens several ranks in one
// process, and a small extension, which is an example as well.
//
// The extension is ledgers. Every rank has one, to which all ranks add. An addition may be a notice,
// or a request whose answer comes when the sum is great enough. All ranks find the sum of all
// ledgers together. Besides, they add to words in the heap of any rank.
package extensiontest

import (
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/extension"
)

// The operations, and the notice.
const (
	opAdd     = iota // to a ledger
	opAddWord        // to a word in a heap
)

const noticeAdd = 0

var ledgers = extension.Register(extension.Extension[*Ledger]{
	Name:  "ledger",
	First: am.OpTest,
	Open:  func(p *extension.Process) (*Ledger, error) { return &Ledger{p: p}, nil },
	Operations: []extension.Operation[*Ledger]{
		opAdd:     {Name: "addition to a ledger", Serve: (*Ledger).serveAdd},
		opAddWord: {Name: "addition to a word", Run: (*Ledger).addWord},
	},
	Notices: []extension.Notice[*Ledger]{
		noticeAdd: {Name: "addition to a ledger", Take: func(l *Ledger, _ int, _ uint32, value uint64) { l.add(value) }},
	},
	Fail:   (*Ledger).fail,
	Forget: (*Ledger).forget,
})

// Of returns the ledger of a process.
func Of(p *acp.Process) *Ledger { return ledgers.Of(p) }

// Ledger is the ledger of one process. Its methods may be called by several goroutines at once.
type Ledger struct {
	p *extension.Process

	mu      sync.Mutex
	sum     uint64
	rank    int // of the process since the last reset
	waiting []waiting
	over    bool // nothing comes any more
}

// waiting is a request whose answer comes when the sum has reached until.
type waiting struct {
	until  uint64
	answer []byte
	done   fabric.Completion
}

var errMalformed = errors.New("malformed addition to a ledger")

const (
	requestBytes = 16
	answerBytes  = 8
)

// Add adds to the ledger of a rank and returns the sum there when it has reached until. Blocks
// until then. Fails if the run is over.
func (l *Ledger) Add(rank int, value, until uint64) (sum uint64, err error) {
	request := binary.LittleEndian.AppendUint64(nil, value)
	request = binary.LittleEndian.AppendUint64(request, until)
	answer := make([]byte, answerBytes)
	n, err := l.p.Call(l.p.Ranks.Member(rank), opAdd, request, answer)
	if err != nil {
		return 0, err
	}
	if n != answerBytes {
		return 0, errMalformed
	}
	return binary.LittleEndian.Uint64(answer), nil
}

// Send adds to the ledger of a rank and does not wait.
func (l *Ledger) Send(rank int, value uint64) error {
	return l.p.Notify(l.p.Ranks.Member(rank), noticeAdd, 0, value)
}

// AddTo adds to the word at an address in the heap of any rank, and returns what it was before.
// Blocks for one round trip if the heap is not mapped here.
func (l *Ledger) AddTo(at, value uint64) (uint64, error) {
	m := l.p.Memory
	if err := m.Check(at); err != nil {
		return 0, err
	}
	member, c := m.Member(at), am.Call{GA: at, Args: [4]uint64{value}}
	if a := m.HeapView(member); a != nil {
		if r, err := l.addWord(a, c); m.Final(member, err) {
			return r.Val0, global.Cause(err)
		}
	}
	r, err := l.p.Far(member, opAddWord, c)
	return r.Val0, err
}

// Total returns the sum of the ledgers of all ranks. Collective. Blocks until every rank has called
// it. Fails with acp.ErrDisagree if they call it for different names.
func (l *Ledger) Total(name string) (total uint64, err error) {
	l.mu.Lock()
	sum := l.sum
	l.mu.Unlock()
	sums, err := l.p.Gather("total of "+name, binary.LittleEndian.AppendUint64(nil, sum))
	if err != nil {
		return 0, err
	}
	for _, b := range sums {
		if len(b) != answerBytes {
			return 0, errMalformed
		}
		total += binary.LittleEndian.Uint64(b)
	}
	return total, nil
}

// addWord is AddTo where the heap is mapped.
func (l *Ledger) addWord(a *heapview.View, c am.Call) (am.Result, error) {
	word, err := heapview.At[uint64](a, c.GA)
	if err != nil {
		return am.Result{}, err
	}
	return am.Result{Val0: atomic.AddUint64(word, c.Args[0]) - c.Args[0]}, nil
}

// serveAdd is Add at the owner.
func (l *Ledger) serveAdd(r fabric.Request) (int, error) {
	if len(r.Body) != requestBytes || len(r.Reply) < answerBytes {
		return 0, errMalformed
	}
	until := binary.LittleEndian.Uint64(r.Body[8:])
	sum := l.add(binary.LittleEndian.Uint64(r.Body))
	if sum >= until {
		binary.LittleEndian.PutUint64(r.Reply, sum)
		return answerBytes, nil
	}
	l.wait(waiting{until, r.Reply, r.Later.Defer()})
	return 0, nil
}

// add adds to the sum and answers those that it is great enough for.
func (l *Ledger) add(value uint64) (sum uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum += value
	l.answer()
	return l.sum
}

// wait lets a request wait.
func (l *Ledger) wait(w waiting) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	l.waiting = append(l.waiting, w)
	l.answer() // the sum may have grown meanwhile
}

// answer answers the requests that wait no longer. The caller holds the lock.
func (l *Ledger) answer() {
	var left []waiting
	for _, w := range l.waiting {
		if l.sum < w.until {
			left = append(left, w)
			continue
		}
		binary.LittleEndian.PutUint64(w.answer, l.sum)
		w.done.Complete(answerBytes, nil)
	}
	l.waiting = left
}

// fail gives up the requests that wait. The ranks that have sent them find out by themselves
// that the run is over.
func (l *Ledger) fail(error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting, l.over = nil, true
}

// forget empties the ledger, and notes the new rank of the process.
func (l *Ledger) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum = 0
	l.rank = l.p.Ranks.Own()
}
