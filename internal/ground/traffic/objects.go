package traffic

import (
	"os"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/procmaps"
)

const (
	maxObjects = 16
	maxPath    = 232
)

// Object is a program or a shared library of a process, from which the process has called the library.
type Object struct {
	Start  uint64 `json:"start"` // addresses in the process
	End    uint64 `json:"end"`
	Offset uint64 `json:"offset"` // of Start in the file
	Path   string `json:"path"`
}

// objectRecord is an Object in the file.
type objectRecord struct {
	start, end, offset uint64 // end is 0: none
	path               [maxPath]byte
}

// objects has the objects of a process. The kernel drops their mappings when the process ends.
type objects struct {
	to   *[maxObjects]objectRecord
	used int
}

func (t *Table) objectRecords() *[maxObjects]objectRecord {
	return (*[maxObjects]objectRecord)(unsafe.Pointer(&t.mem[objectsAt]))
}

// note records the object that contains an address.
func (o *objects) note(address uint64) {
	for i := range o.used {
		if address >= o.to[i].start && address < o.to[i].end {
			return
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil || o.used == maxObjects {
		return
	}
	m, ok := procmaps.FindCode(string(maps), address)
	if !ok || len(m.Path) > maxPath {
		return
	}
	r := &o.to[o.used]
	o.used++
	copy(r.path[:], m.Path)
	r.start, r.offset, r.end = m.Start, m.Offset, m.End
}

func decodeObjects(records *[maxObjects]objectRecord) (list []Object) {
	for i := range records {
		if r := &records[i]; r.end > 0 {
			list = append(list, Object{Start: r.start, End: r.end, Offset: r.offset, Path: textOf(r.path[:])})
		}
	}
	return list
}

// Locate enters the lines of the program for waits of which the process has left only addresses. line returns
// the file and line of the call that returns to an offset of the file path, "" if it finds none. A file that
// has changed since the time began is not the file of the process.
func (s *Snapshot) Locate(line func(path string, offset uint64, began time.Time) string) {
	began := time.Unix(0, s.Begun)
	at := func(site uint64) string {
		for _, o := range s.Objects {
			if site >= o.Start && site < o.End {
				return line(o.Path, site-o.Start+o.Offset, began)
			}
		}
		return ""
	}
	for i := range s.CallSites {
		if p := &s.CallSites[i]; p.At == "" && p.Site != 0 {
			p.At = at(p.Site)
		}
	}
	for i := range s.Waits {
		if w := &s.Waits[i]; w.At == "" && w.Site != 0 {
			w.At = at(w.Site)
		}
	}
	s.Objects = nil
}
