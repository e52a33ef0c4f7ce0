package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// ofVersion returns a frame as another version sends it, with bytes behind it that this one does not expect.
func ofVersion(version byte, frame []byte) []byte {
	other := append(bytes.Clone(frame), make([]byte, 1<<16)...)
	other[5] = version
	return other
}

// TestOtherProcess: the launcher refuses a process of another version with that reason, whatever else the
// process sends, and other processes still join.
func TestOtherProcess(t *testing.T) {
	for _, secure := range []bool{false, true} {
		r := newSecureRun(t, secure, 1)
		socket, err := net.Dial("tcp", r.server.Addrs()[0].String())
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		conn, err := party{token: r.token, secure: secure}.credentials(t).answer(r.ctx(), socket, serviceRendezvous, noMember, noMember)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(ofVersion(wireVersion+1, hello{host: "there"}.frame())); err != nil {
			t.Fatal(err)
		}
		kind, reason, err := readFrame(conn, maxText)
		want := fmt.Sprintf("it speaks version %d, the process version %d", wireVersion, wireVersion+1)
		if kind != frameReject || err != nil || !strings.Contains(string(reason), want) {
			t.Errorf("frame %d with %q, %v", kind, reason, err)
		}
		if rest, err := io.ReadAll(socket); len(rest) > 0 || err != nil {
			t.Errorf("after the refusal: %d bytes, %v", len(rest), err)
		}
		if e := r.expect(Rejected); !strings.Contains(e.Text, "version") {
			t.Errorf("reported %+v", e)
		}
		socket.Close()
		r.dial(0, 0)
	}
}

// TestOtherLauncher: a process whose launcher is of another version reports that, and does not try again.
func TestOtherLauncher(t *testing.T) {
	token, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	served := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			served <- err
			return
		}
		defer conn.Close()
		if _, _, err = (party{token: token}).credentials(t).challenge(context.Background(), conn, serviceRendezvous, noMember); err == nil {
			// The hello is not read, as a launcher that does not know its length might do.
			_, err = conn.Write(ofVersion(wireVersion+1, textFrame(frameReject, "")))
		}
		served <- err
	}()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_, err = Dial(ctx, Env{Rendezvous: []string{l.Addr().String()}, Token: token}, Identity{})
	if want := fmt.Sprintf("version %d, expected %d", wireVersion+1, wireVersion); !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
