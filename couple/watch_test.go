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
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// theater is a model and its watchers: the first ranks publish, the other ranks watch.
type theater struct {
	p          *acp.Process
	publishers int
	field      *couple.Field
	data       []int64
	points     []int
	step       int
}

const pictureSize = 1000 // points

// newTheater declares the field of a rank. The publishers have the points in turn, the watchers in blocks.
func newTheater(p *acp.Process, publishers int) (*theater, error) {
	x := &theater{p: p, publishers: publishers}
	name, first, end := "model", 0, publishers
	if !x.publishes() {
		name, first, end = "viewer", publishers, p.Procs()
	}
	var ranks []acp.Rank
	for r := first; r < end; r++ {
		ranks = append(ranks, acp.Rank(r))
	}
	index, n := int(p.Rank())-first, len(ranks)
	for point := range pictureSize {
		if x.publishes() && point%n == index || !x.publishes() && point*n/pictureSize == index {
			x.points = append(x.points, point)
		}
	}
	m, err := couple.NewModel(p, name, ranks)
	if err != nil {
		return nil, err
	}
	x.data = make([]int64, len(x.points))
	x.field, err = couple.NewField(m, "picture", x.data, couple.List(x.points), 1)
	return x, err
}

func (x *theater) publishes() bool { return int(x.p.Rank()) < x.publishers }

// send publishes the values of the next step.
func (x *theater) send(out *couple.Publisher) error {
	x.step++
	for i, point := range x.points {
		x.data[i] = int64(x.step)<<20 + int64(point)
	}
	return out.Send(x.step)
}

// publishUntil publishes steps until a value has a name. The ranks of the model are at different steps, but not far
// from each other.
func (x *theater) publishUntil(out *couple.Publisher, name string) error {
	r := rand.New(rand.NewPCG(1, uint64(x.p.Rank())))
	var ranks []acp.Rank
	for rank := range x.publishers {
		ranks = append(ranks, acp.Rank(rank))
	}
	for done := []byte{0}; done[0] == 0; {
		for range 10 {
			time.Sleep(time.Duration(r.IntN(100)) * time.Microsecond)
			if err := x.send(out); err != nil {
				return err
			}
		}
		if x.p.Rank() == 0 {
			_, version, err := x.p.GetValue(name)
			if err != nil {
				return err
			}
			done[0] = byte(min(version, 1))
		}
		if err := errors.Join(x.p.Broadcast(done, 0, ranks), x.p.SyncRanks(ranks)); err != nil {
			return err
		}
	}
	return nil
}

// check compares the values of a watcher with the values of a step.
func (x *theater) check(step int) error {
	for i, point := range x.points {
		if want := int64(step)<<20 + int64(point); x.data[i] != want {
			return fmt.Errorf("step %d: point %d is %x, want %x", step, point, x.data[i], want)
		}
	}
	return nil
}

// watch watches until it has got some pictures, or the model has ended. It returns the steps.
func (x *theater) watch(ctx context.Context, pictures int) (steps []int, err error) {
	in, err := x.field.Watch(ctx, "model.picture")
	if err != nil {
		return nil, err
	}
	for range pictures {
		step, err := in.Next(ctx)
		if err != nil {
			return steps, errors.Join(err, in.Close(ctx))
		}
		if err := x.check(step); err != nil {
			return steps, err
		}
		if n := len(steps); n > 0 && step <= steps[n-1] {
			return steps, fmt.Errorf("step %d after step %d", step, steps[n-1])
		}
		steps = append(steps, step)
	}
	return steps, in.Close(ctx)
}

// forEachTheater runs body over shared memory, over sockets, and with both.
func forEachTheater(t *testing.T, ranks, publishers int, body func(ctx context.Context, x *theater) error) {
	play := func(p *acp.Process) error {
		x, err := newTheater(p, publishers)
		if err != nil {
			return err
		}
		return body(context.Background(), x)
	}
	forEach(t, []int{ranks}, func(_ context.Context, p *acp.Process) error { return play(p) })
	t.Run("hosts", func(t *testing.T) {
		extensiontest.RunOnHosts(t, ranks, 2, acp.Config{HeapSize: heapSize}, play)
	})
}

// TestWatch: the model continues while watchers come and go. They get whole pictures, the same step on all ranks,
// and at last ErrEnded.
func TestWatch(t *testing.T) {
	const rounds = 4
	forEachTheater(t, 5, 3, func(ctx context.Context, x *theater) error {
		key := func(what string, round int) string { return fmt.Sprintf("%s %d", what, round) }
		if x.publishes() {
			out, err := x.field.PublishTo("viewer.picture", 1)
			if err != nil {
				return err
			}
			if err := x.publishUntil(out, "enough"); err != nil {
				return err
			}
			out.Close()
			return x.p.Sync()
		}
		for round := range rounds {
			steps, err := x.watch(ctx, 5)
			if err != nil {
				return err
			}
			// Both watchers have the same steps.
			if x.p.Rank() == 3 {
				_, err = x.p.PutValue(key("steps", round), fmt.Append(nil, steps))
			} else {
				var theirs []byte
				if theirs, _, err = x.p.WaitValue(key("steps", round), 1); err == nil && string(theirs) != fmt.Sprint(steps) {
					return fmt.Errorf("steps %v here, %s on rank 3", steps, theirs)
				}
			}
			if err != nil {
				return err
			}
		}
		if x.p.Rank() == 4 {
			if _, err := x.p.PutValue("enough", []byte{1}); err != nil {
				return err
			}
		}
		_, err := x.watch(ctx, 1<<30)
		if err := refused(err, couple.ErrEnded, "model.picture>viewer.picture"); err != nil {
			return err
		}
		if err := x.p.Sync(); err != nil {
			return err
		}
		_, err = x.watch(ctx, 1)
		return refused(err, couple.ErrEnded, "model.picture>viewer.picture", "of the sending side has closed the link")
	})
}

// TestWatchAbsent: nothing waits for watchers that do not come, that have stopped looking, or that end without a
// word.
func TestWatchAbsent(t *testing.T) {
	forEachTheater(t, 3, 2, func(ctx context.Context, x *theater) error {
		if !x.publishes() {
			if err := x.p.Sync(); err != nil {
				return err
			}
			in, err := x.field.Watch(ctx, "model.picture")
			if err != nil {
				return err
			}
			step, err := in.Next(ctx)
			if err := errors.Join(err, x.check(step)); err != nil {
				return err
			}
			if _, err := x.p.PutValue("seen", []byte{1}); err != nil {
				return err
			}
			return x.p.Sync() // and never looks again
		}
		out, err := x.field.PublishTo("viewer.picture", 2)
		if err != nil {
			return err
		}
		for range 100 {
			if err := x.send(out); err != nil {
				return err
			}
		}
		if err := errors.Join(x.p.Sync(), x.publishUntil(out, "seen")); err != nil {
			return err
		}
		for range 100 {
			if err := x.send(out); err != nil {
				return err
			}
		}
		return x.p.Sync()
	})
}

// TestWatchGivesUp: a watcher whose time is up has got nothing, and may call again.
func TestWatchGivesUp(t *testing.T) {
	forEachTheater(t, 4, 2, func(ctx context.Context, x *theater) error {
		var in *couple.Watcher
		if !x.publishes() {
			short, cancel := soon(ctx)
			defer cancel()
			if _, err := x.field.Watch(short, "model.picture"); !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("without a model: %v", err)
			}
		}
		if err := x.p.Sync(); err != nil {
			return err
		}
		var out *couple.Publisher
		var err error
		if x.publishes() {
			out, err = x.field.PublishTo("viewer.picture", 1)
		} else {
			in, err = x.field.Watch(ctx, "model.picture")
		}
		if err := errors.Join(err, x.p.Sync()); err != nil {
			return err
		}
		if !x.publishes() {
			for range 3 {
				short, cancel := context.WithTimeout(ctx, time.Millisecond)
				_, err := in.Next(short)
				cancel()
				if err := expect(context.DeadlineExceeded, err); err != nil {
					return err
				}
			}
		}
		if err := x.p.Sync(); err != nil {
			return err
		}
		if x.publishes() {
			return errors.Join(x.publishUntil(out, "seen"), x.p.Sync())
		}
		step, err := in.Next(ctx)
		if err := errors.Join(err, x.check(step)); err != nil {
			return err
		}
		if _, err := x.p.PutValue("seen", nil); err != nil {
			return err
		}
		return errors.Join(in.Close(ctx), x.p.Sync())
	})
}

// TestWatchMistakes: watchers get their own errors. Send returns the errors of the model.
func TestWatchMistakes(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPair(p)
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			f, err := couple.NewField(x.model, "out", make([]int32, 2), couple.List{1, 2}, 1)
			if err != nil {
				return err
			}
			if _, err := f.PublishTo("b.in", -1); !errors.Is(err, couple.ErrOptions) {
				return fmt.Errorf("every -1 steps: %v", err)
			}
			out, err := f.PublishTo("b.in", 1)
			if err != nil {
				return err
			}
			if err := out.Send(5); err != nil {
				return err
			}
			if err := refused(out.Send(5), couple.ErrStep, "step 5 is sent after step 5"); err != nil {
				return err
			}
			if err := p.Sync(); err != nil {
				return err
			}
			err = out.Send(6)
			out.Close()
			return errors.Join(err, refused(out.Send(7), couple.ErrClosed, "a.out>b.in"))
		}
		watch := func(want error, f *couple.Field, err error, texts ...string) error {
			if err != nil {
				return err
			}
			_, err = f.Watch(ctx, "a.out")
			return refused(err, want, texts...)
		}
		f, err := couple.NewField(x.model, "in", make([]int64, 1), couple.List{1}, 1)
		if err := watch(couple.ErrTypes, f, err, "1 int64 per point", "1 int32 per point"); err != nil {
			return err
		}
		f, err = couple.NewField(x.model, "in", make([]int32, 1), couple.List{3}, 1)
		if err := watch(couple.ErrMissing, f, err, "point 3 of a.out"); err != nil {
			return err
		}
		f, err = couple.NewField(x.model, "in", make([]int32, 1), couple.List{1}, 1)
		if err != nil {
			return err
		}
		_, err = f.ReceiveFrom(ctx, "a.out", couple.Options{})
		if err := refused(err, couple.ErrPartner, "PublishTo", "ReceiveFrom"); err != nil {
			return err
		}
		return p.Sync()
	})
}

// TestPublishedTwice: ranks of a model that publish the same point get the error when watchers come. Watchers that come later do not wait.
func TestPublishedTwice(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		m, err := couple.NewModel(p, []string{"a", "a", "b"}[p.Rank()], [][]acp.Rank{{0, 1}, {0, 1}, {2}}[p.Rank()])
		if err != nil {
			return err
		}
		f, err := couple.NewField(m, "f", make([]uint8, 1), couple.List{7}, 1)
		if err != nil {
			return err
		}
		if p.Rank() == 2 {
			_, err := f.Watch(ctx, "a.f")
			_, again := f.Watch(ctx, "a.f")
			return errors.Join(refused(err, couple.ErrTwice, "point 7"), expect(couple.ErrEnded, again))
		}
		out, err := f.PublishTo("b.f", 1)
		if err != nil {
			return err
		}
		for step := 0; err == nil; step++ {
			err = out.Send(step)
		}
		return refused(err, couple.ErrTwice, "point 7")
	})
}

// TestRepublish: if a model begins a publication anew before it closes the old one, watchers that come again find it
// each time.
func TestRepublish(t *testing.T) {
	const rounds = 20
	forEachTheater(t, 5, 3, func(ctx context.Context, x *theater) error {
		if !x.publishes() {
			return errors.Join(x.watchAgain(ctx), x.p.Sync())
		}
		out, err := x.field.PublishTo("viewer.picture", 1)
		for round := range rounds {
			if err == nil {
				err = x.publishUntil(out, fmt.Sprint("seen ", round))
			}
			if err != nil {
				return err
			}
			before := out
			out, err = x.field.PublishTo("viewer.picture", 1)
			before.Close()
		}
		if x.p.Rank() == 0 {
			_, err1 := x.p.PutValue("last", nil)
			err = errors.Join(err, err1)
		}
		if err := errors.Join(err, x.p.SyncRanks([]acp.Rank{0, 1, 2})); err != nil {
			return err
		}
		out.Close()
		return x.p.Sync()
	})
}

// watchAgain watches publications, each until it ends, until the model reports that there are no more.
func (x *theater) watchAgain(ctx context.Context) error {
	for seen := 0; ; {
		in, err := x.field.Watch(ctx, "model.picture")
		if errors.Is(err, couple.ErrEnded) {
			if _, version, err1 := x.p.GetValue("last"); version > 0 || err1 != nil {
				return err1
			}
		}
		if err != nil {
			return fmt.Errorf("after %d publications: %w", seen, err)
		}
		for pictures := 0; ; pictures++ {
			step, err := in.Next(ctx)
			if errors.Is(err, couple.ErrEnded) {
				break
			}
			if err := errors.Join(err, x.check(step)); err != nil {
				return err
			}
			if pictures == 0 && int(x.p.Rank()) == x.publishers {
				if _, err := x.p.PutValue(fmt.Sprint("seen ", seen), nil); err != nil {
					return err
				}
				seen++
			}
		}
		if err := in.Close(ctx); err != nil {
			return err
		}
	}
}

// TestPublishReset: Reset ends publications and watchers. New publications and watchers work.
func TestPublishReset(t *testing.T) {
	forEachTheater(t, 3, 2, func(ctx context.Context, x *theater) error {
		for round := range 3 {
			var err error
			if x.publishes() {
				var out *couple.Publisher
				if out, err = x.field.PublishTo("viewer.picture", 1); err == nil {
					err = x.publishUntil(out, fmt.Sprint(round))
				}
			} else {
				var in *couple.Watcher
				if in, err = x.field.Watch(ctx, "model.picture"); err == nil {
					_, err = in.Next(ctx)
				}
				if err == nil {
					_, err = x.p.PutValue(fmt.Sprint(round), nil)
				}
			}
			if err := errors.Join(err, x.p.Reset(x.p.Rank())); err != nil {
				return err
			}
			if x, err = newTheater(x.p, x.publishers); err != nil {
				return err
			}
		}
		return nil
	})
}
