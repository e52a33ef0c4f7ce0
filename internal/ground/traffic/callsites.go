package traffic

import (
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/activity"
)

// maxCallSites is how many call sites a table keeps. Further waits are added to the last one.
const maxCallSites = 256

// CallSite adds up the waits of a process that have the same reason and the same call site, a line of the program.
type CallSite struct {
	Kind    activity.Kind `json:"kind"`
	Call    string        `json:"call,omitempty"`  // the function that the program has called, if that is known
	At      string        `json:"at,omitempty"`    // file and line of the program, if they are known
	About   string        `json:"about,omitempty"` // the name of what the program has waited for, if it has one
	Waits   uint64        `json:"waits"`
	Total   time.Duration `json:"total"`
	Longest time.Duration `json:"longest"`
	// Site is the address in the program to which the call returns, 0 if that is not known or At is set.
	Site uint64 `json:"site,omitempty"`
}

// callSiteRecord is a CallSite in the file.
type callSiteRecord struct {
	waits   uint64 // 0: none
	total   int64  // nanoseconds
	longest int64
	site    uint64
	kind    uint32
	_       uint32
	call    [maxText]byte
	at      [maxText]byte
	about   [maxText]byte
}

// callSiteKey identifies a call site.
type callSiteKey struct {
	kind            activity.Kind
	call, at, about string
	site            uint64
}

// callSites has the call sites of a process.
type callSites struct {
	to    *[maxCallSites]callSiteRecord
	known map[callSiteKey]*callSiteRecord
}

func (t *Table) callSiteRecords() *[maxCallSites]callSiteRecord {
	return (*[maxCallSites]callSiteRecord)(unsafe.Pointer(&t.mem[callSitesAt]))
}

// add adds a wait. added is true if its call site is a new one.
func (p *callSites) add(s *activity.Sleeper) (added bool) {
	key := callSiteKey{kind: s.Kind, call: s.Call, at: s.At, about: s.About, site: s.Site}
	r := p.known[key]
	switch {
	case r != nil:
	case len(p.known) < maxCallSites-1:
		r = &p.to[len(p.known)]
		p.known[key], added = r, true
		r.write(s)
	default:
		r = &p.to[maxCallSites-1]
	}
	r.waits++
	r.total += int64(s.Since)
	r.longest = max(r.longest, int64(s.Since))
	return added
}

// write records the call site and the reason of a wait.
func (r *callSiteRecord) write(s *activity.Sleeper) {
	r.kind, r.site = uint32(s.Kind), s.Site
	copy(r.call[:], s.Call)
	copy(r.at[:], lineOf(s.At))
	copy(r.about[:], s.About)
}

// lineOf returns as much of a file and line as a record has room for. The line is at the end.
func lineOf(at string) string { return at[max(0, len(at)-maxText):] }

// decodeCallSites returns the call sites of a process, which may be writing them.
func decodeCallSites(records *[maxCallSites]callSiteRecord) (list []CallSite) {
	for i := range records {
		r := &records[i]
		if r.waits == 0 {
			continue
		}
		list = append(list, CallSite{Kind: activity.Kind(r.kind), Call: textOf(r.call[:]), At: textOf(r.at[:]), About: textOf(r.about[:]),
			Waits: r.waits, Total: time.Duration(r.total), Longest: time.Duration(r.longest), Site: r.site})
	}
	return list
}
