package couple_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// long is the points of a field that needs many messages of the transport.
const long = 100000

// soon returns a context that ends soon.
func soon(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 20*time.Millisecond)
}

// TestLevels: a sender is ahead of a receiver by as many messages as the link has levels, and no
// further. Calls that give up have done nothing.
func TestLevels(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPair(p)
		if err != nil {
			return err
		}
		data := make([]int32, long)
		const levels = 3
		e, move, err := open(ctx, x, data, couple.Ranges{{First: 0, N: long}}, 1, couple.Options{Levels: levels * int(p.Rank())})
		if err != nil {
			return err
		}
		short, cancel := soon(ctx)
		defer cancel()
		if p.Rank() == 0 {
			for step := range levels {
				data[long-1] = int32(step)
				if err := move(ctx, step); err != nil {
					return err
				}
			}
			data[long-1] = levels
			if err := expect(context.DeadlineExceeded, move(short, levels)); err != nil {
				return err
			}
			if ok, err := e.Ready(); ok || err != nil {
				return fmt.Errorf("a sender with full slots is ready: %v, %v", ok, err)
			}
			if err := p.Sync(); err != nil {
				return err
			}
			if err := move(ctx, levels); err != nil {
				return err
			}
			return e.Close(ctx)
		}
		if err := p.Sync(); err != nil {
			return err
		}
		for step := range levels + 1 {
			if err := move(ctx, step); err != nil || data[long-1] != int32(step) {
				return fmt.Errorf("step %d brings %d: %v", step, data[long-1], err)
			}
		}
		return e.Close(ctx)
	})
}

// TestReceiveGivesUp: a receiver whose time is up has received nothing, and may call again.
func TestReceiveGivesUp(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPair(p)
		if err != nil {
			return err
		}
		data := []float32{1, 2, 3}
		e, move, err := open(ctx, x, data, couple.List{4, 5, 6}, 1, couple.Options{})
		if err != nil {
			return err
		}
		if p.Rank() == 1 {
			short, cancel := soon(ctx)
			defer cancel()
			clear(data)
			if ok, err := e.Ready(); ok || err != nil {
				return fmt.Errorf("a receiver without messages is ready: %v, %v", ok, err)
			}
			if err := expect(context.DeadlineExceeded, move(short, 0)); err != nil {
				return err
			}
			if data[0] != 0 {
				return errors.New("a call that gave up has changed the values")
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		if err := move(ctx, 0); err != nil || data[0] != 1 {
			return fmt.Errorf("values %v: %v", data, err)
		}
		return e.Close(ctx)
	})
}

// TestSteps: messages belong to steps. A side that calls for another step gets an error.
func TestSteps(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPair(p)
		if err != nil {
			return err
		}
		data := []int64{0}
		e, move, err := open(ctx, x, data, couple.List{0}, 1, couple.Options{Levels: 4, Every: 2 + int(p.Rank())})
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			for _, step := range []int{4, 5, 6} { // messages 2 and 3
				data[0] = int64(step)
				if err := move(ctx, step); err != nil {
					return err
				}
			}
			if err := refused(move(ctx, 6), couple.ErrStep, "step 6 is sent after step 6"); err != nil {
				return err
			}
			return e.Close(ctx)
		}
		if err := refused(move(ctx, 9), couple.ErrStep, "message 2 has come", "step 9"); err != nil {
			return err
		}
		for _, step := range []int{6, 7, 9} {
			if err := move(ctx, step); err != nil {
				return err
			}
			if want := int64(step/3) * 2; data[0] != want {
				return fmt.Errorf("step %d brings the values of step %d, want %d", step, data[0], want)
			}
		}
		return e.Close(ctx)
	})
}

// TestEnded: a side gets ErrEnded when the other side has closed the link, a receiver after it has got all
// messages. A closed link is closed for this side, too.
func TestEnded(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPair(p)
		if err != nil {
			return err
		}
		for closer := range 2 {
			data := make([]complex128, long)
			e, move, err := open(ctx, x, data, couple.Ranges{{First: 0, N: long}}, 1, couple.Options{Levels: 2})
			if err != nil {
				return err
			}
			moves := 2 * (1 - closer) // the sender closes behind two messages, the receiver at once
			if int(p.Rank()) != closer {
				for step := 0; err == nil; step++ {
					if err = move(ctx, step); err == nil {
						moves--
					}
				}
				if err := expect(couple.ErrEnded, err); err != nil {
					return err
				}
				if closer == 0 && moves != 0 {
					return fmt.Errorf("%d messages did not arrive", moves)
				}
			} else {
				for step := range moves {
					if err := move(ctx, step); err != nil {
						return err
					}
				}
			}
			if err := e.Close(ctx); err != nil {
				return err
			}
			if err := errors.Join(expect(couple.ErrClosed, move(ctx, 100)), e.Close(ctx)); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestHeapIsWhole: closed links leave nothing behind but the word at which a rank waits.
func TestHeapIsWhole(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPair(p)
		if err != nil {
			return err
		}
		data := make([]float64, long)
		var least, block acp.GA
		for i := range 20 {
			e, move, err := open(ctx, x, data, couple.Ranges{{First: 0, N: long}}, 1, couple.Options{Levels: 2})
			if err != nil {
				return err
			}
			if err := errors.Join(move(ctx, 0), e.Close(ctx), p.Sync()); err != nil {
				return err
			}
			if block, err = freeBlock(p); err != nil {
				return err
			}
			if i == 0 || block < least {
				least = block
			}
		}
		// The memory of a link is freed when both sides have seen its end.
		for block > least {
			var err error
			if block, err = freeBlock(p); err != nil {
				return err
			}
		}
		return p.Sync()
	})
}

// TestReset: Reset ends links. New links work.
func TestReset(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		for round := range 2 {
			x, err := newPair(p)
			if err != nil {
				return err
			}
			data := []uint16{7}
			e, move, err := open(ctx, x, data, couple.List{3}, 1, couple.Options{})
			if err != nil {
				return err
			}
			if err := move(ctx, 0); err != nil {
				return err
			}
			if round == 0 {
				if err := p.Reset(1 - p.Rank()); err != nil {
					return err
				}
				if err := errors.Join(expect(couple.ErrClosed, move(ctx, 1)), e.Close(ctx)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// TestDeadPartner: a rank that ends the run ends the waiting of other ranks.
func TestDeadPartner(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPair(p)
		if err != nil {
			return err
		}
		_, move, err := open(ctx, x, []float64{1}, couple.List{3}, 1, couple.Options{})
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			p.Abort("the program wants it")
			return expect(acp.ErrPeerDead, p.Sync()) // Finalize would close the link first
		}
		return expect(acp.ErrPeerDead, move(ctx, 0))
	})
}

// TestUse: a field has the values of the slice that it was given last.
func TestUse(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPair(p)
		if err != nil {
			return err
		}
		levels := [2][]float64{{1, 2}, {3, 4}}
		name := []string{"out", "in"}[p.Rank()]
		f, err := couple.NewField(x.model, name, levels[0], couple.List{8, 9}, 1)
		if err != nil {
			return err
		}
		var move func(context.Context, int) error
		if p.Rank() == 0 {
			s, err := f.SendTo(ctx, "b.in", couple.Options{})
			if err != nil {
				return err
			}
			move = s.Send
		} else {
			r, err := f.ReceiveFrom(ctx, "a.out", couple.Options{})
			if err != nil {
				return err
			}
			move = r.Receive
			clear(levels[0])
			clear(levels[1])
		}
		for step := range 2 {
			if err := errors.Join(couple.Use(f, levels[step]), move(ctx, step)); err != nil {
				return err
			}
		}
		if levels[0][0] != 1 || levels[1][1] != 4 {
			return fmt.Errorf("the slices have %v", levels)
		}
		return errors.Join(
			refused(couple.Use(f, []float64{1}), couple.ErrSize, name, "2 values"),
			refused(couple.Use(f, []int64{1, 2}), couple.ErrTypes, name, "float64", "int64"))
	})
}

// TestJob: a model without name and ranks is the job.
func TestJob(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		m, err := couple.NewModel(p, "", nil)
		if err != nil || m.Name() != "test" {
			return fmt.Errorf("the model of the job is %v: %v", m, err)
		}
		// Rank 1 sends to all ranks of the job.
		data := []int16{0}
		f, err1 := couple.NewField(m, "all", data, couple.List{5}, 1)
		one, err2 := couple.NewModel(p, "one", []acp.Rank{p.Rank()})
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		sent := make(chan error, 1)
		if p.Rank() == 1 {
			g, err := couple.NewField(one, "value", []int16{42}, couple.List{5}, 1)
			if err != nil {
				return err
			}
			go func() {
				s, err := g.SendTo(ctx, "test.all", couple.Options{})
				if err == nil {
					err = errors.Join(s.Send(ctx, 0), s.Close(ctx))
				}
				sent <- err
			}()
		} else {
			sent <- nil
		}
		r, err := f.ReceiveFrom(ctx, "one.value", couple.Options{})
		if err == nil {
			err = errors.Join(r.Receive(ctx, 0), r.Close(ctx))
		}
		if err := errors.Join(err, <-sent); err != nil || data[0] != 42 {
			return fmt.Errorf("the value is %d: %v", data[0], err)
		}
		return nil
	})
}

// TestOpenGivesUp: a rank that times out has not opened the link, and may call again. The other ranks wait for
// it.
func TestOpenGivesUp(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		// Rank 0 gives up, then rank 2, then rank 0 comes again, and rank 1 last.
		m, err := couple.NewModel(p, []string{"a", "b", "b"}[p.Rank()], [][]acp.Rank{{0}, {1, 2}, {1, 2}}[p.Rank()])
		if err != nil {
			return err
		}
		data := []int8{5}
		f, err := couple.NewField(m, "f", data, couple.List{int(p.Rank()) % 2}, 1)
		if p.Rank() == 0 {
			data = []int8{5, 6}
			f, err = couple.NewField(m, "f", data, couple.List{0, 1}, 1)
		}
		if err != nil {
			return err
		}
		open := func(ctx context.Context) (end, func(context.Context, int) error, error) {
			if p.Rank() == 0 {
				s, err := f.SendTo(ctx, "b.f", couple.Options{})
				if err != nil {
					return nil, nil, err
				}
				return s, s.Send, nil
			}
			r, err := f.ReceiveFrom(ctx, "a.f", couple.Options{})
			if err != nil {
				return nil, nil, err
			}
			return r, r.Receive, nil
		}
		for round := range 3 {
			for _, impatient := range []acp.Rank{0, 2} {
				if p.Rank() == impatient {
					short, cancel := context.WithTimeout(ctx, time.Millisecond)
					_, _, err := open(short)
					cancel()
					if err := expect(context.DeadlineExceeded, err); err != nil {
						return err
					}
				}
				if err := p.Sync(); err != nil {
					return err
				}
			}
			e, move, err := open(ctx)
			if err != nil {
				return err
			}
			if err := errors.Join(move(ctx, round), e.Close(ctx)); err != nil {
				return err
			}
			if want := int8(5 + p.Rank()%2); data[0] != want {
				return fmt.Errorf("the value is %d, want %d", data[0], want)
			}
		}
		return nil
	})
}

// TestOpenHurriedly: ranks whose contexts end at any time, also while the link is opened, call again until they
// have it.
func TestOpenHurriedly(t *testing.T) {
	forEach(t, []int{4}, func(ctx context.Context, p *acp.Process) error {
		side := int(p.Rank()) / 2
		m, err := couple.NewModel(p, []string{"a", "b"}[side], [][]acp.Rank{{0, 1}, {2, 3}}[side])
		if err != nil {
			return err
		}
		data := []float64{float64(p.Rank())}
		f, err := couple.NewField(m, "f", data, couple.List{int(p.Rank()) % 2}, 1)
		if err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(1, uint64(p.Rank())))
		for range 50 {
			var e end
			for e == nil {
				short, cancel := context.WithTimeout(ctx, time.Duration(r.IntN(2000))*time.Microsecond)
				if side == 0 {
					if s, err1 := f.SendTo(short, "b.f", couple.Options{}); err1 == nil {
						e, err = s, s.Send(ctx, 0)
					} else {
						err = expect(context.DeadlineExceeded, err1)
					}
				} else {
					if r, err1 := f.ReceiveFrom(short, "a.f", couple.Options{}); err1 == nil {
						e, err = r, r.Receive(ctx, 0)
					} else {
						err = expect(context.DeadlineExceeded, err1)
					}
				}
				cancel()
				if err != nil {
					return err
				}
			}
			if err := e.Close(ctx); err != nil {
				return err
			}
		}
		if want := float64(p.Rank() % 2); data[0] != want {
			return fmt.Errorf("the value is %v, want %v", data[0], want)
		}
		return nil
	})
}
