package tests

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/tests/harness"
)

// frameKind is the kind of a frame between a process and the rendezvous, as in bridge/wire.go.
type frameKind byte

const (
	helloFrame    frameKind = 1
	exchangeFrame frameKind = 2
	leaveFrame    frameKind = 4
	welcomeFrame  frameKind = 5
	resultFrame   frameKind = 7
	byeFrame      frameKind = 8
	changeFrame   frameKind = 11
	catchUpFrame  frameKind = 12
	caughtUpFrame frameKind = 13
	adoptFrame    frameKind = 14
	adoptedFrame  frameKind = 18
	confirmFrame  frameKind = 19
)

const (
	frameHeader  = 8
	helloPID     = frameHeader + 8 // where a hello has the number of the process
	greetingSize = 5
	nonceSize    = 32
	endsSize     = 8
	memberLost   = 2 // the kind of a change, as in bridge/change.go
)

// step is a step of a process: the n-th frame of a kind, counted from 1, is on its way to the rendezvous or to the process. A step
// without a kind holds no frame.
type step struct {
	name string
	kind frameKind
	n    int
}

// toProcess reports whether the rendezvous sends the frame.
func (s step) toProcess() bool {
	switch s.kind {
	case welcomeFrame, resultFrame, byeFrame, caughtUpFrame, adoptedFrame:
		return true
	}
	return false
}

// relay is between one process and the rendezvous, and keeps the process at a step: it holds the frame of the step, and all behind
// it in the same direction. The proofs of the rendezvous contain addresses, so the relay has the token and proves itself to both sides.
type relay struct {
	at       step
	within   func(func() error) error // calls a function in the network of the relay
	listener net.Listener
	route    string        // file with the addresses of the rendezvous and the token
	reached  chan struct{} // closed when the frame of the step is held
	released chan struct{} // closed when the frame may pass
	lost     chan struct{} // receives when the rendezvous tells the process that another one is lost
	cut      chan struct{} // closed when the relay closes its connections
	serving  sync.WaitGroup

	mu     sync.Mutex
	count  int
	pid    int   // of the process
	failed error // of the last connection that a process or the rendezvous has ended early
}

// startRelay returns a relay, and the path of a script that starts program. The process that has number jobRank in its job reaches the
// rendezvous through the relay.
func startRelay(t *testing.T, sandbox *harness.Sandbox, at step, jobRank int, program string) (*relay, string) {
	t.Helper()
	here := func(f func() error) error { return f() }
	return startRelayIn(t, sandbox, here, "127.0.0.1", at, jobRank, program)
}

// startRelayIn is startRelay for a relay with an address in a network, in which within calls functions.
func startRelayIn(t *testing.T, sandbox *harness.Sandbox, within func(func() error) error, address string, at step, jobRank int, program string) (*relay, string) {
	t.Helper()
	var listener net.Listener
	err := within(func() (err error) {
		listener, err = net.Listen("tcp", address+":0")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{at: at, within: within, listener: listener, route: filepath.Join(sandbox.Dir, "route"), reached: make(chan struct{}), released: make(chan struct{}), cut: make(chan struct{}), lost: make(chan struct{}, 10)}
	script := sandbox.Script(filepath.Base(program), fmt.Sprintf(`if [ "$ACP_JOB_RANK" = %d ]; then
	echo "$ACP_RENDEZVOUS $(cat "$ACP_TOKEN_FILE")" >route
	ACP_RENDEZVOUS=%v
fi
exec '%s' "$@"
`, jobRank, listener.Addr(), program))
	r.serving.Add(1)
	go r.accept()
	t.Cleanup(func() {
		listener.Close()
		r.release()
		r.serving.Wait()
	})
	return r, script
}

// wait waits until the process is at the step.
func (r *relay) wait(t *testing.T, run *harness.Command) {
	t.Helper()
	select {
	case <-r.reached:
	case <-time.After(time.Minute):
		r.mu.Lock()
		failed := r.failed
		r.mu.Unlock()
		run.Signal(syscall.SIGTERM)
		t.Fatalf("the process does not reach the step %q, and the relay has failed with %v: %v", r.at.name, failed, run.Wait())
	}
}

// awaitLoss waits until the rendezvous has told the process that another one is lost.
func (r *relay) awaitLoss(t *testing.T) {
	t.Helper()
	select {
	case <-r.lost:
	case <-time.After(time.Minute):
		t.Fatal("the rendezvous reports no loss")
	}
}

// process returns the number of the process.
func (r *relay) process() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pid
}

// release lets the frame of the step pass.
func (r *relay) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.released:
	default:
		close(r.released)
	}
}

func (r *relay) accept() {
	defer r.serving.Done()
	for {
		process, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.serving.Add(1)
		go r.serve(process)
	}
}

// serve passes frames on between a process and the rendezvous until one of them ends the connection.
func (r *relay) serve(process net.Conn) {
	defer r.serving.Done()
	defer process.Close()
	rendezvous, err := r.connect(process)
	if err != nil {
		r.mu.Lock()
		r.failed = err
		r.mu.Unlock()
		return
	}
	defer rendezvous.Close()
	ended := make(chan struct{}, 2)
	here, there := make(chan struct{}), make(chan struct{})
	go r.pass(process, rendezvous, here, here, ended)
	last := there
	if r.at.kind == byeFrame {
		last = here // the rendezvous sends nothing behind it, and closes the connection
	}
	go r.pass(rendezvous, process, there, last, ended)
	left := 2
	select {
	case <-ended:
		left--
	case <-r.cut:
	}
	rendezvous.Close()
	process.Close()
	for range left {
		<-ended
	}
}

// connect proves the relay to the process and the rendezvous, and returns the connection to the rendezvous.
func (r *relay) connect(process net.Conn) (net.Conn, error) {
	text, err := os.ReadFile(r.route)
	if err != nil {
		return nil, err
	}
	addresses, secret, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	token, err := bridge.ParseToken(secret)
	if err != nil {
		return nil, err
	}
	address, _, _ := strings.Cut(addresses, ",")
	var rendezvous net.Conn
	err = r.within(func() (err error) {
		rendezvous, err = net.Dial("tcp", address)
		return err
	})
	if err != nil {
		return nil, err
	}
	// The process sends nothing before it has the greeting and the first nonce.
	start := make([]byte, greetingSize+nonceSize)
	answer := make([]byte, endsSize+nonceSize+sha256.Size)
	verdict := make([]byte, 1+sha256.Size)
	nonces := func() []byte {
		return append(start[greetingSize:len(start):len(start)], answer[endsSize:endsSize+nonceSize]...)
	}
	for _, talk := range []func() error{
		func() error { return transfer(rendezvous, process, start) },
		func() error { _, err := io.ReadFull(process, answer); return err },
		func() error {
			copy(answer[endsSize+nonceSize:], proofAt(token, 'd', address, nonces()))
			_, err := rendezvous.Write(answer)
			return err
		},
		func() error { _, err := io.ReadFull(rendezvous, verdict); return err },
		func() error {
			copy(verdict[1:], proofAt(token, 'a', r.listener.Addr().String(), nonces()))
			_, err := process.Write(verdict)
			return err
		},
	} {
		if err := talk(); err != nil {
			rendezvous.Close()
			return nil, err
		}
	}
	return rendezvous, nil
}

// transfer passes len(b) bytes on.
func transfer(from, to net.Conn, b []byte) error {
	if _, err := io.ReadFull(from, b); err != nil {
		return err
	}
	_, err := to.Write(b)
	return err
}

// proofAt is the proof of one side of a connection to a rendezvous, as in bridge/proof.go.
func proofAt(token bridge.Token, role byte, address string, nonces []byte) []byte {
	mac := hmac.New(sha256.New, token[:])
	mac.Write([]byte{role})
	noMember := []byte{255, 255, 255, 255, 255, 255, 255, 255} // neither side is a member
	for _, part := range [][]byte{[]byte("rendezvous"), noMember, []byte(address), nil, nonces[:nonceSize], nonces[nonceSize:]} {
		mac.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(part))))
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// pass passes frames on in one direction, and closes gone when the sender has ended. A frame that is held when last is closed is dropped:
// it was never sent, or never received.
func (r *relay) pass(from, to net.Conn, gone chan<- struct{}, last <-chan struct{}, ended chan<- struct{}) {
	defer func() { ended <- struct{}{} }()
	frames := make(chan []byte, 1000)
	go func() {
		defer close(frames)
		defer close(gone)
		for {
			frame, err := readRelayed(from)
			if err != nil {
				return
			}
			frames <- frame
		}
	}()
	for frame := range frames {
		if r.holds(frame) {
			close(r.reached)
			select {
			case <-r.released:
			case <-last:
				return
			case <-r.cut:
				return
			}
		}
		if _, err := to.Write(frame); err != nil {
			return
		}
	}
}

// holds reports whether a frame is that of the step.
func (r *relay) holds(frame []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	kind := frameKind(frame[4])
	if kind == helloFrame {
		r.pid = int(binary.LittleEndian.Uint32(frame[helloPID:]))
	}
	if kind == changeFrame && frame[frameHeader] == memberLost {
		r.lost <- struct{}{}
	}
	if kind != r.at.kind {
		return false
	}
	r.count++
	return r.count == r.at.n
}

// readRelayed reads one frame with its header.
func readRelayed(from net.Conn) ([]byte, error) {
	frame := make([]byte, frameHeader)
	if _, err := io.ReadFull(from, frame); err != nil {
		return nil, err
	}
	frame = append(frame, make([]byte, binary.LittleEndian.Uint32(frame))...)
	_, err := io.ReadFull(from, frame[frameHeader:])
	return frame, err
}
