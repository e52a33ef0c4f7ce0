package acp_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/race"
)

// Each rank of a history has the words below in its starter memory.
const (
	historySeats    = 7            // seats of the job
	historyWords    = historySeats // that each rank has: word w is written by rank w alone
	historyCounters = 4            // words to which every rank adds
	historyCopies   = 8            // sources of the copies of one phase
	countersAt      = historyWords // first counter
	guestsAt        = countersAt + historyCounters
	copiesAt        = guestsAt + 1
	fetchedAt       = copiesAt + historyCopies // destination of old values and of reads
)

// history is a run whose operations, joins, leaves and kills follow from its seed. Every rank compares the memory that it
// reads with that of a serial model.
type history struct {
	*elasticRun
	seed   uint64
	epochs int

	mu     sync.Mutex
	models []*historyModel // of the epochs that have begun
	added  uint64          // by guests of all epochs; rank 0 alone changes it
	seats  int             // that are in use or have been; rank 0 alone changes it
}

// historyModel is the memory of the ranks of an epoch at its beginning and at its end.
type historyModel struct {
	ranks       []acp.Rank
	first, last map[acp.Rank]historyMemory
}

// historyMemory is the words of a rank that the model knows.
type historyMemory struct {
	words    [historyWords]uint64
	counters [historyCounters]uint64
}

// draw returns the source of random numbers of a step, which is the same on all ranks.
func (h *history) draw(keys ...int) *rand.Rand {
	x := h.seed
	for _, k := range keys {
		x = rand.New(rand.NewPCG(x, uint64(k))).Uint64()
	}
	return rand.New(rand.NewPCG(x, 0))
}

// The subjects of draws.
const (
	drawOperations = iota
	drawReads
	drawTogether
	drawStay
	drawNewcomers
	drawGuests
)

// historyOperation is a copy or an atomic of a rank.
type historyOperation struct {
	to      acp.Rank
	counter int // -1: a copy to the word of the caller
	value   uint64
}

// operations returns what a rank does in an epoch.
func (h *history) operations(epoch acp.Epoch, rank acp.Rank) []historyOperation {
	r := h.draw(drawOperations, epoch.Number, int(rank))
	ops := make([]historyOperation, r.IntN(historyCopies+1))
	for i := range ops {
		ops[i] = historyOperation{
			to: epoch.Ranks[r.IntN(len(epoch.Ranks))], counter: r.IntN(historyCounters+3) - 3, value: r.Uint64(),
		}
		ops[i].counter = max(ops[i].counter, -1)
	}
	return ops
}

// model returns the model of an epoch. Fails if another rank has another epoch of this number.
func (h *history) model(epoch acp.Epoch) (*historyModel, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if epoch.Number > len(h.models) {
		return nil, fmt.Errorf("epoch %d begins after %d others", epoch.Number, len(h.models))
	}
	if epoch.Number < len(h.models) {
		m := h.models[epoch.Number]
		if !slices.Equal(m.ranks, epoch.Ranks) {
			return nil, fmt.Errorf("epoch %d has the ranks %v, and on another rank %v", epoch.Number, epoch.Ranks, m.ranks)
		}
		return m, nil
	}
	m := &historyModel{ranks: epoch.Ranks, first: map[acp.Rank]historyMemory{}, last: map[acp.Rank]historyMemory{}}
	for _, rank := range epoch.Ranks {
		if epoch.Number > 0 {
			m.first[rank] = h.models[epoch.Number-1].last[rank] // that of a newcomer is empty
		}
		m.last[rank] = m.first[rank]
	}
	for _, rank := range epoch.Ranks {
		for _, op := range h.operations(epoch, rank) {
			memory := m.last[op.to]
			if op.counter < 0 {
				memory.words[rank] = op.value
			} else {
				memory.counters[op.counter] += op.value
			}
			m.last[op.to] = memory
		}
	}
	h.models = append(h.models, m)
	return m, nil
}

// word returns the address of a word of a rank.
func word(p *acp.Process, rank acp.Rank, index int) (acp.GA, error) {
	start, err := p.StarterGA(rank)
	return start + acp.GA(8*index), err
}

// operate issues the operations of this rank in an epoch, and waits for them. Copies to the same word are ordered.
func (h *history) operate(p *acp.Process, epoch acp.Epoch) error {
	own := p.Starter()
	last := map[acp.Rank]acp.Handle{}
	fetched, err := word(p, p.Rank(), fetchedAt)
	if err != nil {
		return err
	}
	for i, op := range h.operations(epoch, p.Rank()) {
		if op.counter >= 0 {
			at, err := word(p, op.to, countersAt+op.counter)
			if err == nil {
				_, err = p.Add8(fetched, at, op.value, acp.HandleNull)
			}
			if err != nil {
				return err
			}
			continue
		}
		binary.LittleEndian.PutUint64(own[8*(copiesAt+i):], op.value)
		from, err := word(p, p.Rank(), copiesAt+i)
		if err != nil {
			return err
		}
		to, err := word(p, op.to, int(p.Rank()))
		if err == nil {
			last[op.to], err = p.Copy(to, from, 8, last[op.to])
		}
		if err != nil {
			return err
		}
	}
	return p.Complete(acp.HandleAll)
}

// check compares words of a random rank with the model.
func (h *history) check(p *acp.Process, epoch acp.Epoch, m *historyModel) error {
	rank := epoch.Ranks[h.draw(drawReads, epoch.Number, int(p.Rank())).IntN(len(epoch.Ranks))]
	from, err := word(p, rank, 0)
	if err != nil {
		return err
	}
	to, err := word(p, p.Rank(), fetchedAt)
	if err != nil {
		return err
	}
	if _, err := p.Copy(to, from, 8*guestsAt, acp.HandleNull); err != nil {
		return err
	}
	if err := p.Complete(acp.HandleAll); err != nil {
		return err
	}
	memory := m.last[rank]
	want := append(memory.words[:], memory.counters[:]...)
	for i := range want {
		if got := binary.LittleEndian.Uint64(p.Starter()[8*(fetchedAt+i):]); got != want[i] {
			return fmt.Errorf("word %d of rank %d is %#x, expected %#x", i, rank, got, want[i])
		}
	}
	return nil
}

// compute is the operations of one epoch.
func (h *history) compute(p *acp.Process, epoch acp.Epoch) error {
	m, err := h.model(epoch)
	if err != nil {
		return err
	}
	if err := h.operate(p, epoch); err != nil {
		return err
	}
	if err := p.Sync(); err != nil {
		return err
	}
	if err := h.check(p, epoch, m); err != nil {
		return err
	}
	return h.together(p, epoch)
}

// together is what several ranks of an epoch do together: all with a workspace, or two with a channel. At its end no rank
// reads the memory of another one.
func (h *history) together(p *acp.Process, epoch acp.Epoch) error {
	r := h.draw(drawTogether, epoch.Number)
	switch r.IntN(3) {
	case 0:
		w, err := p.NewWorkspace(uint64(8 * len(epoch.Ranks)))
		if err != nil {
			return err
		}
		at := 8 * int64(slices.Index(epoch.Ranks, p.Rank()))
		text := fmt.Sprintf("%8d", p.Rank())
		if _, err := w.WriteAt([]byte(text), at); err != nil {
			return err
		}
		if err := p.Sync(); err != nil {
			return err
		}
		read := make([]byte, 8*len(epoch.Ranks))
		if _, err := w.ReadAt(read, 0); err != nil || string(read[at:at+8]) != text {
			return fmt.Errorf("the workspace has %q, %v", read, err)
		}
		return w.Destroy()
	case 1:
		ends := r.Perm(len(epoch.Ranks))
		sender, receiver := epoch.Ranks[ends[0]], epoch.Ranks[ends[len(ends)-1]]
		if sender != receiver && (p.Rank() == sender || p.Rank() == receiver) {
			if err := h.message(p, sender, receiver); err != nil {
				return fmt.Errorf("message from rank %d to rank %d: %w", sender, receiver, err)
			}
		}
	}
	return p.Sync()
}

// message sends a message through a channel of its own.
func (h *history) message(p *acp.Process, sender, receiver acp.Rank) error {
	c, err := p.NewChannel(sender, receiver, acp.ChannelOptions{})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%d to %d", sender, receiver)
	if p.Rank() == sender {
		request, err := c.Send([]byte(text))
		if err != nil {
			return err
		}
		_, err = request.Wait()
		return errors.Join(err, c.Close())
	}
	read := make([]byte, 32)
	request, err := c.Recv(read)
	if err != nil {
		return err
	}
	if n, err := request.Wait(); err != nil || string(read[:n]) != text {
		return fmt.Errorf("%q has arrived, expected %q, %w", read[:n], text, err)
	}
	return c.Close()
}

// body is the program of each rank.
func (h *history) body(p *acp.Process) error {
	for {
		epoch := p.Epoch()
		err := h.compute(p, epoch)
		if err == nil && p.Rank() == 0 {
			err = errors.Join(h.newcomers(p, epoch), h.guest(p, epoch))
		}
		if err != nil {
			return fmt.Errorf("rank %d of %v in epoch %d: %w", p.Rank(), epoch.Ranks, epoch.Number, err)
		}
		if epoch.Number == h.epochs {
			return nil
		}
		stay := p.Rank() == 0 || h.draw(drawStay, epoch.Number, int(p.Rank())).IntN(4) > 0
		if _, err := p.Adopt(stay); err != nil || !stay {
			return err
		}
	}
}

// newcomers starts processes as rank 0. One of them may be killed before it is adopted.
func (h *history) newcomers(p *acp.Process, epoch acp.Epoch) error {
	r := h.draw(drawNewcomers, epoch.Number)
	count := min(r.IntN(3), historySeats-h.seats)
	if count == 0 {
		return nil
	}
	h.seats += count
	kill, waits := r.IntN(3) == 0, r.IntN(2) == 0
	if kill {
		count--
	}
	if count > 0 {
		if err := h.grow(count, h.body); err != nil {
			return err
		}
	}
	if kill {
		return h.killed(p, waits)
	}
	return nil
}

// killed starts a process and ends its connection to the rendezvous, before it has called Open or while it waits in Open.
// It returns when this rank has received that the process is lost.
func (h *history) killed(p *acp.Process, waits bool) error {
	members, err := h.server.Grow(0, 1)
	if err != nil {
		return err
	}
	env := h.env
	env.JobName, env.JobRank = "solver", members[0]
	boot, cut, err := h.dial(h.ctx, env)
	if err != nil {
		return err
	}
	defer boot.Close()
	if !waits {
		cut()
		return nil
	}
	opened := make(chan error, 1)
	go func() {
		_, err := acp.Open(h.ctx, acp.Config{Bootstrap: boot, Mode: h.mode})
		opened <- err
	}()
	killed := acp.Rank(members[0])
	if err := awaitState(p, killed, acp.StateWaiting); err != nil {
		return err
	}
	cut()
	if err := <-opened; err == nil {
		return fmt.Errorf("rank %d is killed while it waits, and is adopted", killed)
	}
	if err := awaitState(p, killed, acp.StateLost); err != nil {
		return err
	}
	if _, err := p.Malloc(8, killed); !errors.Is(err, acp.ErrRankGone) {
		return fmt.Errorf("memory of rank %d, which is lost: %v", killed, err)
	}
	return nil
}

// awaitState returns when a rank has a state.
func awaitState(p *acp.Process, rank acp.Rank, want acp.State) error {
	for seen := int64(-1); ; {
		if state, err := p.State(rank); err != nil || state == want {
			return err
		}
		var err error
		if seen, err = p.AwaitChange(seen); err != nil {
			return err
		}
	}
}

// guest lets a guest add to a word of rank 0, which calls it. The guest leaves, or is killed.
func (h *history) guest(p *acp.Process, epoch acp.Epoch) error {
	r := h.draw(drawGuests, epoch.Number)
	if r.IntN(4) > 0 {
		return nil
	}
	attached := &hosting{world: h.world, ctx: h.ctx}
	g, err := attached.attach(bridge.ModeAuto, 1)
	if err != nil {
		return err
	}
	guest := g.processes[0]
	counter, err := word(guest, 0, guestsAt)
	if err != nil {
		return err
	}
	own, err := word(guest, guest.Rank(), 0)
	if err != nil {
		return err
	}
	for range 1 + r.IntN(3) {
		value := r.Uint64()
		if _, err := guest.Add8(own, counter, value, acp.HandleNull); err != nil {
			return err
		}
		if err := guest.Complete(acp.HandleAll); err != nil {
			return err
		}
		h.added += value
	}
	if r.IntN(2) == 0 {
		g.Close()
		_ = guest.Finalize() // the guest has been killed
	} else if err := guest.Finalize(); err != nil {
		return err
	}
	if got := binary.LittleEndian.Uint64(p.Starter()[8*guestsAt:]); got != h.added {
		return fmt.Errorf("guests have added %#x, expected %#x", got, h.added)
	}
	return nil
}

var (
	soak      = flag.Duration("soak", 0, "how long TestHistories begins histories; 0: a fixed number")
	firstSeed = flag.Uint64("seed", rand.Uint64(), "of the first history of TestHistories; those that follow have the next numbers")
)

// TestHistories compares random runs with a serial model: ranks copy, add, and use workspaces and channels, while processes
// join, are killed before they are adopted, and leave, and guests come and go.
func TestHistories(t *testing.T) {
	begin := time.Now()
	more := func(done int) bool {
		if *soak > 0 {
			return time.Since(begin) < *soak
		}
		return done < race.Cases(10000, 600)/2
	}
	for i, mode := range []bridge.Mode{bridge.ModeAuto, bridge.ModeTCP} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			done := 0
			for ; more(done); done++ {
				seed := *firstSeed + uint64(2*done+i)
				if runHistory(t, mode, seed); t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			t.Logf("%d histories from seed %d on", done, *firstSeed)
		})
	}
}

// runHistory runs one history.
func runHistory(t *testing.T, mode bridge.Mode, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	h := &history{seed: seed, epochs: 1 + r.IntN(3), seats: 1 + r.IntN(3)}
	ready := make(chan struct{})
	h.elasticRun = startElastic(t, mode, h.seats, historySeats, func(p *acp.Process) error {
		<-ready
		return h.body(p)
	})
	close(ready)
	h.wait()
}
