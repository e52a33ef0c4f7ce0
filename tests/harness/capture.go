package harness

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Capture collects the frames between the hosts of a sandbox, as a passive listener at the switch
// would.
type Capture struct {
	fd   int
	stop chan struct{}
	done sync.WaitGroup

	seen bytes.Buffer // all frames, one after the other
	err  error
}

// captureBuffer is the bytes that the kernel keeps while the reader does not run.
const captureBuffer = 256 << 20

// Capture begins to collect. Call Seen for the result.
func (b *Sandbox) Capture() *Capture {
	t := b.t
	t.Helper()
	fd, err := packetSocket(b.hosts.sw.pid)
	if err != nil {
		t.Fatal(err)
	}
	c := &Capture{fd: fd, stop: make(chan struct{})}
	c.done.Go(c.collect)
	t.Cleanup(func() { c.end() })
	return c
}

// packetSocket opens a socket that gets every frame in the network namespace of a
// process.
func packetSocket(pid int) (int, error) {
	type result struct {
		fd  int
		err error
	}
	opened := make(chan result)
	go func() {
		// The thread has another network from here on; it ends with the goroutine.
		runtime.LockOSThread()
		fd, err := func() (int, error) {
			ns, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
			if err != nil {
				return -1, err
			}
			defer ns.Close()
			if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
				return -1, os.NewSyscallError("setns", err)
			}
			all := binary.NativeEndian.Uint16([]byte{unix.ETH_P_ALL >> 8, unix.ETH_P_ALL & 0xff})
			fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, int(all))
			if err != nil {
				return -1, os.NewSyscallError("socket", err)
			}
			return fd, os.NewSyscallError("setsockopt", unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, captureBuffer))
		}()
		opened <- result{fd, err}
	}()
	r := <-opened
	return r.fd, r.err
}

func (c *Capture) collect() {
	frame := make([]byte, 1<<17)
	for {
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLIN}}, 50)
		if err != nil && err != syscall.EINTR {
			c.err = err
			return
		}
		if ready <= 0 {
			select {
			case <-c.stop:
				return
			default:
				continue
			}
		}
		n, _, err := unix.Recvfrom(c.fd, frame, unix.MSG_TRUNC)
		if err == syscall.EINTR {
			continue
		}
		if err == nil && n > len(frame) {
			err = fmt.Errorf("a frame of %d bytes", n)
		}
		if err != nil {
			c.err = err
			return
		}
		c.seen.Write(frame[:n])
	}
}

// end stops the collection after it has read everything that has crossed.
func (c *Capture) end() {
	if c.fd < 0 {
		return
	}
	close(c.stop)
	c.done.Wait()
	if lost, err := unix.GetsockoptTpacketStats(c.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS); c.err == nil {
		if c.err = err; err == nil && lost.Drops > 0 {
			c.err = fmt.Errorf("%d frames were lost", lost.Drops)
		}
	}
	unix.Close(c.fd)
	c.fd = -1
}

// Seen ends the capture and returns the captured frames. It fails the test if frames were lost.
func (c *Capture) Seen(t *testing.T) []byte {
	t.Helper()
	c.end()
	if c.err != nil {
		t.Fatalf("capture: %v", c.err)
	}
	return c.seen.Bytes()
}
