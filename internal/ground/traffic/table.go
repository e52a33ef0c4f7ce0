package traffic

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	headMagic   = 0x4646415254504341 // "ACPTRAFF"
	headVersion = 4

	cells     = int(Kinds) * int(Paths)
	rowSize   = cells * int(unsafe.Sizeof(Counts{}))
	maxProcs  = 1 << 20
	headBytes = countsAt
)

// The offsets of the parts in front of the counts. Pages of the file that were never written take no memory.
const (
	waitsAt     = 256
	callSitesAt = 8 << 10
	objectsAt   = 52 << 10
	linksAt     = 56 << 10
	timelineAt  = 66 << 10
)

// countsAt is where the counts begin.
//
//goacp:c GOACP_TRAFFIC_
const countsAt = 68 << 10

// Head is the beginning of the file.
//
//goacp:c goacp_traffic
type Head struct {
	// Owner is the thread of C with separate counters: its thread pointer, as lib/acp/traffic.h finds it. 0:
	// no thread has counted yet.
	Owner   uint64
	Members *uint32 `c:"uint32_t *"` // where the process that counts has the member of each rank; only that process uses it
	Magic   uint64
	Version uint32
	Member  uint32
	Procs   uint32
	PID     uint32
	Begun   int64  // when the process began to start the library, in nanoseconds of Unix time
	Opened  int64  // when it had started; 0 before
	Closed  int64  // when it finalized the library; 0 before
	Waiting uint64 // nanoseconds that threads have slept in the library, all together
}

// Table holds the counters of the threads of one process. The methods of a nil Table do nothing. They may be
// called by several goroutines at once.
type Table struct {
	mem   []byte
	begun time.Time

	mu        sync.Mutex // guards what follows, and the timeline
	waits     longest
	callSites callSites
	objects   objects
	links     links
}

// FileName returns the name of the file of a member.
func FileName(member int) string { return fmt.Sprintf("traffic-%d", member) }

// FilePattern matches the names of all files, also with an ending.
const FilePattern = "traffic-*"

// New makes the table of a member of a run of procs members in the file path, which may exist. If path
// is empty or the file cannot be made, only this process can read the table.
func New(path string, member, procs int) (*Table, error) {
	size := fileSize(procs)
	fd := publicFile(path, size)
	flags := unix.MAP_SHARED
	if fd < 0 {
		flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE
	} else {
		defer unix.Close(fd)
	}
	mem, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return nil, fmt.Errorf("%d bytes to count transfers: %w", size, err)
	}
	t := &Table{mem: mem, begun: time.Now()}
	h := t.head()
	h.Version, h.Member, h.Procs = headVersion, uint32(member), uint32(procs)
	h.PID, h.Begun = uint32(os.Getpid()), t.begun.UnixNano()
	h.Members = (*uint32)(unsafe.Pointer(&mem[headBytes+procs*rowSize]))
	for member := range procs {
		t.members()[member] = uint32(member)
	}
	t.waits.to, t.objects.to = t.waitRecords(), t.objectRecords()
	t.callSites = callSites{to: t.callSiteRecords(), known: map[callSiteKey]*callSiteRecord{}}
	t.links = links{to: t.linkRecords(), known: map[linkKey]*linkRecord{}}
	t.timeline().span = int64(firstSpan)
	atomic.StoreUint64(&h.Magic, headMagic)
	return t, nil
}

// fileSize returns the bytes of a file for procs members: after the counts come the members of the ranks.
func fileSize(procs int) int { return headBytes + procs*rowSize + procs*4 }

// members returns the member of each rank.
func (t *Table) members() []uint32 {
	h := t.head()
	return unsafe.Slice(h.Members, h.Procs)
}

// member returns the member of a rank, which the run has.
func (t *Table) member(rank int) int {
	return int(*(*uint32)(unsafe.Add(unsafe.Pointer(t.head().Members), rank*4)))
}

// Renumber sets the new rank of every member, by member. No thread may count meanwhile.
func (t *Table) Renumber(ranks []uint32) {
	if t == nil {
		return
	}
	for member, rank := range ranks {
		t.members()[rank] = uint32(member)
	}
}

// publicFile returns a descriptor of a file of size bytes, or -1.
func publicFile(path string, size int) int {
	var limit unix.Rlimit
	if path == "" || unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) != nil || uint64(size) > limit.Cur {
		return -1 // the kernel would end the process by a signal
	}
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CREAT|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return -1
	}
	if unix.Ftruncate(fd, int64(size)) != nil {
		unix.Close(fd)
		return -1
	}
	return fd
}

func (t *Table) head() *Head { return (*Head)(unsafe.Pointer(unsafe.SliceData(t.mem))) }

// Pointer returns the address of the table for C, or nil. It stays valid until Free.
func (t *Table) Pointer() unsafe.Pointer {
	if t == nil {
		return nil
	}
	return unsafe.Pointer(t.head())
}

// counts returns the counts of a member. All three are in range.
func (t *Table) counts(member int, k Kind, p Path) *Counts {
	row := unsafe.Add(unsafe.Pointer(unsafe.SliceData(t.mem)), headBytes+member*rowSize)
	return (*Counts)(unsafe.Add(row, (int(k)*int(Paths)+int(p))*int(unsafe.Sizeof(Counts{}))))
}

// Add counts one operation that transfers n bytes.
func (t *Table) Add(member int, k Kind, p Path, n uint64) {
	if t != nil {
		t.counts(member, k, p).add(n)
	}
}

// AddCopy counts a copy of n bytes between the memory of two ranks by rank self, which this process is.
func (t *Table) AddCopy(self, dst, src int, p Path, n uint64) {
	if t == nil {
		return
	}
	kind, rank := OfCopy(self, dst, src)
	t.counts(t.member(rank), kind, p).add(n)
}

// AddAtomic counts an atomic on an integer of n bytes, which a rank owns.
func (t *Table) AddAtomic(rank int, p Path, n uint64) {
	if t != nil {
		t.counts(t.member(rank), Atomic, p).add(n)
	}
}

// Opened records that the library has started.
func (t *Table) Opened() {
	if t != nil {
		atomic.StoreInt64(&t.head().Opened, t.now())
	}
}

// Closed records that the library has been finalized.
func (t *Table) Closed() {
	if t != nil {
		atomic.StoreInt64(&t.head().Closed, t.now())
	}
}

// now returns the Unix time, which no change of the clock affects.
func (t *Table) now() int64 { return t.begun.Add(time.Since(t.begun)).UnixNano() }

// Transfers returns all transfers counted so far.
func (t *Table) Transfers() []Transfer {
	if t == nil {
		return nil
	}
	list := []Transfer{}
	for member := range int(t.head().Procs) {
		list = appendRow(list, member, t.mem[headBytes+member*rowSize:])
	}
	return list
}

// Total returns the operations and bytes counted so far with a member, or with all members if it is negative,
// of one kind, or of all kinds if k is Kinds, on one path, or on all paths if p is Paths.
func (t *Table) Total(member int, k Kind, p Path) (operations, bytes uint64) {
	for _, x := range t.Transfers() {
		if (member < 0 || x.Member == member) && (k == Kinds || x.Kind == k) && (p == Paths || x.Path == p) {
			operations += x.Operations
			bytes += x.Bytes
		}
	}
	return operations, bytes
}

// Free frees the memory of the table. Nothing may use it afterwards.
func (t *Table) Free() error { return unix.Munmap(t.mem) }

// Each part must end where the next one begins, or before.
var (
	_ [waitsAt - unsafe.Sizeof(Head{})]byte
	_ [callSitesAt - waitsAt - maxWaits*unsafe.Sizeof(waitRecord{})]byte
	_ [objectsAt - callSitesAt - maxCallSites*unsafe.Sizeof(callSiteRecord{})]byte
	_ [linksAt - objectsAt - maxObjects*unsafe.Sizeof(objectRecord{})]byte
	_ [timelineAt - linksAt - maxLinks*unsafe.Sizeof(linkRecord{})]byte
	_ [countsAt - timelineAt - unsafe.Sizeof(timelineRecord{})]byte
)
