package activity

import (
	"sync/atomic"
	"unsafe"
)

const (
	// linksAt is the offset of the links.
	linksAt = 25 * 4096

	maxLinks    = 64
	maxLinkName = 120
)

// LinkSteps is how far an end of a link of coupled models has come. C changes it, too.
//
//goacp:c goacp_link_steps
type LinkSteps struct {
	Messages uint64 // sent or received
	Last     int64  // number of the last one
}

// linkRecord is an end of a link on a page.
type linkRecord struct {
	used     uint32 // 1 while the record has an end
	receives uint32
	every    int64
	lag      int64
	steps    LinkSteps
	_        int64
	name     [maxLinkName]byte
}

// The links must fit in front of the counters.
var _ [CountersAt - linksAt - maxLinks*unsafe.Sizeof(linkRecord{})]byte

// LinkEnd is an end of a link that readers see. One goroutine at a time changes it.
type LinkEnd struct {
	record *linkRecord
	shown  bool
}

// ShowLink shows an end of the link with a name to readers, until LinkEnd.Hide. If there is no room, readers do not see it.
func (p *Page) ShowLink(name string, receives bool, every int64) *LinkEnd {
	e := &LinkEnd{record: new(linkRecord)}
	if p != nil {
		for i := range maxLinks {
			if r := p.link(i); atomic.CompareAndSwapUint32(&r.used, 0, claimed) {
				e.record, e.shown = r, true
				break
			}
		}
	}
	r := e.record
	r.receives, r.every, r.lag, r.steps = 0, every, 0, LinkSteps{}
	if receives {
		r.receives = 1
	}
	put(r.name[:], name)
	if e.shown {
		atomic.StoreUint32(&r.used, shown)
	}
	return e
}

// The states of a record.
const (
	shown   = 1
	claimed = 2 // the record is being filled
)

// link returns link i of the page.
func (p *Page) link(i int) *linkRecord {
	return (*linkRecord)(unsafe.Pointer(&p.mem[linksAt+uintptr(i)*unsafe.Sizeof(linkRecord{})]))
}

// Steps returns where the owner keeps the steps until Hide.
func (e *LinkEnd) Steps() *LinkSteps { return &e.record.steps }

// Lag shows that the values of a step of a sender count as those of a later step.
func (e *LinkEnd) Lag(steps int64) { atomic.StoreInt64(&e.record.lag, steps) }

// Hide hides the end from readers, and returns its steps in other memory.
func (e *LinkEnd) Hide() *LinkSteps {
	own := *e.record
	if e.shown {
		atomic.StoreUint32(&e.record.used, 0)
	}
	e.record, e.shown = &own, false
	return &own.steps
}

// LinkView is an end of a link of coupled models, as a reader sees it.
type LinkView struct {
	Name     string `json:"name"`
	Receives bool   `json:"receives"`
	Messages uint64 `json:"messages"` // sent or received
	Step     int64  `json:"step"`     // of the program at the last message; negative: it had initial values
}

// decodeLinks returns the links in the part of a page that has them. No end is a mixture of two: while a record changes its end,
// it is not shown, and readings before and after show the same end.
func decodeLinks(before, after []byte) (list []LinkView) {
	for a, b := range bothReadings[linkRecord](before, after) {
		if a.used != shown || b.used != shown || a.name != b.name || a.receives != b.receives {
			continue
		}
		list = append(list, LinkView{
			Name: textOf(b.name[:]), Receives: b.receives != 0, Messages: b.steps.Messages, Step: b.steps.Last*b.every - b.lag,
		})
	}
	return list
}
