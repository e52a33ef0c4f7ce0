package couple_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// timedPair opens a link from a.out to b.in with some values at both sides. Of the ends, the one of this rank is not nil.
func timedPair[T couple.Value](ctx context.Context, p *acp.Process, data []T, o couple.Options) (*couple.Sender, *couple.Receiver, error) {
	x, err := newPair(p)
	if err != nil {
		return nil, nil, err
	}
	e, _, err := open(ctx, x, data, couple.Ranges{{First: 3, N: len(data)}}, 1, o)
	if err != nil {
		return nil, nil, err
	}
	s, _ := e.(*couple.Sender)
	r, _ := e.(*couple.Receiver)
	return s, r, nil
}

// TestBadTimes: what a link cannot do is refused, with the reason, and the link still works.
func TestBadTimes(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		data := []float64{1, 2}
		s, r, err := timedPair(ctx, p, data, couple.Options{Every: 4})
		if err != nil {
			return err
		}
		if p.Rank() == 1 {
			err := errors.Join(
				refused(r.Scale(math.NaN(), 1), couple.ErrOptions, "factor NaN and offset 1; expected finite numbers"),
				refused(r.Save(filepath.Join(t.TempDir(), "x")), couple.ErrOptions, "link a.out>b.in", "without operations in time"),
				r.Interpolate(), r.Receive(ctx, 0),
				refused(r.Interpolate(), couple.ErrOptions, "before the first step"),
				refused(r.Receive(ctx, -1), couple.ErrStep, "step -1 is received after step 0"))
			if err != nil || data[0] != 7 {
				return fmt.Errorf("%v: %w", data, err)
			}
			return errors.Join(p.Sync(), r.Close(ctx))
		}
		err = errors.Join(
			refused(s.Reduce(17), couple.ErrOptions, "reduction 17"),
			refused(s.Lag(-1), couple.ErrOptions, "a lag of -1 steps; expected 0 to"),
			refused(s.Lag(5), couple.ErrOptions, "a lag of 5 steps is 2 messages; expected at most 1, the levels of the link"),
			s.Lag(1), s.Reduce(couple.Sum),
			refused(s.Send(ctx, 0), couple.ErrOptions, "step 0 is sent before the initial values, which a lag of 1 steps needs"))
		if err != nil {
			return err
		}
		data[0] = 7
		err = errors.Join(refused(s.Initialize(ctx, -1), couple.ErrStep, "the first step is -1"), s.Initialize(ctx, 0),
			refused(s.Lag(2), couple.ErrOptions, "before the first step"), s.Send(ctx, 0),
			refused(s.Send(ctx, 0), couple.ErrStep, "step 0 is sent after step 0"))
		return errors.Join(err, p.Sync(), s.Close(ctx))
	})
}

// TestLagAtTheEnd: receivers that have closed the link do not need the messages that a lag brings early, but the next one fails.
func TestLagAtTheEnd(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		data := []float64{1}
		s, r, err := timedPair(ctx, p, data, couple.Options{Every: 2, Levels: 3})
		if err != nil {
			return err
		}
		if p.Rank() == 1 {
			// The link is closed when both initial messages are there.
			return errors.Join(r.Receive(ctx, 0), p.Sync(), r.Close(ctx), p.Sync())
		}
		if err := errors.Join(s.Lag(3), s.Initialize(ctx, 0), p.Sync(), p.Sync()); err != nil {
			return err
		}
		for step := range 4 { // messages 2 and 3
			if err := s.Send(ctx, step); err != nil {
				return fmt.Errorf("step %d: %w", step, err)
			}
		}
		return errors.Join(s.Send(ctx, 4), expect(couple.ErrEnded, s.Send(ctx, 5)), s.Close(ctx))
	})
}

// TestBadKinds: fields of integers have no operations in time, and complex values no minimum.
func TestBadKinds(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		s, r, err := timedPair(ctx, p, []int32{1}, couple.Options{})
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			return errors.Join(refused(s.Reduce(couple.Average), couple.ErrOptions, "field a.out has 1 int32 per point; expected real or complex values"), s.Close(ctx))
		}
		return errors.Join(refused(r.Interpolate(), couple.ErrOptions, "field b.in has 1 int32 per point; expected real or complex values"), r.Close(ctx))
	})
	run(t, 0, 2, func(ctx context.Context, p *acp.Process) error {
		data := []complex128{complex(1, 2)}
		s, r, err := timedPair(ctx, p, data, couple.Options{})
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			return errors.Join(refused(s.Reduce(couple.Minimum), couple.ErrOptions, "complex numbers have no minimum"),
				s.Scale(2, 1), s.Send(ctx, 0), s.Close(ctx))
		}
		err = r.Receive(ctx, 0)
		if err != nil || data[0] != complex(3, 4) {
			return fmt.Errorf("%v: %w", data, err)
		}
		return r.Close(ctx)
	})
}

// TestConservationDiffers: both sides of a link conserve, or none.
func TestConservationDiffers(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPair(p)
		if err != nil {
			return err
		}
		name, partner, method := "out", "b.in", couple.ConserveAdd
		if p.Rank() == 1 {
			name, partner, method = "in", "a.out", couple.ConserveMultiply
		}
		f, err := couple.NewField(x.model, name, make([]float64, 2), couple.Ranges{{First: 0, N: 2}}, 1)
		if err != nil {
			return err
		}
		err = errors.Join(refused(f.Conserve(method, make([]float64, 3)), couple.ErrSize, "3 areas for 2 points"),
			refused(f.Conserve(9, nil), couple.ErrOptions, "method 9 of conservation; expected none, add or multiply"), f.Conserve(method, nil))
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			_, err = f.SendTo(ctx, partner, couple.Options{})
		} else {
			_, err = f.ReceiveFrom(ctx, partner, couple.Options{})
		}
		return refused(err, couple.ErrDisagree, "the sending field has conservation add, the receiving field multiply")
	})
}

// TestConservationLate: a receiver whose time limit passes before other ranks have come gets the values by the next call, and the
// first receiver that closes the link ends the waits of others.
func TestConservationLate(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		name, ranks := "a", []acp.Rank{0}
		if p.Rank() > 0 {
			name, ranks = "b", []acp.Rank{1, 2}
		}
		m, err := couple.NewModel(p, name, ranks)
		if err != nil {
			return err
		}
		data := []float64{8}
		point := int(max(p.Rank(), 1)) - 1
		f, err := couple.NewField(m, "f", data, couple.Ranges{{First: point, N: 1}}, 1)
		if err != nil {
			return err
		}
		if err := f.Conserve(couple.ConserveAdd, nil); err != nil {
			return err
		}
		if p.Rank() == 0 {
			s, err := f.SendTo(ctx, "b.f", couple.Options{Levels: 2})
			return errors.Join(err, s.Send(ctx, 0), s.Send(ctx, 1), p.Sync(), p.Sync(), s.Close(ctx))
		}
		// The value of point 0 goes to both, so their integral would be 16.
		r, err := f.ReceiveWeighted(ctx, "a.f", []couple.Weight{{Row: point, Column: 0, Value: 1}}, couple.Options{})
		if err != nil {
			return err
		}
		if p.Rank() == 1 {
			// On a busy machine the message itself may come after the first limits.
			var missing error
			for limit := 20 * time.Millisecond; ctx.Err() == nil; limit *= 2 {
				short, stop := context.WithTimeout(ctx, limit)
				err := expect(context.DeadlineExceeded, r.Receive(short, 0))
				stop()
				if err != nil || data[0] != 8 {
					return fmt.Errorf("%v: %w", data, err)
				}
				missing = refused(r.Receive(ctx, 1), couple.ErrStep, "message 0 has come, and its sums are missing; it is to be received before message 1")
				if missing == nil {
					break
				}
			}
			if missing != nil || data[0] != 8 {
				return fmt.Errorf("%v: %w", data, missing)
			}
			if err := errors.Join(p.Sync(), r.Receive(ctx, 0)); err != nil || data[0] != 4 {
				return fmt.Errorf("%v: %w", data, err)
			}
			return errors.Join(r.Close(ctx), p.Sync())
		}
		if err := errors.Join(p.Sync(), r.Receive(ctx, 0)); err != nil || data[0] != 4 {
			return fmt.Errorf("%v: %w", data, err)
		}
		return errors.Join(expect(couple.ErrEnded, r.Receive(ctx, 1)), p.Sync(), r.Close(ctx))
	})
}

// TestBadRestartFiles: a file that does not fit is refused with its name, what it has and what was expected, and the link then
// works without it.
func TestBadRestartFiles(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "state")
	write := func(name string, b []byte) error { return os.WriteFile(name, b, 0o600) }
	run(t, 0, 2, func(ctx context.Context, p *acp.Process) error {
		data := []float64{1, 2}
		s, r, err := timedPair(ctx, p, data, couple.Options{Every: 2})
		if err != nil {
			return err
		}
		if p.Rank() == 1 {
			return errors.Join(r.Receive(ctx, 0), p.Sync(), p.Sync(), r.Receive(ctx, 2), p.Sync(), r.Close(ctx))
		}
		err = errors.Join(s.Reduce(couple.Sum), s.Send(ctx, 0), s.Send(ctx, 1), s.Save(file), p.Sync())
		if err != nil {
			return err
		}
		whole, err := os.ReadFile(file + ".0")
		if err != nil {
			return err
		}
		// A folder cannot be replaced, and there is no file in a folder that does not exist.
		err = errors.Join(os.Mkdir(filepath.Join(folder, "taken.0"), 0o700), p.Sync())
		if s.Save(filepath.Join(folder, "taken")) == nil || s.Save(filepath.Join(folder, "no", "state")) == nil {
			return errors.New("Save did not fail")
		}
		// A run that is killed while it saves leaves a part of a file, which the next one replaces.
		err = errors.Join(err, write(file+".0.new", whole[:9]), s.Save(file))
		left, err1 := filepath.Glob(filepath.Join(folder, "*.0.*"))
		if len(left) > 0 {
			err = errors.Join(err, fmt.Errorf("Save left %v", left))
		}
		another := append([]byte(nil), whole...)
		binary.LittleEndian.PutUint32(another[8:], 77)
		return errors.Join(err, err1, s.Send(ctx, 2), p.Sync(), s.Close(ctx),
			write(filepath.Join(folder, "version.0"), another), write(filepath.Join(folder, "short.0"), whole[:len(whole)-3]),
			write(filepath.Join(folder, "text.0"), []byte("# no state\n")))
	})
	run(t, 0, 2, func(ctx context.Context, p *acp.Process) error {
		data := make([]float64, 2)
		s, r, err := timedPair(ctx, p, data, couple.Options{Every: 2})
		if err != nil {
			return err
		}
		if p.Rank() == 1 {
			_, err := r.Load(ctx, file)
			err = errors.Join(refused(err, couple.ErrFile, "link a.out>b.in: "+file+".0: bad file: written by the sending side; expected the receiving side"), r.Receive(ctx, 2))
			return errors.Join(err, r.Close(ctx))
		}
		load := func(name string) error {
			_, err := s.Load(ctx, filepath.Join(folder, name))
			return err
		}
		err = errors.Join(
			refused(load("state"), couple.ErrFile, "written with every 2, lag 0, reduction sum; expected every 2, lag 0, reduction last"),
			s.Reduce(couple.Sum),
			refused(load("absent"), fs.ErrNotExist, "link a.out>b.in", "absent.0"),
			refused(load("version"), couple.ErrFile, "version.0: bad file: version 77 of the format; expected 1"),
			refused(load("short"), couple.ErrFile, "short.0: bad file: truncated: "),
			refused(load("text"), couple.ErrFile, `text.0: bad file: a file of 11 bytes that does not begin with "ACPlink"`),
			refused(load("taken"), couple.ErrFile, "taken.0: bad file: expected a file, found d"),
			load("state"),
			refused(load("state"), couple.ErrOptions, "before the first step"))
		return errors.Join(err, s.Send(ctx, 2), s.Close(ctx))
	})
	run(t, 0, 2, func(ctx context.Context, p *acp.Process) error {
		s, r, err := timedPair(ctx, p, make([]float64, 3), couple.Options{Every: 2})
		if err != nil {
			return err
		}
		if p.Rank() == 1 {
			return r.Close(ctx)
		}
		_, err = s.Load(ctx, file)
		return errors.Join(refused(err, couple.ErrFile, "written for 2 points from 3 to 4; expected 3 points from 3 to 5"), s.Close(ctx))
	})
	run(t, 0, 3, func(ctx context.Context, p *acp.Process) error {
		name, ranks, first := "a", []acp.Rank{0, 1}, 3+int(p.Rank())
		if p.Rank() == 2 {
			name, ranks, first = "b", []acp.Rank{2}, 3
		}
		m, err := couple.NewModel(p, name, ranks)
		if err != nil {
			return err
		}
		if p.Rank() == 2 {
			f, err := couple.NewField(m, "in", make([]float64, 2), couple.Ranges{{First: first, N: 2}}, 1)
			if err != nil {
				return err
			}
			r, err := f.ReceiveFrom(ctx, "a.out", couple.Options{})
			return errors.Join(err, r.Close(ctx))
		}
		f, err := couple.NewField(m, "out", make([]float64, 1), couple.Ranges{{First: first, N: 1}}, 1)
		if err != nil {
			return err
		}
		s, err := f.SendTo(ctx, "b.in", couple.Options{Every: 2})
		if err != nil {
			return err
		}
		if _, err = s.Load(ctx, file); p.Rank() == 0 {
			err = refused(err, couple.ErrFile, "written by a model of 1 ranks; expected 2 ranks")
		} else {
			err = refused(err, fs.ErrNotExist, "state.1")
		}
		return errors.Join(err, s.Close(ctx))
	})
}

// TestSavedBefore: before the first step a state can be saved, unless initial values are missing, and the operations may still
// change. A run that continues from it begins with the first step. A link without operations that loads nothing stays one.
func TestSavedBefore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	run(t, 0, 2, func(ctx context.Context, p *acp.Process) error {
		data := []float64{3}
		s, r, err := timedPair(ctx, p, data, couple.Options{Every: 2})
		if err != nil {
			return err
		}
		if p.Rank() == 1 {
			_, err := r.Load(ctx, file)
			err = errors.Join(refused(err, fs.ErrNotExist, "state.0"), refused(r.Save(file+".in"), couple.ErrOptions, "without operations in time"), r.Scale(2, 0), r.Save(file+".in"), r.Scale(1, 1), r.Receive(ctx, 0))
			if data[0] != 4 {
				err = errors.Join(err, fmt.Errorf("received %v", data))
			}
			return errors.Join(err, p.Sync(), r.Close(ctx))
		}
		err = errors.Join(s.Reduce(couple.Sum), s.Save(file), s.Lag(2),
			refused(s.Save(file), couple.ErrOptions, "the state is saved before the initial values, which a lag of 2 steps needs"),
			s.Initialize(ctx, 0), p.Sync(), s.Close(ctx))
		return err
	})
	run(t, 0, 2, func(ctx context.Context, p *acp.Process) error {
		data := []float64{3}
		s, r, err := timedPair(ctx, p, data, couple.Options{Every: 2})
		if err != nil {
			return err
		}
		var step int
		if p.Rank() == 1 {
			err = r.Scale(2, 0)
			step, _ = r.Load(ctx, file+".in")
			if err = errors.Join(err, r.Receive(ctx, 0), r.Close(ctx)); data[0] != 6 {
				err = errors.Join(err, fmt.Errorf("received %v", data))
			}
		} else {
			err = s.Reduce(couple.Sum)
			step, _ = s.Load(ctx, file)
			err = errors.Join(err, s.Send(ctx, 0), s.Close(ctx))
		}
		if step != -1 {
			err = errors.Join(err, fmt.Errorf("loaded step %d", step))
		}
		return err
	})
}

// TestInitialFile: each rank reads the values of its own points, in any order, and a file of another size is refused.
func TestInitialFile(t *testing.T) {
	folder := t.TempDir()
	var content []byte
	for point := range 12 {
		for k := range 2 {
			content = binary.LittleEndian.AppendUint32(content, math.Float32bits(float32(100*point+k)))
		}
	}
	for name, b := range map[string][]byte{"initial": content, "short": content[:88], "odd": content[:95], "long": append(content, make([]byte, 8)...)} {
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lists := [][]int{{11, 0, 5}, {7, 8, 9, 2}}
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		name, ranks := "a", []acp.Rank{0, 1}
		var own couple.Points = couple.Ranges{{First: 0, N: 12}}
		n := 12
		if p.Rank() < 2 {
			own, n = couple.List(lists[p.Rank()]), len(lists[p.Rank()])
		} else {
			name, ranks, own, n = "b", []acp.Rank{2}, couple.List{7, 5, 11, 0, 9, 2, 8}, 7
		}
		m, err := couple.NewModel(p, name, ranks)
		if err != nil {
			return err
		}
		data := make([]float32, 2*n)
		f, err := couple.NewField(m, "f", data, own, 2)
		if err != nil {
			return err
		}
		if p.Rank() == 2 {
			r, err := f.ReceiveFrom(ctx, "a.f", couple.Options{})
			if err == nil {
				err = r.Receive(ctx, 0)
			}
			if err != nil {
				return err
			}
			for i, point := range own.(couple.List) {
				for k := range 2 {
					if data[2*i+k] != float32(100*point+k) {
						return fmt.Errorf("point %d: %v", point, data[2*i:2*i+2])
					}
				}
			}
			return errors.Join(p.Sync(), r.Close(ctx))
		}
		s, err := f.SendTo(ctx, "b.f", couple.Options{})
		if err != nil {
			return err
		}
		last := []int{11, 9}[p.Rank()]
		begin := func(name string) error { return s.InitializeFrom(ctx, 0, filepath.Join(folder, name)) }
		return errors.Join(s.Lag(1), refused(begin("absent"), fs.ErrNotExist, "absent"),
			refused(begin("odd"), couple.ErrFile, "odd: bad file: 95 bytes; expected a multiple of 8 from", fmt.Sprintf("%d on, for points 0 to %d with 2 float32 per point", 8*(last+1), last)),
			begin("initial"), s.Send(ctx, 0), p.Sync(), s.Close(ctx))
	})
	run(t, 0, 2, func(ctx context.Context, p *acp.Process) error {
		x, err := newPair(p)
		if err != nil {
			return err
		}
		e, _, err := open(ctx, x, make([]float32, 24), whole(false, 3, 4), 2, couple.Options{})
		if err != nil {
			return err
		}
		if s, ok := e.(*couple.Sender); ok {
			for name, bytes := range map[string]int{"short": 88, "long": 104} {
				err = errors.Join(err, refused(s.InitializeFrom(ctx, 0, filepath.Join(folder, name)), couple.ErrFile,
					fmt.Sprintf("%d bytes; expected 96, for the 12 points of the grid with 2 float32 per point", bytes)))
			}
		}
		return errors.Join(err, e.Close(ctx))
	})
}
