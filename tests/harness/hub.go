package harness

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// tunDevice makes network interfaces whose other end is a program.
const tunDevice = "/dev/net/tun"

// Hub joins the hosts of a sandbox as Sandbox.Hosts does, but in the test binary: every
// frame that a host sends passes through it, so that it can lose frames, delay them and
// deliver them in another order. Unlike netem it needs no module of the kernel.
type Hub struct {
	taps []*os.File
	// cut marks the disconnected hosts.
	cut    []atomic.Bool
	faults atomic.Pointer[Faults]
	// random makes choices for all frames.
	mu     sync.Mutex
	random *rand.Rand
}

// Faults are the faults that a hub causes. The zero value is a network without faults.
type Faults struct {
	Loss   float64       // share of frames that are lost, 0 … 1
	Delay  time.Duration // of each frame
	Jitter time.Duration // up to which each frame is delayed further, which reorders them
}

// HostsOnHub is Hosts with a hub instead of the switch. The seed determines the fault of each
// frame. The test is skipped if the machine has no such interfaces.
func (b *Sandbox) HostsOnHub(n int, seed uint64) ([]Host, *Hub) {
	b.t.Helper()
	if !CanHub() {
		b.t.Skipf("%s cannot be opened", tunDevice)
	}
	hub := &Hub{cut: make([]atomic.Bool, n), random: rand.New(rand.NewPCG(seed, 0))}
	hub.Set(Faults{})
	hosts := b.divide(n, func(h *Host, i int) {
		tap, err := openTap(h.holder.pid, "eth0")
		if err != nil {
			b.t.Fatal(err)
		}
		hub.taps = append(hub.taps, tap)
	})
	var carriers sync.WaitGroup
	for i := range hub.taps {
		carriers.Go(func() { hub.carry(i) })
	}
	b.t.Cleanup(func() {
		for _, tap := range hub.taps {
			tap.Close()
		}
		carriers.Wait()
	})
	return hosts, hub
}

// CanHub reports whether this machine can have a hub.
func CanHub() bool {
	f, err := os.OpenFile(tunDevice, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// Set changes the faults of the hub from now on.
func (h *Hub) Set(f Faults) { h.faults.Store(&f) }

// Cut disconnects host i, or connects it again. The host does not notice it.
func (h *Hub) Cut(i int, cut bool) { h.cut[i].Store(cut) }

// carry forwards frames from host i to all other hosts, which ignore frames that are not for
// them.
func (h *Hub) carry(i int) {
	const maxFrame = 1 << 16
	buf := make([]byte, maxFrame)
	for {
		n, err := h.taps[i].Read(buf)
		if err != nil {
			return // closed
		}
		for j := range h.taps {
			if j == i || h.cut[i].Load() || h.cut[j].Load() {
				continue
			}
			lost, delay := h.fate()
			switch {
			case lost:
			case delay == 0:
				h.deliver(j, buf[:n])
			default:
				frame := append([]byte(nil), buf[:n]...)
				time.AfterFunc(delay, func() { h.deliver(j, frame) })
			}
		}
	}
}

// fate decides the fault of a frame.
func (h *Hub) fate() (lost bool, delay time.Duration) {
	f := h.faults.Load()
	if *f == (Faults{}) {
		return false, 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delay = f.Delay
	if f.Jitter > 0 {
		delay += time.Duration(h.random.Int64N(int64(f.Jitter)))
	}
	return h.random.Float64() < f.Loss, delay
}

// deliver passes a frame to host i. If the interface is down or its queue is full, the frame is
// lost, as on a real wire.
func (h *Hub) deliver(i int, frame []byte) { _, _ = h.taps[i].Write(frame) }

// openTap makes a network interface in the network namespace of a process, and returns
// its other end.
func openTap(pid int, name string) (*os.File, error) {
	type result struct {
		tap *os.File
		err error
	}
	made := make(chan result)
	go func() {
		// The thread stays in the namespace and ends with the goroutine.
		runtime.LockOSThread()
		tap, err := makeTap(pid, name)
		made <- result{tap, err}
	}()
	r := <-made
	return r.tap, r.err
}

func makeTap(pid int, name string) (*os.File, error) {
	ns, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return nil, err
	}
	defer ns.Close()
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("network namespace of process %d: %w", pid, err)
	}
	fd, err := unix.Open(tunDevice, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tunDevice, err)
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	request.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("making interface %s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}
