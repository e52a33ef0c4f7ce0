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
	// Max is the number of processes to which the job can grow, at least Size. 0: the number is fixed.
	Max int `json:",omitempty"`
}

// reserve returns the number of processes that may come later.
func (j *Job) reserve() int { return max(j.Max-j.Size, 0) }

// ServerConfig configures a rendezvous.
type ServerConfig struct {
	Jobs   []Job // in the order of the inputfile
	Guests int   // how many processes of other jobs can ever attach to the run
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
	serving   sync.WaitGroup

	mu      sync.Mutex
	members *membership
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
	s := &Server{proofs: proofs, limits: cfg.Limits, listeners: sockets, members: newMembership(cfg.Jobs, cfg.Guests), limiter: acceptlimit.New()}
	s.residents().events = newEventQueue(cfg.Events)
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
	if cfg.Guests < 0 || cfg.Guests > math.MaxInt32-total(cfg.Jobs) {
		return nil, fmt.Errorf("rendezvous: %d guests", cfg.Guests)
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
		if job.Max != 0 && (job.Max < job.Size || job.Max > math.MaxInt32-total) {
			return fmt.Errorf("rendezvous: job %d (%s) of %d processes is to grow to %d", i, job.Name, job.Size, job.Max)
		}
		total += job.Size + job.reserve()
	}
	return nil
}

// total returns the number of seats of jobs.
func total(jobs []Job) (n int) {
	for _, job := range jobs {
		n += job.Size + job.reserve()
	}
	return n
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

// residents returns the cohort of the beginning. The run is over when it is.
func (s *Server) residents() *cohort { return s.members.cohorts[0] }

// Contacts returns the contacts that the members of the beginning have exchanged, encoded, in member order. It
// returns nil before that. They are shared and must not be changed. Safe for concurrent use.
func (s *Server) Contacts() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.residents().contacts
}

// Universes returns the outcomes of [Join], in member order, for [Members.Settle]. It returns
// nil before that. They are shared and must not be changed. Safe for concurrent use.
func (s *Server) Universes() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.residents().universes
}

// Abort ends the run. It sends the reason to every member, and rejects processes that come later. Only the
// first reason counts. Does not block. Safe for concurrent use.
func (s *Server) Abort(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abort(s.residents(), reason)
}

// abort ends a cohort, and the run if the cohort is that of the beginning. The caller holds mu.
func (s *Server) abort(c *cohort, reason string) {
	if c.aborted != "" || s.closed {
		return
	}
	if reason == "" {
		reason = "no reason given"
	}
	c.aborted = reason
	s.send(c, textFrame(frameAbort, reason))
	if c == s.residents() {
		s.endGuests("the run to which they have attached is over: " + reason)
		for _, lone := range s.members.lone {
			s.abort(lone, reason)
		}
	}
}

// endGuests ends the cohorts of all guests. The caller holds mu.
func (s *Server) endGuests(reason string) {
	for _, c := range s.members.cohorts[1:] {
		if c.aborted == "" {
			c.events.put(Event{Kind: RunEnded, Member: -1, Text: reason})
		}
		s.abort(c, reason)
	}
}

// send sends a frame to all members of a cohort that have not left. The caller holds mu.
func (s *Server) send(c *cohort, frame []byte) {
	for _, member := range c.members {
		if record := s.members.records.at(member); record.state == memberPresent {
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
	for _, record := range s.members.records.used() {
		if record.link != nil {
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
	for _, c := range s.members.cohorts {
		c.events.close()
	}
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
			s.residents().events.put(Event{Kind: Rejected, Member: -1,
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
	c := s.residents()
	if int64(h.job) < int64(len(s.members.jobs)) {
		c = s.members.cohortOfJob(int(h.job))
		if m := s.members.member(int(h.job), int(h.jobRank)); h.jobRank >= 0 && m >= 0 {
			c = s.members.cohortOf(m)
		}
	}
	switch {
	case s.closed:
		reason = "the launcher is ending"
	case c.aborted != "":
		reason = "the run was aborted: " + c.aborted
	default:
		member, reason = s.members.join(h, l)
	}
	if reason != "" {
		c.events.put(Event{Kind: Rejected, Member: -1, Job: int(h.job), JobRank: int(h.jobRank),
			PID: int(h.pid), Host: h.host, Text: reason})
		return -1, reason
	}
	l.send(s.members.welcome(member).frame())
	s.sendPast(c, l)
	c.events.put(s.members.event(Joined, member, ""))
	if c.joined == c.size() && !c.newcomer {
		c.events.put(Event{Kind: Ready, Member: -1})
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
	case frameCatchUp:
		s.caughtUp(member)
		return nil
	case frameAdopt:
		return s.adopt(member, payload)
	case frameConfirm:
		return s.confirmed(member, payload)
	case frameAskLeave:
		return s.memberAsks(member, payload)
	case frameAskJoin:
		return s.joinAsked(member, payload)
	case frameRenumbered:
		return s.renumber(member)
	case frameLeave:
		return errLeft
	}
	return fmt.Errorf("%w: unexpected frame %d", ErrProtocol, kind)
}

// caughtUp notifies a member that it has received all changes so far.
func (s *Server) caughtUp(member int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if record := s.members.records.at(member); record.state == memberPresent {
		record.link.send(emptyFrame(frameCaughtUp))
	}
}

// exchange takes the blob of a member. With the last blob it sends the result to all members.
func (s *Server) exchange(member int, payload []byte) error {
	seq, blob, err := decodeExchange(payload)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.members.cohortOf(member)
	if c.aborted != "" {
		return nil // the member does not know that yet
	}
	before := c.contacts != nil
	frame, err := s.members.takeBlob(member, seq, blob)
	if errors.Is(err, ErrProtocol) {
		return err
	}
	if err == nil && !before && c.contacts != nil {
		err = s.arrive(c)
	}
	if err != nil {
		s.abort(c, err.Error())
		return nil
	}
	if frame == nil {
		s.checkStuck(c)
		return nil
	}
	for _, member := range c.members {
		s.members.records.at(member).link.send(frame)
	}
	return nil
}

// checkStuck ends a cohort whose exchange in progress can never end.
func (s *Server) checkStuck(c *cohort) {
	if reason := s.members.stuck(c); reason != "" {
		s.abort(c, reason)
	}
}

func (s *Server) memberAborts(member int, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, record := s.members.cohortOf(member), s.members.records.at(member)
	if record.aborted {
		return
	}
	record.aborted = true
	if (c.died || c.aborted != "") && !s.closed && record.lost == noMember {
		// The end of the run has not reached the member, so the abort may be its cause: the server may see
		// the end of a process before it reads the abort.
		c.events.put(s.members.event(Aborted, member, reason))
		return
	}
	reporter := noMember
	if record.lost != noMember {
		reporter = member
	}
	s.unlessLost(member, reporter, func() {
		c.events.put(s.members.event(Aborted, member, reason))
		s.abort(c, s.members.where(member)+" aborted: "+reason)
	})
}
