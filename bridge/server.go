package bridge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/ground/acceptlimit"
	"github.com/goacp/goacp/internal/ground/liveness"
)

// Job is one job of a run.
type Job struct {
	Name string // for messages of the launcher
	Size int    // number of processes, at least 1
}

// ServerConfig configures a rendezvous.
type ServerConfig struct {
	Jobs   []Job // in the order of the inputfile
	Token  Token
	Secure bool     // connections are encrypted, as those of all members are
	Listen []string // addresses as for net.Listen, such as 127.0.0.1:0

	// Sockets are further sockets to serve. The server closes them in every case.
	Sockets []*net.TCPListener
	// Events is called for every event, one call after the other. It may call the server,
	// except Close. It may be nil.
	Events func(Event)

	// Limits decide when the host of a member counts as dead.
	Limits liveness.Limits
}

// Server is the rendezvous of one run. It lives in the launcher.
type Server struct {
	proofs    *Credentials
	limits    liveness.Limits
	listeners []*net.TCPListener
	limiter   *acceptlimit.Limiter // callers that have not proved themselves
	events    *eventQueue
	serving   sync.WaitGroup

	mu      sync.Mutex
	members *membership
	aborted string // the reason why the run is over, or ""
	died    bool   // because a member has died
	closed  bool
}

// Listen starts the rendezvous of a run. Errors name the job or the address that is wrong.
func Listen(cfg ServerConfig) (*Server, error) {
	sockets, err := listen(cfg)
	if err != nil {
		return nil, err
	}
	proofs, err := NewCredentials(cfg.Token, cfg.Secure)
	if err != nil {
		for _, l := range sockets {
			l.Close()
		}
		return nil, err
	}
	s := &Server{proofs: proofs, limits: cfg.Limits, listeners: sockets, members: newMembership(cfg.Jobs), limiter: acceptlimit.New()}
	s.events = newEventQueue(cfg.Events)
	for _, l := range s.listeners {
		s.serving.Add(1)
		go s.accept(l)
	}
	return s, nil
}

// listen checks a configuration and opens its sockets.
func listen(cfg ServerConfig) (sockets []*net.TCPListener, err error) {
	defer func() {
		if err != nil {
			for _, l := range append(sockets, cfg.Sockets...) {
				l.Close()
			}
		}
	}()
	if err := checkJobs(cfg.Jobs); err != nil {
		return nil, err
	}
	if len(cfg.Listen)+len(cfg.Sockets) == 0 {
		return nil, errors.New("rendezvous: no address to listen on")
	}
	for _, addr := range cfg.Listen {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			return sockets, fmt.Errorf("rendezvous: %w", err)
		}
		sockets = append(sockets, l.(*net.TCPListener))
	}
	return append(sockets, cfg.Sockets...), nil
}

func checkJobs(jobs []Job) error {
	if len(jobs) == 0 {
		return errors.New("rendezvous: a run needs at least one job")
	}
	total := 0
	for i, job := range jobs {
		if job.Size < 1 || job.Size > math.MaxInt32-total {
			return fmt.Errorf("rendezvous: job %d (%s) has %d processes", i, job.Name, job.Size)
		}
		total += job.Size
	}
	return nil
}

// Addrs returns the addresses at which the server listens, in the order of the configuration.
// A wildcard address is returned as such.
func (s *Server) Addrs() []netip.AddrPort {
	addrs := make([]netip.AddrPort, len(s.listeners))
	for i, l := range s.listeners {
		a := l.Addr().(*net.TCPAddr).AddrPort()
		addrs[i] = netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
	}
	return addrs
}

// Contacts returns the contacts that the members have exchanged, encoded, in member order. It
// returns nil before that. They are shared and must not be changed. Safe for concurrent use.
func (s *Server) Contacts() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.members.contacts
}

// Universes returns the outcomes of [Join], in member order, for [Members.Settle]. It returns
// nil before that. They are shared and must not be changed. Safe for concurrent use.
func (s *Server) Universes() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.members.universes
}

// Abort ends the run. It sends the reason to every member, and rejects processes that come later. Only the
// first reason counts. Does not block. Safe for concurrent use.
func (s *Server) Abort(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abort(reason)
}

// abort is Abort for a caller that holds mu.
func (s *Server) abort(reason string) {
	if s.aborted != "" || s.closed {
		return
	}
	if reason == "" {
		reason = "no reason given"
	}
	s.aborted = reason
	frame := textFrame(frameAbort, reason)
	for i := range s.members.records {
		if record := &s.members.records[i]; record.state == memberPresent {
			record.link.send(frame)
		}
	}
}

// Close ends the server and all connections. Members that have not left get [ErrLauncherLost].
// Returns when all events have been delivered. Further calls do nothing. Events must not call
// it.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	for i := range s.members.records {
		if record := &s.members.records[i]; record.link != nil {
			record.link.close()
		}
	}
	s.mu.Unlock()
	var err error
	for _, l := range s.listeners {
		err = errors.Join(err, l.Close())
	}
	s.limiter.Close()
	s.serving.Wait()
	s.events.close()
	return err
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *Server) accept(l *net.TCPListener) {
	defer s.serving.Done()
	for {
		conn, err := l.AcceptTCP()
		if err != nil {
			if s.isClosed() || errors.Is(err, net.ErrClosed) {
				return
			}
			// The process may be out of descriptors, for example, and get some back later.
			s.limiter.Evict()
			time.Sleep(acceptPause)
			continue
		}
		leave := s.limiter.Enter(conn)
		s.serving.Add(1)
		go s.serve(conn, leave)
	}
}

// serve handles one connection from its first to its last byte. It calls leave when the caller
// has proved itself or failed to.
func (s *Server) serve(socket *net.TCPConn, leave func(proved bool)) {
	defer s.serving.Done()
	var h hello
	var conn net.Conn
	err := liveness.Tune(socket, s.limits)
	if err == nil {
		conn, h, err = s.identify(socket)
	}
	leave(err == nil)
	if err != nil {
		refuse(conn, socket, err)
		if !s.isClosed() {
			s.events.put(Event{Kind: Rejected, Member: -1,
				Text: fmt.Sprintf("connection from %s: %v", socket.RemoteAddr(), err)})
		}
		return
	}
	l := &link{conn: conn, socket: socket}
	member, reason := s.join(h, l)
	if reason != "" {
		l.sendLast(textFrame(frameReject, reason))
		return
	}
	// The reader of the connection notices the end and handles it.
	var vanished atomic.Pointer[error]
	defer liveness.Watch(socket, s.limits, func(err error) {
		vanished.Store(&err)
		socket.Close()
	})()
	err = s.attend(member, conn)
	if reason := vanished.Load(); err != nil && reason != nil {
		err = *reason
	}
	s.depart(member, err)
}

// refuse closes the connection of a caller that is no member because of err. A caller of another version that
// has proved itself on conn gets that reason.
func refuse(conn net.Conn, socket *net.TCPConn, err error) {
	if version := (*versionError)(nil); errors.As(err, &version) {
		reason := fmt.Sprintf("the launcher is of another version of ACP: it speaks version %d, the process version %d", wireVersion, version.there)
		if _, err := conn.Write(textFrame(frameReject, reason)); err == nil {
			liveness.HangUp(socket)
		}
	}
	socket.Close()
}

const (
	// joinLimit is how long a process may take to authenticate and send its identity. A process that is
	// stopped meanwhile tries again.
	joinLimit = 10 * time.Second

	// acceptPause is how long the server waits when the process is short of descriptors.
	acceptPause = 50 * time.Millisecond
)

// identify authenticates a caller and reads which process it is.
func (s *Server) identify(socket *net.TCPConn) (conn net.Conn, h hello, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), joinLimit)
	defer cancel()
	if conn, _, err = s.proofs.challenge(ctx, socket, serviceRendezvous, noMember); err != nil {
		return nil, h, err
	}
	err = guarded(ctx, socket, func() error {
		kind, payload, err := readFrame(conn, maxHello)
		if err != nil {
			return err
		}
		if kind != frameHello {
			return fmt.Errorf("%w: frame %d instead of a hello", ErrProtocol, kind)
		}
		h, err = decodeHello(payload)
		return err
	})
	return conn, h, err
}

// join makes a process a member, or returns why it cannot.
func (s *Server) join(h hello, l *link) (member int, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		reason = "the launcher is ending"
	case s.aborted != "":
		reason = "the run was aborted: " + s.aborted
	default:
		member, reason = s.members.join(h, l)
	}
	if reason != "" {
		s.events.put(Event{Kind: Rejected, Member: -1, Job: int(h.job), JobRank: int(h.jobRank),
			PID: int(h.pid), Host: h.host, Text: reason})
		return -1, reason
	}
	jobRank := s.members.records[member].hello.jobRank
	l.send(welcome{uint32(member), uint32(s.members.size()), uint32(jobRank)}.frame())
	s.events.put(s.members.event(Joined, member, ""))
	if s.members.joined == s.members.size() {
		s.events.put(Event{Kind: Ready, Member: -1})
	}
	return member, ""
}

// attend handles what a member sends, until it leaves or its connection ends. It returns nil
// if the member has left.
func (s *Server) attend(member int, conn net.Conn) error {
	for {
		kind, payload, err := readFrame(conn, 4+MaxBlob)
		if err == nil {
			err = s.handle(member, kind, payload)
		}
		switch {
		case errors.Is(err, errLeft):
			return nil
		case err != nil:
			return err
		}
	}
}

var errLeft = errors.New("the rank has left")

// handle handles one frame of a member. It returns an error if nothing more is to be read.
func (s *Server) handle(member int, kind frameKind, payload []byte) error {
	switch kind {
	case frameExchange:
		return s.exchange(member, payload)
	case frameAbort:
		s.memberAborts(member, string(payload))
		return nil
	case frameLost:
		return s.memberLost(member, payload)
	case frameInformed:
		s.informed(member)
		return nil
	case frameLeave:
		return errLeft
	}
	return fmt.Errorf("%w: unexpected frame %d", ErrProtocol, kind)
}

// exchange takes the blob of a member. With the last blob it sends the result to all members.
func (s *Server) exchange(member int, payload []byte) error {
	seq, blob, err := decodeExchange(payload)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	frame, err := s.members.takeBlob(member, seq, blob)
	if errors.Is(err, ErrProtocol) {
		return err
	}
	if err != nil {
		s.abort(err.Error())
		return nil
	}
	if frame == nil {
		s.checkStuck()
		return nil
	}
	for i := range s.members.records {
		s.members.records[i].link.send(frame)
	}
	return nil
}

func (s *Server) checkStuck() {
	if reason := s.members.stuck(); reason != "" {
		s.abort(reason)
	}
}

func (s *Server) memberAborts(member int, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record := &s.members.records[member]
	if record.aborted {
		return
	}
	record.aborted = true
	if (s.died || s.aborted != "") && !s.closed && record.lost == noMember {
		// The end of the run has not reached the member, so the abort may be its cause: the server may see
		// the end of a process before it reads the abort.
		s.events.put(s.members.event(Aborted, member, reason))
		return
	}
	s.unlessLost(member, func() {
		s.events.put(s.members.event(Aborted, member, reason))
		s.abort(s.members.where(member) + " aborted: " + reason)
	})
}
