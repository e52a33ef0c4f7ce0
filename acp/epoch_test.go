package acp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// elasticRun is a run whose ranks join and leave.
type elasticRun struct {
	*world
	ctx     context.Context
	cancel  context.CancelFunc
	mode    bridge.Mode
	ranks   sync.WaitGroup
	dialing sync.Mutex // held while a process connects to the rendezvous
	mu      sync.Mutex
	failed  error
}

// elasticHeap is the bytes of the heaps of these runs.
const elasticHeap = acp.MinHeapSize

// startElastic begins a run of size ranks that can grow to limit. Each of them executes body, and so do newcomers of grow.
// The caller calls wait.
func startElastic(t *testing.T, mode bridge.Mode, size, limit int, body func(p *acp.Process) error) *elasticRun {
	t.Helper()
	server, env, err := rendezvousFor(bridge.ServerConfig{Jobs: []bridge.Job{{Name: "solver", Size: size, Max: limit}}, Guests: 4})
	if err != nil {
		t.Fatal(err)
	}
	r := &elasticRun{world: &world{t: t, server: server, env: env}, mode: mode}
	r.ctx, r.cancel = context.WithTimeout(context.Background(), deadline)
	for rank := range size {
		r.start(rank, body)
	}
	return r
}

// eachElastic lets each rank of a run execute body, in a run over shared memory and in one over sockets, until the run has ended.
func eachElastic(t *testing.T, size, limit int, body func(r *elasticRun, p *acp.Process) error) {
	for _, mode := range []bridge.Mode{bridge.ModeAuto, bridge.ModeTCP} {
		t.Run(mode.String(), func(t *testing.T) {
			var r *elasticRun
			ready := make(chan struct{})
			r = startElastic(t, mode, size, limit, func(p *acp.Process) error {
				<-ready
				return body(r, p)
			})
			close(ready)
			r.wait()
		})
	}
}

// start starts a process of the job.
func (r *elasticRun) start(jobRank int, body func(p *acp.Process) error) {
	r.ranks.Go(func() {
		if err := r.rank(jobRank, body); err != nil {
			r.mu.Lock()
			r.failed = errors.Join(r.failed, fmt.Errorf("process %d: %w", jobRank, err))
			r.mu.Unlock()
			r.server.Abort("the test has failed")
		}
	})
}

func (r *elasticRun) rank(jobRank int, body func(p *acp.Process) error) error {
	env := r.env
	env.JobName, env.JobRank = "solver", jobRank
	boot, _, err := r.dial(r.ctx, env)
	var p *acp.Process
	if err == nil {
		p, err = acp.Open(r.ctx, acp.Config{Bootstrap: boot, Mode: r.mode, HeapSize: elasticHeap})
	}
	if err != nil && strings.Contains(err.Error(), "the run has ended before it has adopted this rank") {
		return nil
	}
	if err != nil {
		return err
	}
	if err := body(p); err != nil {
		return err
	}
	return p.Finalize()
}

// grow starts count more processes.
func (r *elasticRun) grow(count int, body func(p *acp.Process) error) error {
	members, err := r.server.Grow(0, count)
	if err != nil {
		return err
	}
	for _, m := range members {
		r.start(m, body) // the job is alone, so its process numbers are those of the members
	}
	return nil
}

// wait waits for the end of the run.
func (r *elasticRun) wait() {
	r.t.Helper()
	r.ranks.Wait()
	r.cancel()
	r.server.Close()
	if r.failed != nil {
		r.t.Error(r.failed)
	}
}

// elasticHistory is a random history of a run: in each epoch ranks write to each other and meet, and some join and leave.
type elasticHistory struct {
	*elasticRun
	seed   uint64
	epochs int
	limit  int
	grown  int // processes that have ever been started; rank 0 alone changes it
}

// draw returns a number below n that all ranks know.
func (h *elasticHistory) draw(n int, keys ...int) int {
	x := h.seed
	for _, k := range keys {
		x = rand.New(rand.NewPCG(x, uint64(k))).Uint64()
	}
	return int(x % uint64(n))
}

// body is the program of each rank.
func (h *elasticHistory) body(p *acp.Process) error {
	for {
		epoch := p.Epoch()
		if err := h.compute(p, epoch); err != nil {
			return fmt.Errorf("rank %d of %v in epoch %d: %w", p.Rank(), epoch.Ranks, epoch.Number, err)
		}
		if epoch.Number == h.epochs {
			return nil
		}
		if p.Rank() == 0 {
			if err := h.newcomers(p, epoch.Number); err != nil {
				return err
			}
		}
		stay := p.Rank() == 0 || h.draw(4, 1, epoch.Number, int(p.Rank())) > 0
		next, err := p.Adopt(stay)
		switch {
		case err != nil:
			return err
		case !stay:
			if err := p.Sync(); !errors.Is(err, acp.ErrLeft) {
				return fmt.Errorf("rank %d has left, and synchronises: %v", p.Rank(), err)
			}
			return nil
		case next.Number != epoch.Number+1 || !slices.Contains(next.Ranks, p.Rank()):
			return fmt.Errorf("rank %d: epoch %v follows epoch %v", p.Rank(), next, epoch)
		}
		for _, rank := range epoch.Ranks {
			if err := checkLeft(p, rank, !slices.Contains(next.Ranks, rank)); err != nil {
				return err
			}
		}
	}
}

// checkLeft compares the state of a rank of the last epoch with the epoch.
func checkLeft(p *acp.Process, rank acp.Rank, left bool) error {
	state, err := p.State(rank)
	if err != nil || (state == acp.StateLeft) != left {
		return fmt.Errorf("the state of rank %d, of which it is %v that it has left: %v, %v", rank, left, state, err)
	}
	_, err = p.StarterGA(rank)
	if left && (!errors.Is(err, acp.ErrRankGone) || !strings.Contains(err.Error(), fmt.Sprintf("rank %d", rank))) || !left && err != nil {
		return fmt.Errorf("the memory of rank %d, of which it is %v that it has left: %v", rank, left, err)
	}
	return nil
}

// newcomers starts processes as rank 0, and awaits some of them.
func (h *elasticHistory) newcomers(p *acp.Process, epoch int) error {
	count := min(h.draw(3, 2, epoch), h.limit-h.grown)
	if count == 0 {
		return nil
	}
	first := h.grown
	h.grown += count
	if err := h.grow(count, h.body); err != nil {
		return err
	}
	waiting := h.draw(count+1, 3, epoch)
	for seen := int64(-1); ; {
		present := 0
		for rank := first; rank < h.grown; rank++ {
			if state, err := p.State(acp.Rank(rank)); err != nil {
				return err
			} else if state == acp.StateWaiting {
				present++
			}
		}
		if present >= waiting {
			return nil
		}
		var err error
		if seen, err = p.AwaitChange(seen); err != nil {
			return err
		}
	}
}

// compute writes a value to all other ranks and adds 1 to a word of rank 0, and checks the sums and the values.
func (h *elasticHistory) compute(p *acp.Process, epoch acp.Epoch) error {
	own := p.Starter()
	value := uint64(epoch.Number)<<20 | uint64(p.Rank())
	binary.LittleEndian.PutUint64(own[8*int(p.Rank()):], value)
	from, err := p.StarterGA(p.Rank())
	if err != nil {
		return err
	}
	at := from + acp.GA(8*int(p.Rank()))
	for _, rank := range epoch.Ranks {
		to, err := p.StarterGA(rank)
		if err != nil {
			return err
		}
		if rank != p.Rank() {
			p.Copy(to+acp.GA(8*int(p.Rank())), at, 8, acp.HandleNull)
		}
	}
	sums, err := p.StarterGA(0)
	if err != nil {
		return err
	}
	scratch := from + acp.GA(8*h.limit)
	p.Add8(scratch, sums+acp.GA(8*(h.limit+1+epoch.Number)), 1, acp.HandleNull)
	if err := errors.Join(p.Complete(acp.HandleAll), p.Sync()); err != nil {
		return err
	}
	for _, rank := range epoch.Ranks {
		if got, want := binary.LittleEndian.Uint64(own[8*int(rank):]), uint64(epoch.Number)<<20|uint64(rank); got != want {
			return fmt.Errorf("rank %d has written %#x, expected %#x", rank, got, want)
		}
	}
	if sum := binary.LittleEndian.Uint64(own[8*(h.limit+1+epoch.Number):]); p.Rank() == 0 && int(sum) != len(epoch.Ranks) {
		return fmt.Errorf("%d ranks have added 1, of %d", sum, len(epoch.Ranks))
	}
	return p.Sync()
}

// TestEpochs lets ranks join and leave while they compute.
func TestEpochs(t *testing.T) {
	for _, mode := range []bridge.Mode{bridge.ModeAuto, bridge.ModeTCP} {
		for size := range 3 {
			t.Run(fmt.Sprintf("%v/%d", mode, size+1), func(t *testing.T) {
				t.Parallel()
				h := &elasticHistory{seed: rand.Uint64(), epochs: 30, limit: 40, grown: size + 1}
				t.Logf("seed %d", h.seed)
				ready := make(chan struct{})
				h.elasticRun = startElastic(t, mode, h.grown, h.limit, func(p *acp.Process) error {
					<-ready
					return h.body(p)
				})
				close(ready)
				h.wait()
			})
		}
	}
}

// TestAskedWhileWaiting: processes that are asked to leave before the run has adopted them end, one of them before it has come. The
// run goes on and adopts another one.
func TestAskedWhileWaiting(t *testing.T) {
	eachElastic(t, 1, 4, askedWhileWaiting)
}

func askedWhileWaiting(r *elasticRun, p *acp.Process) error {
	members, err := r.server.Grow(0, 3)
	if err != nil {
		return err
	}
	ended := make(chan error)
	come := func(member int) { ended <- r.rank(member, nil) }
	go come(members[0])
	if err := awaitState(p, acp.Rank(members[0]), acp.StateWaiting); err != nil {
		return err
	}
	if err := r.server.AskLeave(members[0], members[1]); err != nil {
		return err
	}
	go come(members[1])
	for range 2 {
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "it was asked to leave before the run had adopted it") {
			return fmt.Errorf("a process that is not adopted ends with %v", err)
		}
	}
	if err := r.server.AskLeave(members[1]); err == nil {
		return errors.New("a process is asked to leave that has ended")
	}
	r.start(members[2], func(p *acp.Process) error { return p.Sync() })
	if err := awaitState(p, acp.Rank(members[2]), acp.StateWaiting); err != nil {
		return err
	}
	epoch, err := p.Adopt(true)
	if want := []acp.Rank{0, acp.Rank(members[2])}; err != nil || !slices.Equal(epoch.Ranks, want) {
		return fmt.Errorf("the epoch has the ranks %v, expected %v: %w", epoch.Ranks, want, err)
	}
	return p.Sync()
}

// TestEpochsAfterReset: ranks that Reset has renumbered leave, and the others have a workspace. No process can join.
func TestEpochsAfterReset(t *testing.T) {
	eachElastic(t, 4, 6, func(r *elasticRun, p *acp.Process) error { return afterReset(p, r.server) })
}

// afterReset turns the ranks of a run of 4, lets rank 2 leave, and uses a workspace of the others.
func afterReset(p *acp.Process, server *bridge.Server) error {
	if err := p.Reset((p.Rank() + 1) % 4); err != nil {
		return err
	}
	if _, err := server.Grow(0, 1); err == nil || !strings.Contains(err.Error(), "acp_reset") {
		return fmt.Errorf("a process may join after a reset: %v", err)
	}
	for _, rank := range []acp.Rank{-1, acp.Rank(p.Seats())} {
		if err := p.AskJoinNear(1, rank, 0); !errors.Is(err, acp.ErrBadRank) {
			return fmt.Errorf("processes on the host of rank %d: %w", rank, err)
		}
	}
	if err := p.AskLeave(1); !errors.Is(err, acp.ErrStays) || !strings.Contains(err.Error(), "rank 1 stays") {
		return fmt.Errorf("the rank of the first process is asked to leave: %v", err)
	}
	stay := p.Rank() != 2
	epoch, err := p.Adopt(stay)
	if err != nil || !stay {
		return err
	}
	if want := []acp.Rank{0, 1, 3}; !slices.Equal(epoch.Ranks, want) || p.Procs() != 4 {
		return fmt.Errorf("ranks %v of %d, expected %v of 4", epoch.Ranks, p.Procs(), want)
	}
	if err := p.SetWorkspaceParams(2, 10); !errors.Is(err, acp.ErrRankGone) {
		return fmt.Errorf("pieces on a rank that has left: %v", err)
	}
	if err := p.SetWorkspaceParams(3, 10); err != nil {
		return err
	}
	w, err := p.NewWorkspace(100)
	if err != nil {
		return err
	}
	for i, want := range []acp.Rank{3, 0, 1, 3} {
		at, _ := w.Piece(i)
		if rank, err := p.QueryRank(at); err != nil || rank != want {
			return fmt.Errorf("piece %d is on rank %d, expected %d, %v", i, rank, want, err)
		}
	}
	if p.Rank() != 1 { // the first process cannot leave at all
		if _, err := p.Adopt(false); !errors.Is(err, acp.ErrStays) || !strings.Contains(err.Error(), "a workspace") {
			return fmt.Errorf("rank %d leaves with a part of a workspace: %v", p.Rank(), err)
		}
	}
	if _, err := w.WriteAt([]byte{byte(p.Rank())}, int64(50+p.Rank())); err != nil {
		return err
	}
	if err := p.Sync(); err != nil {
		return err
	}
	read := make([]byte, 4)
	if _, err := w.ReadAt(read, 50); err != nil || read[0] != 0 || read[1] != 1 || read[3] != 3 {
		return fmt.Errorf("the workspace has %v, %v", read, err)
	}
	return w.Destroy()
}
