package endpoint_test

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/ground/endpoint"
)

// listen returns a listener at the loopback interface.
func listen(t *testing.T) *endpoint.Listener {
	t.Helper()
	l, err := endpoint.NewListener(endpoint.Choice{}, []netip.Addr{endpoint.Loopback()})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// lowest returns the number that the next open of this process gets.
func lowest(t *testing.T) int {
	t.Helper()
	fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Close(fd); err != nil {
		t.Fatal(err)
	}
	return fd
}

// TestAcceptTakesNoDescriptor: while a goroutine begins to wait for a caller, other opens get the numbers that they expect.
func TestAcceptTakesNoDescriptor(t *testing.T) {
	for range 60 {
		l := listen(t)
		want := lowest(t)
		accepted := make(chan error, 1)
		go func() {
			_, err := l.Sockets()[0].Accept()
			accepted <- err
		}()
		for range 60 {
			if got := lowest(t); got != want {
				t.Fatalf("an open got descriptor %d instead of %d", got, want)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-accepted; !errors.Is(err, net.ErrClosed) {
			t.Fatalf("after Close, Accept returned %v", err)
		}
	}
}

// TestAcceptsAll: callers that come before and while Accept waits are accepted, each once.
func TestAcceptsAll(t *testing.T) {
	l := listen(t)
	defer l.Close()
	const callers = 50
	dialled := make(chan error, 1)
	call := func(n int) error {
		for range n {
			c, err := net.Dial("tcp", l.Addrs()[0].String())
			if err != nil {
				return err
			}
			defer c.Close()
		}
		return nil
	}
	if err := call(callers / 2); err != nil {
		t.Fatal(err)
	}
	go func() { dialled <- call(callers - callers/2) }()
	for range callers {
		c, err := l.Sockets()[0].Accept()
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	if err := <-dialled; err != nil {
		t.Fatal(err)
	}
}
