package traffic

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Transfer holds the transfers of a process with a member, of one kind on one path.
type Transfer struct {
	Member     int    `json:"rank"`
	Kind       Kind   `json:"kind"`
	Path       Path   `json:"path"`
	Operations uint64 `json:"operations"`
	Bytes      uint64 `json:"bytes"`
}

// Snapshot is the content of the file of a process at one moment.
type Snapshot struct {
	Member    int        `json:"rank"`
	Procs     int        `json:"procs"`
	PID       int        `json:"pid"`
	Begun     int64      `json:"begun"`   // when the process began to start the library, in nanoseconds of Unix time
	Opened    int64      `json:"opened"`  // when it had started; 0 before
	Closed    int64      `json:"closed"`  // when it finalized the library; 0 before
	Waiting   uint64     `json:"waiting"` // nanoseconds that threads have slept in the library, all together
	Transfers []Transfer `json:"transfers"`
	Waits     []Wait     `json:"waits,omitempty"`    // the longest ones, in order
	CallSites []CallSite `json:"places,omitempty"`   // all waits, by call site
	Links     []Link     `json:"links,omitempty"`    // messages of links of coupled models; Transfers includes them
	Timeline  *Timeline  `json:"timeline,omitempty"` // nil: no thread has waited
	Objects   []Object   `json:"objects,omitempty"`  // until Locate
}

// ErrFile: a file is no table of this version.
var ErrFile = errors.New("no file of transfers")

// Read returns the content of the file path of a process, which may still be running. Fails with ErrFile, and
// with errors of reading the file.
func Read(path string) (Snapshot, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return Snapshot{}, fmt.Errorf("%s: %w", path, err)
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	s, err := read(f)
	if err != nil {
		return Snapshot{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Check returns an error if no process can have such a table, and makes texts fit for the terminal.
// Snapshots from other hosts may have any contents.
func (s *Snapshot) Check() error {
	if s.Procs < 1 || s.Procs > maxProcs || s.Member < 0 || s.Member >= s.Procs || len(s.Waits) > maxWaits ||
		len(s.CallSites) > maxCallSites || len(s.Links) > maxLinks || s.Timeline != nil && !s.Timeline.valid() {
		return fmt.Errorf("%w: rank %d of %d, %d waits at %d call sites, %d links, timeline %+v", ErrFile, s.Member, s.Procs, len(s.Waits), len(s.CallSites), len(s.Links), s.Timeline)
	}
	for _, x := range s.Transfers {
		if x.Member < 0 || x.Member >= s.Procs || x.Kind >= Kinds || x.Path >= Paths {
			return fmt.Errorf("%w: transfers of rank %d with %+v", ErrFile, s.Member, x)
		}
	}
	for i := range s.Waits {
		w := &s.Waits[i]
		if w.Member < 0 || w.Member >= s.Procs {
			w.Member = -1
		}
		clean(&w.Call, &w.At, &w.About)
	}
	for i := range s.CallSites {
		clean(&s.CallSites[i].Call, &s.CallSites[i].At, &s.CallSites[i].About)
	}
	for i := range s.Links {
		clean(&s.Links[i].Name)
	}
	return nil
}

// clean makes texts fit for the terminal.
func clean(texts ...*string) {
	for _, text := range texts {
		*text = textOf([]byte(*text))
	}
}

func read(f *os.File) (Snapshot, error) {
	info, err := f.Stat()
	if err != nil {
		return Snapshot{}, err
	}
	top := make([]byte, headBytes)
	if err := readTop(f, top); err != nil {
		return Snapshot{}, fmt.Errorf("%w: %w", ErrFile, err)
	}
	h := (*Head)(unsafe.Pointer(&top[0]))
	procs, member := int(h.Procs), int(h.Member)
	if !info.Mode().IsRegular() || h.Magic != headMagic || h.Version != headVersion ||
		procs > maxProcs || member >= procs || info.Size() != int64(fileSize(procs)) {
		return Snapshot{}, fmt.Errorf("%w: magic %#x, version %d, rank %d of %d, %d bytes", ErrFile, h.Magic, h.Version, member, procs, info.Size())
	}
	s := Snapshot{Member: member, Procs: procs, PID: int(h.PID), Begun: h.Begun, Opened: h.Opened, Closed: h.Closed,
		Waiting: h.Waiting, Transfers: []Transfer{}, Waits: decodeWaits((*[maxWaits]waitRecord)(unsafe.Pointer(&top[waitsAt]))),
		CallSites: decodeCallSites((*[maxCallSites]callSiteRecord)(unsafe.Pointer(&top[callSitesAt]))),
		Objects:   decodeObjects((*[maxObjects]objectRecord)(unsafe.Pointer(&top[objectsAt]))),
		Links:     decodeLinks((*[maxLinks]linkRecord)(unsafe.Pointer(&top[linksAt]))),
		Timeline:  (*timelineRecord)(unsafe.Pointer(&top[timelineAt])).decode()}
	if err = s.readRows(f); err != nil {
		return s, err
	}
	return s, s.Check()
}

// readTop reads the part of the file in front of the counts. It reads again if the timeline changes
// meanwhile. The turn is read by calls of its own: within one call the kernel copies in any order.
func readTop(f *os.File, top []byte) error {
	before, err := readTurn(f)
	for range 100 {
		if err != nil {
			return err
		}
		if _, err := f.ReadAt(top, 0); err != nil {
			return err
		}
		var after uint32
		if after, err = readTurn(f); err == nil && before%2 == 0 && before == after {
			return nil
		}
		before = after
	}
	return err // nil: the process was killed while it changed the timeline
}

// readTurn reads the turn of the timeline.
func readTurn(f *os.File) (turn uint32, err error) {
	_, err = f.ReadAt(unsafe.Slice((*byte)(unsafe.Pointer(&turn)), unsafe.Sizeof(turn)), timelineAt)
	return turn, err
}

func decodeWaits(records *[maxWaits]waitRecord) (waits []Wait) {
	for i := range records {
		if records[i].took > 0 {
			waits = append(waits, records[i].decode())
		}
	}
	slices.SortFunc(waits, func(a, b Wait) int { return int(min(max(b.For-a.For, -1), 1)) })
	return waits
}

// readRows reads the counts, without the parts of the file that have no memory.
func (s *Snapshot) readRows(f *os.File) error {
	row := make([]byte, rowSize)
	for member := 0; member < s.Procs; member++ {
		at := int64(headBytes + member*rowSize)
		if next, err := unix.Seek(int(f.Fd()), at, unix.SEEK_DATA); err == nil && next >= at+int64(rowSize) {
			member = int(next-headBytes)/rowSize - 1
			continue
		} else if errors.Is(err, unix.ENXIO) {
			return nil // there is no more
		}
		if _, err := f.ReadAt(row, at); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		s.Transfers = appendRow(s.Transfers, member, row)
	}
	return nil
}

// appendRow appends the transfers with a member. The process may be counting.
func appendRow(list []Transfer, member int, row []byte) []Transfer {
	counts := (*[cells]Counts)(unsafe.Pointer(unsafe.SliceData(row)))
	for i := range counts {
		operations, bytes := counts[i].total()
		if operations > 0 {
			list = append(list, Transfer{Member: member, Kind: Kind(i / int(Paths)), Path: Path(i % int(Paths)),
				Operations: operations, Bytes: bytes})
		}
	}
	return list
}
