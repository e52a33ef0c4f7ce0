package segment

import (
	"crypto/rand"
	"errors"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"golang.org/x/sys/unix"
)

// Run identifies the run a space belongs to, so that a peer never takes the
// memory of an unrelated process for it.
type Run [16]byte

// NewRun returns a random Run.
func NewRun() Run {
	var r Run
	rand.Read(r[:])
	return r
}

// Space is the published memory of this process. Its methods may be called by
// several goroutines at once.
type Space struct {
	fd      int
	mem     []byte
	starter uint64

	table table
	regs  registry
}

// New makes the memory of member with starterSize bytes of starter memory, zero
// filled. It costs address space for the whole and memory for what is touched.
func New(run Run, member int, starterSize uint64) (*Space, error) {
	if err := checkStarterSize(starterSize); err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate(fmt.Sprintf("acp-%d", member), unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	size := MapSize(starterSize)
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("%d bytes of shared memory: %w", size, err)
	}
	mem, err := mapShared(fd, size)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	s := &Space{fd: fd, mem: mem, starter: starterSize}
	s.table = tableAt(s.base(), TableOffset(starterSize))
	s.regs = newRegistry(s.table)
	h := s.header()
	h.version, h.member, h.run = headerVersion, uint32(member), run
	h.self, h.starterSize = uint64(uintptr(s.base())), starterSize
	h.magic = headerMagic
	return s, nil
}

func mapShared(fd int, size uint64) ([]byte, error) {
	if size > 1<<46 {
		return nil, fmt.Errorf("mapping of %d bytes: too large", size)
	}
	mem, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes of shared memory: %w", size, err)
	}
	return mem, nil
}

func (s *Space) base() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s.mem)) }
func (s *Space) header() *header      { return (*header)(s.base()) }

// FD returns the descriptor of the memory in this process. Peers open it through
// /proc.
func (s *Space) FD() int { return s.fd }

// Base returns the address at which position 0 lies in this process.
func (s *Space) Base() unsafe.Pointer { return s.base() }

// Starter returns the starter memory.
func (s *Space) Starter() []byte {
	return s.mem[StarterOffset : StarterOffset+s.starter : StarterOffset+s.starter]
}

// Barrier returns the two words that the members of a host share in the space of
// the lowest of them.
func (s *Space) Barrier() *Barrier { return barrierOf(s.header()) }

// Regions returns the table of registered memory, which begins with tableHeader. C
// reads it by the rules of table.lookup.
func (s *Space) Regions() unsafe.Pointer { return unsafe.Pointer(s.table.head) }

// Resolve implements fabric.Memory.
func (s *Space) Resolve(pos, n uint64) (unsafe.Pointer, error) {
	if pos < UserBase {
		if InStarter(pos, n, s.starter) {
			return unsafe.Add(s.base(), pos), nil
		}
		return nil, &fabric.RangeError{Pos: pos, Size: n}
	}
	addr, ok := s.table.lookup(pos, n)
	if !ok {
		return nil, &fabric.RangeError{Pos: pos, Size: n}
	}
	return pointer(addr), nil
}

// Register announces size bytes at addr, bound to color, and returns the key of
// the region they now belong to. It counts one registration of that key.
func (s *Space) Register(addr uintptr, size uint64, color int) (Key, error) {
	return s.regs.register(addr, size, color)
}

// Unregister takes back one registration of key. With the last one the region is
// no longer accessible, and last is true.
func (s *Space) Unregister(key Key) (last bool, err error) { return s.regs.unregister(key) }

// Translate returns the position of addr in the region of key and publishes the
// region if this is its first translation.
func (s *Space) Translate(key Key, addr uintptr) (uint64, error) {
	return s.regs.translate(key, addr)
}

// Reset takes back all registrations and fills the starter memory with zeros.
func (s *Space) Reset() error {
	s.regs.reset()
	// Punching a hole gives the pages back; where that is refused, writing does.
	if err := unix.Fallocate(s.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, StarterOffset, int64(s.starter)); err != nil {
		if !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("clearing starter memory: %w", err)
		}
		clear(s.Starter())
	}
	return nil
}

// Close unmaps the memory. Peers that have mapped it keep theirs.
func (s *Space) Close() error {
	return errors.Join(unix.Munmap(s.mem), unix.Close(s.fd))
}

// pointer turns an address that came out of a table into a pointer. The address
// is one of C memory, of a mapping or of pinned Go memory, which does not move.
func pointer(addr uint64) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr))
}
