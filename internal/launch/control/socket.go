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
	// maxRequest bounds the bytes of a request. The system bounds the command line in it to 6 MiB, and quotes are added to that.
	maxRequest = 16 << 20
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
		if input.N <= 0 {
			err = fmt.Errorf("it is longer than the %d bytes that are possible", maxRequest)
		}
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
		s.resize(encoder, q.Resize, commands)
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

// resize answers a request for other ranks. If processes run in the allocation of the launcher that asks, it returns when they have ended, or that
// launcher has. While the run starts, it tries again, unless that launcher gives up or ends.
func (s *Socket) resize(encoder *json.Encoder, q *Resize, commands <-chan command) {
	resized, err := s.run.Resize(q)
	for began := time.Now(); errors.Is(err, bridge.ErrStarting) && time.Since(began) < startLimit; resized, err = s.run.Resize(q) {
		select {
		case <-commands: // one to give up, or the end of the connection
			return
		case <-time.After(retryInterval):
		}
	}
	if err != nil {
		_ = encoder.Encode(reply{Refused: err.Error()})
		return
	}
	if resized.Notified != nil {
		defer resized.Notified()
	}
	_ = encoder.Encode(reply{Done: resized.Answer, Failed: resized.Failed, Stays: resized.Ended != nil})
	if resized.Ended != nil {
		s.stay(encoder, commands, resized)
	}
}

// stay waits until the processes have ended that a launcher has added, and sends that launcher the last message. It also returns when
// that launcher waits no longer, and when the connection ends, which closes commands.
func (s *Socket) stay(encoder *json.Encoder, commands <-chan command, added Resized) {
	for {
		select {
		case <-added.Ended:
			// The other launcher may have ended meanwhile.
			_ = encoder.Encode(ended{Ended: true})
			return
		case c, ok := <-commands:
			if !ok {
				s.run.AdderLost(added.Ranks)
				return
			}
			if c.Abort != "" {
				s.run.AskLeave(added.Ranks, c.Abort)
			}
			if c.Last {
				return
			}
		}
	}
}

// readCommands returns the commands of the other launcher, as they arrive. The channel is closed at the end of the connection.
func readCommands(decoder *json.Decoder, input *io.LimitedReader) <-chan command {
	commands := make(chan command)
	go func() {
		defer close(commands)
		for {
			input.N = maxRequest
			var c command
			if decoder.Decode(&c) != nil {
				return
			}
			commands <- c
		}
	}()
	return commands
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
func (s *session) serve(conn net.Conn, aborts <-chan command) {
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
	for c := range aborts {
		s.guests.Abort(c.Abort)
	}
	s.guests.Close()
	s.run.Detached(s.guests)
}

// attach attaches the jobs. While the run starts, it tries again. It fails if the launcher of the guests gives up or ends.
func (s *session) attach(aborts <-chan command) (Admission, error) {
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
