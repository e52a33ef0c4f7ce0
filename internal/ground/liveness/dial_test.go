package liveness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestDialLimit dials a kernel that does not answer, as its queue of connections is full.
func TestDialLimit(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	addr := fmt.Sprintf("127.0.0.1:%d", name.(*unix.SockaddrInet4).Port)
	const most = 8 // far more than the queue holds
	for range most {
		c, err := Dial(context.Background(), addr, Limits{Connect: 100 * time.Millisecond})
		if err == nil {
			defer c.Close()
			continue
		}
		if !strings.Contains(err.Error(), addr+": no answer within 100ms") {
			t.Errorf("%v, expected that there is no answer", err)
		}
		return
	}
	t.Errorf("%d connections fit in a queue for none", most)
}

// endPoint is a connection that counts itself while it is open.
type endPoint struct {
	net.Conn
	open *atomic.Int32
}

func (e endPoint) Close() error {
	e.open.Add(-1)
	return e.Conn.Close()
}

// TestDialAgain: the first attempts get no answer, as if the network lost all their packets. The first answer
// decides, and no other attempt leaves a connection.
func TestDialAgain(t *testing.T) {
	refused := errors.New("refused")
	for _, c := range []struct {
		name   string
		silent int32 // attempts without an answer
		late   bool  // silent attempts connect when they are ended
		err    error // the answer to the next one; nil if it connects
	}{
		{"at once", 0, false, nil},
		{"refused at once", 0, false, refused},
		{"after silence", 3, false, nil},
		{"refused after silence", 2, false, refused},
		{"the silent ones connect too late", 3, true, nil},
		{"refused, the silent ones connect too late", 2, true, refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			var begun, running, open atomic.Int32
			connect := func() (net.Conn, error) {
				conn, _ := net.Pipe()
				open.Add(1)
				return endPoint{conn, &open}, nil
			}
			conn, err := dialAgain(context.Background(), time.Millisecond, func(ctx context.Context) (net.Conn, error) {
				running.Add(1)
				defer running.Add(-1)
				switch n := begun.Add(1); {
				case n == c.silent+1 && c.err == nil:
					return connect()
				case n == c.silent+1:
					return nil, c.err
				}
				<-ctx.Done()
				if c.late {
					return connect()
				}
				return nil, ctx.Err()
			})
			if err != c.err || (conn != nil) != (c.err == nil) {
				t.Fatalf("%v, %v, expected %v", conn, err, c.err)
			}
			if begun.Load() <= c.silent || running.Load() != 0 {
				t.Errorf("%d attempts, of which %d still run, expected more than %d", begun.Load(), running.Load(), c.silent)
			}
			if conn != nil {
				conn.Close()
			}
			if open.Load() != 0 {
				t.Errorf("%d connections are open", open.Load())
			}
		})
	}
}

// TestDialAgainShortage: a further attempt that this process has no descriptor for does not end
// the first one.
func TestDialAgainShortage(t *testing.T) {
	var begun atomic.Int32
	short := make(chan bool)
	conn, err := dialAgain(context.Background(), time.Millisecond, func(ctx context.Context) (net.Conn, error) {
		if begun.Add(1) == 1 {
			<-short
			conn, _ := net.Pipe()
			return conn, nil
		}
		select {
		case short <- true:
		default:
		}
		return nil, unix.EMFILE
	})
	if err != nil {
		t.Fatalf("%v after %d attempts", err, begun.Load())
	}
	conn.Close()
	_, err = dialAgain(context.Background(), time.Hour, func(context.Context) (net.Conn, error) { return nil, unix.EMFILE })
	if err != unix.EMFILE {
		t.Errorf("%v, expected that the only attempt decides", err)
	}
}

// TestDialAgainOutage: there is no route to the host at first, as while an interface is down.
func TestDialAgainOutage(t *testing.T) {
	down := &net.OpError{Op: "dial", Err: unix.ENETUNREACH}
	refused := errors.New("refused")
	for _, want := range []error{nil, refused} {
		var begun atomic.Int32
		conn, err := dialAgain(context.Background(), time.Millisecond, func(context.Context) (net.Conn, error) {
			if begun.Add(1) <= 3 {
				return nil, down
			}
			if want != nil {
				return nil, want
			}
			conn, _ := net.Pipe()
			return conn, nil
		})
		if err != want || begun.Load() < 4 {
			t.Errorf("%v after %d attempts, expected %v after 4", err, begun.Load(), want)
		}
		if conn != nil {
			conn.Close()
		}
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), 20*time.Millisecond, errors.New("no answer"))
	defer cancel()
	_, err := dialAgain(ctx, time.Millisecond, func(context.Context) (net.Conn, error) { return nil, down })
	if err != down {
		t.Errorf("%v, expected %v", err, down)
	}
	if got := explain(context.Cause(ctx), err).Error(); got != "no answer: network is unreachable" {
		t.Errorf("%q", got)
	}
}

// TestDialAgainEnds ends the context while all attempts are unanswered.
func TestDialAgainEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var begun atomic.Int32
	_, err := dialAgain(ctx, time.Millisecond, func(ctx context.Context) (net.Conn, error) {
		if begun.Add(1) == 3 {
			cancel()
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if !errors.Is(err, context.Canceled) || begun.Load() < 3 {
		t.Errorf("%v after %d attempts, expected the end of the context after 3", err, begun.Load())
	}
}
