package registration

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/segment"
)

// Key names registered memory, for the program. It is never 0. The member stands above the
// number, so that a key of another process is recognised.
type Key uint64

// keyShift is where the member begins in a Key.
const keyShift = 44

// Config is what Registrations need of their process. All fields are required.
type Config struct {
	Self  int // member
	Space *segment.Space

	// Withdraw returns when nothing uses memory any more that is not published any more, or
	// with the error of over. It is that of the router.
	Withdraw func(gone segment.Withdrawn, over func() error) error

	// Over returns why the run is over, or nil.
	Over func() error
}

// Registrations are the registered memory of one process. Register, Unregister and Position
// may be called by several goroutines at once.
type Registrations struct {
	cfg  Config
	pins pins
}

// New returns Registrations of no memory.
func New(cfg Config) *Registrations { return &Registrations{cfg: cfg} }

// Register registers memory that is not on the stack of a goroutine. Memory of the Go heap is
// pinned until the last Unregister of its key. Fails for empty memory and for lack of
// resources. Does not block.
func (r *Registrations) Register(mem []byte, color int) (Key, error) {
	if len(mem) == 0 {
		return r.RegisterAddress(nil, 0, color)
	}
	addr := unsafe.Pointer(unsafe.SliceData(mem))
	var pin runtime.Pinner
	pin.Pin(addr)
	key, err := r.RegisterAddress(addr, uint64(len(mem)), color)
	if err != nil {
		pin.Unpin()
		return 0, err
	}
	r.pins.add(key, pin)
	return key, nil
}

// RegisterAddress is Register for memory that does not move. Without bytes the key translates
// addr alone. Fails for a null address, too.
func (r *Registrations) RegisterAddress(addr unsafe.Pointer, size uint64, color int) (Key, error) {
	key, err := r.cfg.Space.Register(uintptr(addr), size, color)
	if err != nil {
		return 0, err
	}
	return Key(uint64(r.cfg.Self+1)<<keyShift | uint64(key)), nil
}

// Unregister takes back one registration of key. With the last one the memory is not published
// any more, and nothing touches it when Unregister returns. Fails with segment.ErrUnknownKey,
// and if the run is over. Waits for accesses that have begun.
func (r *Registrations) Unregister(key Key) error {
	k, err := r.own(key)
	if err != nil {
		return err
	}
	gone, last, err := r.cfg.Space.Withdraw(k)
	if err != nil || !last {
		return err
	}
	if err := r.settle(gone); err != nil {
		return err
	}
	r.pins.release(key)
	return nil
}

// Position returns the position of an address in the memory of key. Fails with
// segment.ErrUnknownKey and for an address outside. Does not block.
func (r *Registrations) Position(key Key, addr unsafe.Pointer) (uint64, error) {
	k, err := r.own(key)
	if err != nil {
		return 0, err
	}
	return r.cfg.Space.Translate(k, uintptr(addr))
}

// Reset unregisters everything. Fails if the run is over. Waits as Unregister does.
func (r *Registrations) Reset() error {
	err := r.settle(r.cfg.Space.WithdrawAll())
	r.pins.releaseAll()
	return err
}

// Close unregisters everything when no other rank reaches this process any more. It waits for
// goroutines of this process alone.
func (r *Registrations) Close() {
	r.cfg.Space.WithdrawAll()
	// If the run is over, the caller knows it.
	_ = r.cfg.Space.Drain(r.overSince(time.Now()))
	r.pins.releaseAll()
}

// own returns the number of a key of this process.
func (r *Registrations) own(key Key) (segment.Key, error) {
	if uint64(key)>>keyShift != uint64(r.cfg.Self+1) {
		return 0, segment.ErrUnknownKey
	}
	return segment.Key(key & (1<<keyShift - 1)), nil
}

// settle returns when nothing uses memory that has been withdrawn, or when the run is over.
func (r *Registrations) settle(gone segment.Withdrawn) error {
	if gone.Empty() {
		return nil
	}
	return r.cfg.Withdraw(gone, r.overSince(time.Now()))
}

// settleTime is how long ranks that are still there may go on with what they do when the run
// is over.
const settleTime = 2 * time.Second

// overSince returns a function that tells why the run is over, if that is so and settleTime
// has passed.
func (r *Registrations) overSince(begin time.Time) func() error {
	return func() error {
		err := r.cfg.Over()
		if err == nil || time.Since(begin) < settleTime {
			return nil
		}
		return err
	}
}
