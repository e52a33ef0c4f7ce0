package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/usersocket"
)

// Run is the run of a launcher, as its control socket needs it. Its methods are called on several goroutines.
type Run interface {
	// Attach gives seats to the jobs of a request. It fails with [bridge.ErrStarting] while the ranks of the run
	// join. events is called as that of [bridge.Server.Attach].
	Attach(q *Request, events func(bridge.Event)) (*bridge.Guests, Admission, error)
	// Resize starts processes of the run and asks ranks to leave. It fails with [bridge.ErrStarting] while the ranks of the
	// run join.
	Resize(q *Resize) (Resized, error)
	// AskLeave asks those ranks to leave that belong to the run.
	AskLeave(ranks []int, reason string)
	// AdderLost is called when the connection of the launcher that has added these ranks ends before them.
	AdderLost(ranks []int)
	// Attached is called when the launcher of guests has its admission, before all events.
	Attached(g *bridge.Guests, q *Request)
	// Event is called for each event of guests.
	Event(g *bridge.Guests, e bridge.Event)
	// Detached is called when the connection of that launcher has ended, after all events.
	Detached(g *bridge.Guests)
}

const (
	// requestLimit is how long a launcher may take to send its request.
	requestLimit = 10 * time.Second
	// maxRequest bounds the bytes of a request.
	maxRequest = 1 << 20
	// startLimit is how long a request for other ranks waits for a run that starts.
	startLimit = 10 * time.Second
	// retryInterval is the time between two attempts to attach to a run that starts.
	retryInterval = 20 * time.Millisecond
	// closeLimit is how long launchers may take to receive their last events.
	closeLimit = time.Second
)

// Socket serves the control socket of a run.
type Socket struct {
	run    Run
	server *usersocket.Server

	mu    sync.Mutex
	conns map[net.Conn]bool // of launchers whose jobs have attached; nil when the run is over
}

// Listen serves the control socket path of a run.
func Listen(path string, run Run) (*Socket, error) {
	s := &Socket{run: run, conns: map[net.Conn]bool{}}
	var err error
	if s.server, err = usersocket.Listen(path, func(conn *net.UnixConn) { s.serve(conn) }); err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	return s, nil
}

// Close admits no more launchers. Those that do not receive their last events soon, because they are stopped, do not
// delay the end of the run. It does nothing on a nil Socket.
func (s *Socket) Close() {
	if s == nil {
		return
	}
	s.server.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.conns {
		_ = conn.SetWriteDeadline(time.Now().Add(closeLimit))
	}
	s.conns = nil
}

// add records the connection of a launcher. It fails when the run is over.
func (s *Socket) add(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		return false
	}
	s.conns[conn] = true
	return true
}

// remove forgets the connection of a launcher.
func (s *Socket) remove(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
}

// serve handles the connection of one launcher.
func (s *Socket) serve(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(requestLimit))
	input := io.LimitReader(conn, maxRequest).(*io.LimitedReader)
	decoder, encoder := json.NewDecoder(input), json.NewEncoder(conn)
	var q Request
	if err := decoder.Decode(&q); err != nil {
		_ = encoder.Encode(reply{Refused: fmt.Sprintf("malformed request: %v", err)})
		return
	}
	if refusal := q.check(); refusal != "" {
		_ = encoder.Encode(reply{Refused: refusal})
		return
	}
	_ = conn.SetDeadline(time.Time{})
	if q.Resize != nil {
		commands := readCommands(decoder, input)
		if resized, ok := s.resize(encoder, q.Resize, commands); ok && resized.Ended != nil {
			s.stay(encoder, commands, resized)
		}
		conn.Close()
		for range commands { // ends the goroutine that reads
		}
		return
	}
	if !s.add(conn) {
		_ = encoder.Encode(reply{Refused: "the run is ending"})
		return
	}
	defer s.remove(conn)
	aborts := readCommands(decoder, input)
	x := &session{run: s.run, request: &q, encoder: encoder, admitted: make(chan struct{})}
	x.serve(conn, aborts)
	conn.Close()
	for range aborts { // ends the goroutine that reads
	}
}

// resize answers a request for other ranks. While the run starts, it tries again. ok is false if the request is refused, or if
// the launcher that asks ends meanwhile, which closes commands.
func (s *Socket) resize(encoder *json.Encoder, q *Resize, commands <-chan string) (resized Resized, ok bool) {
	for began := time.Now(); ; {
		resized, err := s.run.Resize(q)
		if errors.Is(err, bridge.ErrStarting) && time.Since(began) < startLimit {
			select {
			case _, ok := <-commands:
				if !ok {
					return Resized{}, false
				}
			case <-time.After(retryInterval):
			}
			continue
		}
		r := reply{Done: resized.Answer, Stays: resized.Ended != nil}
		if err != nil {
			r.Refused = err.Error()
		}
		_ = encoder.Encode(r)
		return resized, err == nil
	}
}

// stay waits until the processes have ended that a launcher has added, and sends that launcher the last message. It also returns when
// the connection ends, which closes leaves.
func (s *Socket) stay(encoder *json.Encoder, leaves <-chan string, added Resized) {
	defer added.Notified()
	for {
		select {
		case <-added.Ended:
			// The other launcher may have ended meanwhile.
			_ = encoder.Encode(ended{Ended: true})
			return
		case reason, ok := <-leaves:
			if !ok {
				s.run.AdderLost(added.Ranks)
				return
			}
			s.run.AskLeave(added.Ranks, reason)
		}
	}
}

// readCommands returns the reasons for which the launcher of guests ends them, as they arrive. The channel is
// closed at the end of the connection.
func readCommands(decoder *json.Decoder, input *io.LimitedReader) <-chan string {
	aborts := make(chan string)
	go func() {
		defer close(aborts)
		for {
			input.N = maxRequest
			var c command
			if decoder.Decode(&c) != nil {
				return
			}
			aborts <- c.Abort
		}
	}()
	return aborts
}

// session is the connection of a launcher whose jobs attach.
type session struct {
	run      Run
	request  *Request
	encoder  *json.Encoder
	guests   *bridge.Guests
	admitted chan struct{} // closed when the admission has been sent
}

// serve attaches the jobs, and ends them with the connection.
func (s *session) serve(conn net.Conn, aborts <-chan string) {
	admission, err := s.attach(aborts)
	if err != nil {
		_ = s.encoder.Encode(reply{Refused: err.Error()})
		return
	}
	s.run.Attached(s.guests, s.request)
	if s.encoder.Encode(reply{Run: &admission}) != nil {
		conn.Close() // so that the commands end, too
	}
	close(s.admitted)
	for reason := range aborts {
		s.guests.Abort(reason)
	}
	s.guests.Close()
	s.run.Detached(s.guests)
}

// attach attaches the jobs. While the run starts, it tries again. It fails if the launcher of the guests gives up or ends.
func (s *session) attach(aborts <-chan string) (Admission, error) {
	for {
		guests, admission, err := s.run.Attach(s.request, s.event)
		if !errors.Is(err, bridge.ErrStarting) {
			s.guests = guests
			return admission, err
		}
		select {
		case <-aborts:
			return Admission{}, errors.New("the launcher has given up")
		case <-time.After(retryInterval):
		}
	}
}

// event passes an event on to the launcher of the guests. It blocks while that launcher is stopped.
func (s *session) event(e bridge.Event) {
	<-s.admitted
	s.run.Event(s.guests, e)
	// The end of the connection is noticed where commands are read.
	_ = s.encoder.Encode(notice{Event: e})
}
