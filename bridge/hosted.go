package bridge

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/ground/pmi"
	"github.com/goacp/goacp/internal/ground/pmix"
)

// FromPMI returns the bootstrap of a process whose launcher supports PMI, such as mpiexec of MPICH or srun
// --mpi=pmi2. Members are the processes of its job. The program needs no MPI. Member 0 runs the rendezvous
// and passes its address to the other members by PMI.
//
// Collective: all processes of the job call it. Blocks until they have, or ctx is done. Not for
// concurrent use. A process can call it once. Errors name the variable or the member that has failed.
func FromPMI(ctx context.Context) (Bootstrap, error) {
	launcher, err := pmi.Open(ctx, os.Getenv)
	if err != nil {
		return nil, err
	}
	return openHosted(ctx, launcher)
}

// FromPMIx is FromPMI for a launcher that supports PMIx, such as mpirun of Open MPI or srun --mpi=pmix. A
// process can call it again after Close. Errors also name missing parts of libpmix.
func FromPMIx(ctx context.Context) (Bootstrap, error) {
	launcher, err := pmix.Open(ctx, os.Getenv)
	if err != nil {
		return nil, err
	}
	return openHosted(ctx, launcher)
}

// jobHost is a launcher that numbers the processes of its job and passes values between them. [pmi.Client]
// and [pmix.Client] explain the methods.
type jobHost interface {
	Rank() int
	Size() int
	MaxValue() int
	Put(ctx context.Context, key, value string) error
	Get(ctx context.Context, rank int, key string) (string, error)
	Barrier(ctx context.Context) error
	Lost() <-chan struct{}
	Abort(status int)
	Close(ctx context.Context) error
}

// openHosted returns the bootstrap of a process of a launcher.
func openHosted(ctx context.Context, launcher jobHost) (Bootstrap, error) {
	h := &hosted{launcher: launcher, lost: make(chan struct{}), left: make(chan struct{}), done: make(chan struct{})}
	if err := h.open(ctx); err != nil {
		h.closeServer()
		return nil, err
	}
	go h.watch()
	return h, nil
}

// hosted is the bootstrap of a member of a run whose rendezvous is in member 0.
type hosted struct {
	Bootstrap // of the rendezvous
	launcher  jobHost
	server    *Server // of member 0, otherwise nil

	lost chan struct{} // closed when the run is over and the reason was written
	left chan struct{} // closed when all members have left; of member 0

	done chan struct{} // closed by Close

	mu     sync.Mutex
	leaves int // members that have left; of member 0
	closed bool
}

// Keys of the values that members pass by the launcher.
const (
	hostKey = "goacp-host" // the host of each member
	runKey  = "goacp-run"  // of member 0: the rendezvous, or why there is none
)

// open joins the rendezvous, which member 0 opens before.
func (h *hosted) open(ctx context.Context) error {
	rank := h.launcher.Rank()
	host, err := LocalHost()
	if err != nil {
		return err
	}
	if err := h.launcher.Put(ctx, hostKey, hex.EncodeToString(host[:])); err != nil {
		return err
	}
	if err := h.launcher.Barrier(ctx); err != nil {
		return err
	}
	env := Env{JobName: ownJobName(), JobRank: rank}
	if env.Secure, err = SecureFromEnv(os.Getenv); err != nil {
		return err
	}
	if rank == 0 {
		err = h.serve(ctx, &env, host)
		debuglog.Rendezvous.Printf("rank 0 has the rendezvous: at %s: %s", strings.Join(env.Rendezvous, ","), outcomeText(err))
		value := rendezvousValue(env, h.launcher.MaxValue())
		if err != nil {
			value = failureValue(err, h.launcher.MaxValue())
		}
		err = errors.Join(err, h.launcher.Put(ctx, runKey, value))
	}
	if err := errors.Join(err, h.launcher.Barrier(ctx)); err != nil {
		return err
	}
	if rank != 0 {
		value, err := h.launcher.Get(ctx, 0, runKey)
		if err == nil {
			env.Rendezvous, env.Token, err = parseRunValue(value)
		}
		if err != nil {
			return err
		}
	}
	h.Bootstrap, err = dialSelf(ctx, env)
	return err
}

// serve opens the rendezvous of member 0, and records it in env.
func (h *hosted) serve(ctx context.Context, env *Env, here HostID) (err error) {
	addrs := []netip.Addr{endpoint.Loopback()}
	choice, err := endpoint.FromEnv(os.Getenv)
	if err != nil {
		return err
	}
	for rank := 1; rank < h.launcher.Size(); rank++ {
		host, err := h.launcher.Get(ctx, rank, hostKey)
		if err != nil {
			return err
		}
		if host == hex.EncodeToString(here[:]) {
			continue
		}
		if addrs, err = choice.Addrs(); err != nil {
			return err
		}
		break
	}
	if env.Token, err = NewToken(); err != nil {
		return err
	}
	cfg := ServerConfig{Token: env.Token, Secure: env.Secure, Events: h.event, Jobs: []Job{{Name: env.JobName, Size: h.launcher.Size()}}}
	if cfg.Sockets, err = choice.Listen(addrs); err != nil {
		return fmt.Errorf("rendezvous: %w", err)
	}
	if h.server, err = Listen(cfg); err != nil {
		return err
	}
	for _, addr := range h.server.Addrs() {
		env.Rendezvous = append(env.Rendezvous, addr.String())
	}
	return nil
}

// A value of runKey is the token and the addresses, or failureMark and the reason why there are none.
const failureMark = "!"

// rendezvousValue returns the value for a rendezvous, with as many addresses as fit.
func rendezvousValue(e Env, limit int) string {
	value := e.Token.String()
	for _, addr := range e.Rendezvous {
		if len(value)+1+len(addr) <= limit {
			value += "," + addr
		}
	}
	return value
}

// failureValue returns the value for a failure.
func failureValue(err error, limit int) string {
	return failureMark + hex.EncodeToString([]byte(fmt.Sprintf("%.*s", (limit-len(failureMark))/2/4, err)))
}

// parseRunValue decodes the value of runKey.
func parseRunValue(value string) (addrs []string, token Token, err error) {
	if text, failed := strings.CutPrefix(value, failureMark); failed {
		reason, _ := hex.DecodeString(text)
		return nil, Token{}, fmt.Errorf("rank 0 has no rendezvous: %q", reason)
	}
	words := strings.Split(value, ",")
	if token, err = ParseToken(words[0]); err != nil {
		return nil, Token{}, err
	}
	for _, addr := range words[1:] {
		if _, err := netip.ParseAddrPort(addr); err != nil {
			return nil, Token{}, fmt.Errorf("rendezvous of rank 0: %w", err)
		}
	}
	return words[1:], token, nil
}

// event handles an event of the rendezvous.
func (h *hosted) event(e Event) {
	if e.Kind != Left {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leaves++; h.leaves == h.launcher.Size() {
		close(h.left)
	}
}

// endLimit is how long the processes of a run that is over may take to end by themselves.
const endLimit = 700 * time.Millisecond

// watch closes Lost when the run is over. Before that, member 0 writes the reason, as a launcher of ACP does.
// The launcher then ends processes that do not end by themselves. If the launcher itself has ended, the run
// is over.
func (h *hosted) watch() {
	select {
	case <-h.launcher.Lost():
		h.Bootstrap.Abort(Abort{Reason: "the launcher of the job has ended"})
	case <-h.done:
		return
	case <-h.Bootstrap.Lost():
	}
	select {
	case <-h.done:
		return
	case <-h.Bootstrap.Lost():
	}
	var abort *AbortError
	if errors.As(h.Bootstrap.Err(), &abort) && h.Member() == 0 {
		fmt.Fprintln(os.Stderr, "acp: "+abort.Reason)
	}
	close(h.lost)
	select {
	case <-h.done:
	case <-time.After(endLimit):
		h.launcher.Abort(AbortStatus)
	}
}

// Lost implements Bootstrap.
func (h *hosted) Lost() <-chan struct{} { return h.lost }

// Err implements Bootstrap.
func (h *hosted) Err() error {
	err := h.Bootstrap.Err()
	if errors.Is(err, ErrLauncherLost) {
		return fmt.Errorf("rank 0, which has the rendezvous, has ended: %w", err)
	}
	return err
}

// Close implements Bootstrap. Member 0 waits for the other members, which leave at the same time.
func (h *hosted) Close() error {
	h.mu.Lock()
	again := h.closed
	h.closed = true
	h.mu.Unlock()
	if again {
		return nil
	}
	close(h.done)
	lost := h.Bootstrap.Err() != nil
	err := h.Bootstrap.Close()
	if h.server != nil && !lost {
		select {
		case <-h.left:
		case <-h.Bootstrap.Lost():
		case <-time.After(leaveTimeout):
		}
	}
	h.closeServer()
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	return errors.Join(err, h.launcher.Close(ctx))
}

// closeServer ends the rendezvous, if this is member 0.
func (h *hosted) closeServer() {
	if h.server != nil {
		_ = h.server.Close()
	}
}
