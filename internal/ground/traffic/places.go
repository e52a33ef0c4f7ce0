package traffic

import (
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/activity"
)

// maxPlaces is how many places a table keeps. Further waits are added to the last one.
const maxPlaces = 256

// Place adds up the waits of a process that have the same reason and the same place in the program.
type Place struct {
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

// placeRecord is a Place in the file.
type placeRecord struct {
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

// placeKey identifies a place.
type placeKey struct {
	kind            activity.Kind
	call, at, about string
	site            uint64
}

// places has the places of a process.
type places struct {
	to    *[maxPlaces]placeRecord
	known map[placeKey]*placeRecord
}

func (t *Table) placeRecords() *[maxPlaces]placeRecord {
	return (*[maxPlaces]placeRecord)(unsafe.Pointer(&t.mem[placesAt]))
}

// add adds a wait. added is true if its place is a new one.
func (p *places) add(s *activity.Sleeper) (added bool) {
	key := placeKey{kind: s.Kind, call: s.Call, at: s.At, about: s.About, site: s.Site}
	r := p.known[key]
	switch {
	case r != nil:
	case len(p.known) < maxPlaces-1:
		r = &p.to[len(p.known)]
		p.known[key], added = r, true
		r.write(s)
	default:
		r = &p.to[maxPlaces-1]
	}
	r.waits++
	r.total += int64(s.Since)
	r.longest = max(r.longest, int64(s.Since))
	return added
}

// write records the place and the reason of a wait.
func (r *placeRecord) write(s *activity.Sleeper) {
	r.kind, r.site = uint32(s.Kind), s.Site
	copy(r.call[:], s.Call)
	copy(r.at[:], lineOf(s.At))
	copy(r.about[:], s.About)
}

// lineOf returns as much of a file and line as a record has room for. The line is at the end.
func lineOf(at string) string { return at[max(0, len(at)-maxText):] }

// decodePlaces returns the places of a process, which may be writing them.
func decodePlaces(records *[maxPlaces]placeRecord) (list []Place) {
	for i := range records {
		r := &records[i]
		if r.waits == 0 {
			continue
		}
		list = append(list, Place{Kind: activity.Kind(r.kind), Call: textOf(r.call[:]), At: textOf(r.at[:]), About: textOf(r.about[:]),
			Waits: r.waits, Total: time.Duration(r.total), Longest: time.Duration(r.longest), Site: r.site})
	}
	return list
}
