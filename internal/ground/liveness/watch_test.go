package liveness

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/endpoint/endpointtest"
	"golang.org/x/sys/unix"
)

// limit bounds every wait of a test.
const limit = 30 * time.Second

func TestUnanswered(t *testing.T) {
	const long = 60_000
	for name, c := range map[string]struct {
		info unix.TCPInfo
		want time.Duration
	}{
		"idle":                        {unix.TCPInfo{Last_ack_recv: long, Last_data_sent: long}, 0},
		"full window":                 {unix.TCPInfo{Last_ack_recv: long, Last_data_sent: long, Notsent_bytes: 1000}, 0},
		"full window, probe on way":   {unix.TCPInfo{Last_ack_recv: 5, Probes: 1, Notsent_bytes: 1000}, 5 * time.Millisecond},
		"full window, probes in vain": {unix.TCPInfo{Last_ack_recv: long, Probes: 4, Notsent_bytes: 1000}, long * time.Millisecond},
		"data just sent":              {unix.TCPInfo{Last_ack_recv: long, Last_data_sent: 3, Unacked: 1}, 3 * time.Millisecond},
		"data sent in vain":           {unix.TCPInfo{Last_ack_recv: long, Last_data_sent: 3, Unacked: 1, Retransmits: 5}, long * time.Millisecond},
	} {
		if got := unanswered(&c.info); got != c.want {
			t.Errorf("%s: silent for %v, expected %v", name, got, c.want)
		}
	}
}

// TestPauseIsNoSilence: data that follow a pause are late from then on, even if they have
// been sent again meanwhile.
func TestPauseIsNoSilence(t *testing.T) {
	const silence, pause = 8 * time.Second, 3 * time.Second
	w := &watch{silence: silence}
	begin := time.Now()
	lastAck := begin
	for at := time.Duration(0); at <= pause+silence; at += silence / looks {
		now := begin.Add(at)
		info := unix.TCPInfo{Last_ack_recv: uint32(now.Sub(lastAck).Milliseconds())}
		if at > pause {
			info.Unacked, info.Retransmits = 1, 3
		}
		late := w.overdue(unanswered(&info), now)
		if most := max(at-pause, 0); late > most+silence/looks {
			t.Errorf("%v after the data: late by %v", most, late)
		}
		if at == pause+silence && late < silence-silence/looks {
			t.Errorf("%v after the data: late by %v only", silence, late)
		}
	}
	// Acknowledged data do not count any more.
	w.overdue(0, begin)
	if late := w.overdue(time.Minute, begin.Add(time.Hour)); late > silence/looks {
		t.Errorf("just sent: late by %v", late)
	}
}

// TestFullWindowIsNoSilence fills the window of a peer that does not read, for many times the limit. The peer
// does not count as dead, and gets all data in the end.
func TestFullWindowIsNoSilence(t *testing.T) {
	limits := Limits{Silence: 50 * time.Millisecond}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	// The kernel accepts connections for a process that does not call accept.
	c, err := Dial(ctx, l.Addr().String(), limits)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	died := make(chan error, 1)
	stop := Watch(c, limits, func(err error) { died <- err })
	defer stop()

	const total = 16 << 20 // more than sockets hold
	wrote := make(chan error, 1)
	go func() {
		_, err := c.Write(make([]byte, total))
		wrote <- err
	}()
	select {
	case err := <-died:
		t.Fatalf("a peer that does not read is taken for dead: %v", err)
	case err := <-wrote:
		t.Fatalf("%d bytes were taken although the peer reads none, %v", total, err)
	case <-time.After(60 * limits.Silence):
	}
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.SetDeadline(time.Now().Add(limit)); err != nil {
		t.Fatal(err)
	}
	for got := 0; got < total; {
		n, err := other.Read(make([]byte, 1<<20))
		if err != nil {
			t.Fatalf("after %d bytes: %v", got, err)
		}
		got += n
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
}

// TestStop checks that no loss is reported for a connection that is not watched any more, or is closed.
func TestStop(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	limits := Limits{Silence: looks * time.Millisecond}
	for _, closed := range []bool{false, true} {
		c, err := Dial(context.Background(), l.Addr().String(), limits)
		if err != nil {
			t.Fatal(err)
		}
		stop := Watch(c, limits, func(err error) { t.Errorf("reported: %v", err) })
		if closed {
			c.Close()
		}
		time.Sleep(5 * time.Millisecond)
		stop()
		stop()
		c.Close()
	}
}

func TestDialRefused(t *testing.T) {
	refused := endpointtest.Refused(t)
	if _, err := Dial(context.Background(), refused.String(), Limits{}); !errors.Is(err, unix.ECONNREFUSED) {
		t.Errorf("%v, expected that the connection is refused", err)
	}
	if !answers(net.TCPAddrFromAddrPort(refused)) {
		t.Error("a host that refuses a connection is taken for dead")
	}
}
