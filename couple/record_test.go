package couple_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/internal/ground/netcdf"
)

// recordFile is the name that Record of this rank gets.
func (x *timeRank[T]) recordFile() string { return x.file() + "-record" }

// record records a run from the beginning.
func (x *timeRank[T]) record(from int, record func(string, int) error) error {
	if from > 0 {
		return nil
	}
	return record(x.recordFile(), x.recorded[x.side])
}

// checkRecord compares the file of this rank with the serial model.
func (x *timeRank[T]) checkRecord(from int) error {
	if from > 0 {
		return nil
	}
	name := fmt.Sprintf("%s.%d.nc", x.recordFile(), x.index)
	f, err := netcdf.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		for _, point := range x.points {
			if x.side == 0 && !x.masked[0][point] {
				return fmt.Errorf("a rank with point %d has no file", point)
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	points, steps, values := f.Variable("point"), f.Variable("step"), f.Variable("f")
	numbers, all, got := make([]int64, points.Len()), make([]int64, steps.Len()), make([]float64, values.Len())
	if err := errors.Join(f.Integers(points, 0, numbers), f.Integers(steps, 0, all), f.Reals(values, 0, got)); err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("%s has no records", name)
	}
	for i, step := range all {
		message := i * x.recorded[x.side]
		want := message * x.every[x.side]
		if x.side == 0 {
			want -= x.lag
		}
		if step != int64(want) {
			return fmt.Errorf("%s: record %d is of step %d, expected %d", name, i, step, want)
		}
		row := got[i*len(numbers)*x.perPoint:][:len(numbers)*x.perPoint]
		if err := x.checkRow(message, numbers, row); err != nil {
			return fmt.Errorf("%s: step %d: %w", name, step, err)
		}
	}
	return nil
}

// checkRow compares the values of a message.
func (x *timeRank[T]) checkRow(message int, points []int64, row []float64) error {
	for k := range x.perPoint {
		var want []float64
		if x.side == 1 {
			want = x.message(message, k)
		}
		for i, point := range points {
			value := 0.0
			if x.side == 0 {
				value = x.round(scaled(x.reduced(message, int(point), k), x.factor[0], x.offset[0]))
			} else {
				value = want[point]
			}
			have := row[i*x.perPoint+k]
			if math.Abs(have-value) > x.tolerance()*max(100, math.Abs(value)) || math.IsNaN(have) || math.IsNaN(value) || !slices.Contains(x.points, int(point)) {
				return fmt.Errorf("point %d: %v, expected %v", point, have, value)
			}
		}
	}
	return nil
}

// recordPair runs the sender of one integer field on rank 0 and the receiver on rank 1.
func recordPair(ctx context.Context, p *acp.Process, folder string) error {
	m, err := couple.NewModel(p, [2]string{"a", "b"}[p.Rank()], []acp.Rank{p.Rank()})
	if err != nil {
		return err
	}
	data := []int16{-1, -1, -1}
	f, err := couple.NewField(m, "f", data, couple.Ranges{{First: 0, N: 3}}, 1)
	if err != nil {
		return err
	}
	name := filepath.Join(folder, "x")
	if p.Rank() == 0 {
		out, err := f.SendTo(ctx, "b.f", couple.Options{})
		if err != nil {
			return err
		}
		err = errors.Join(expect(couple.ErrOptions, out.Record(name, 0)), expect(couple.ErrOptions, out.Record("", 1)),
			expect(os.ErrNotExist, out.Record(filepath.Join(folder, "absent", "x"), 1)), p.Sync())
		for step := range 4 {
			data[0] = int16(step)
			err = errors.Join(err, out.Send(ctx, step))
		}
		return errors.Join(err, out.Close(ctx), expect(couple.ErrClosed, out.Record(name, 1)))
	}
	in, err := f.ReceiveFrom(ctx, "a.f", couple.Options{})
	if err != nil {
		return err
	}
	begun := in.Times()
	err = errors.Join(in.Record(name, 1), p.Sync(), in.Receive(ctx, 0), in.Record(name+"-later", 2), in.Receive(ctx, 1), in.Receive(ctx, 2), in.Receive(ctx, 3))
	if have := in.Times(); begun != (couple.LinkTimes{}) || have.Messages != 4 || m.Times().Waited < have.Waited || m.Times().Computed <= 0 {
		err = errors.Join(err, fmt.Errorf("times %v, then %v and %v of the model", begun, have, m.Times()))
	}
	err = errors.Join(err, in.Close(ctx))
	over := m.Times()
	time.Sleep(time.Millisecond)
	if now := m.Times(); now != over {
		err = errors.Join(err, fmt.Errorf("times %v change to %v without links", over, now))
	}
	for file, want := range map[string][]int64{"x.0.nc": {0}, "x-later.0.nc": {2}} {
		err = errors.Join(err, checkSteps(filepath.Join(folder, file), want))
	}
	return err
}

// checkSteps compares the steps in a file.
func checkSteps(name string, want []int64) error {
	f, err := netcdf.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	steps := make([]int64, f.Variable("step").Len())
	if err := f.Integers(f.Variable("step"), 0, steps); err != nil || !slices.Equal(steps, want) || f.Attributes["link"] != "a.f>b.f" || f.Attributes["side"] != "receiving" {
		return fmt.Errorf("%s has steps %v of %v, expected %v: %w", name, steps, f.Attributes, want, err)
	}
	return nil
}

// TestRecord: an integer field is recorded from the call on, until another file begins. Wrong arguments change nothing.
func TestRecord(t *testing.T) {
	run(t, bridge.ModeAuto, 2, func(ctx context.Context, p *acp.Process) error { return recordPair(ctx, p, t.TempDir()) })
}
