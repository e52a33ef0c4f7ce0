package link

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/goacp/goacp/internal/system/couple/description"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/timing"
)

// checkTime returns an error if the field cannot have the operations in time of a link. All ranks of a model return the same,
// before they open the link.
func (f *Field) checkTime(d *description.Link) error {
	if d.Time == (description.Time{}) {
		return nil
	}
	err := f.timeable()
	if err == nil && d.Time.Reduction.Ordered() && f.element.Kind.Complex() {
		err = fmt.Errorf("%w: complex numbers have no %v", ErrOptions, d.Time.Reduction)
	}
	if err != nil {
		return fmt.Errorf("link %s>%s: %w", d.From, d.To, err)
	}
	return nil
}

// sendInTime opens the sending side of a link of the description with its operations in time.
func (f *Field) sendInTime(ctx context.Context, d *description.Link) (*Sender, error) {
	lag := timing.Plan{Every: int64(max(d.SendEvery, 1)), Lag: int64(d.Time.Lag)}
	s, err := f.SendTo(ctx, d.To, Options{Levels: max(d.Levels, int(lag.Ahead())), Every: d.SendEvery, SameNumbers: d.SameNumbers, Conserve: d.Time.Conserve})
	if err != nil {
		return nil, err
	}
	if d.Time.Reduction != timing.Last {
		err = s.Reduce(d.Time.Reduction)
	}
	if d.Time.Lag > 0 {
		err = errors.Join(err, s.Lag(d.Time.Lag))
	}
	if d.Record.File != "" && d.Record.AtSender {
		err = errors.Join(err, s.Record(d.Record.File, max(d.Record.Every, 1)))
	}
	if err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	return s, nil
}

// receiveInTime opens the receiving side.
func (f *Field) receiveInTime(ctx context.Context, d *description.Link) (*Receiver, error) {
	r, err := f.ReceiveFrom(ctx, d.From, Options{Levels: d.Levels, Every: d.ReceiveEvery, SameNumbers: d.SameNumbers, Conserve: d.Time.Conserve})
	if err != nil {
		return nil, err
	}
	if d.Time.Interpolate {
		err = r.Interpolate()
	}
	if factor := d.Time.Factor; factor != 0 || d.Time.Offset != 0 {
		if factor == 0 {
			factor = 1
		}
		err = errors.Join(err, r.Scale(factor, d.Time.Offset))
	}
	if d.Record.File != "" && !d.Record.AtSender {
		err = errors.Join(err, r.Record(d.Record.File, max(d.Record.Every, 1)))
	}
	if err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	return r, nil
}

// initialize sends the initial values of the links with a lag, before the first step that is sent or received, unless Load has
// sent messages in their place.
func (l *Links) initialize(ctx context.Context, step int64) error {
	for _, s := range l.senders {
		file, needs := l.initial[s]
		if !needs {
			continue
		}
		var err error
		if file == "" {
			err = s.Initialize(ctx, step)
		} else {
			err = s.InitializeFrom(ctx, step, file)
		}
		if err != nil {
			return err
		}
		delete(l.initial, s)
	}
	return nil
}

// saved is an end whose state Save writes.
type saved interface {
	Save(name string) error
	Load(ctx context.Context, name string) (step int64, err error)
}

// saved calls f with each end that has operations in time, and the name of its files in a folder.
func (l *Links) saved(folder string, f func(x saved, file string) error) error {
	for _, s := range l.senders {
		if s.timed != nil {
			if err := f(s, s.fileIn(folder)); err != nil {
				return err
			}
		}
	}
	for _, r := range l.receivers {
		if r.timed != nil {
			if err := f(r, r.fileIn(folder)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fileIn returns the name of the files of this side in a folder, such as "ocean.sst.to.air.below.sending". Names of models and
// fields have no full stops.
func (e *end) fileIn(folder string) string {
	return filepath.Join(folder, strings.Replace(e.name, ">", ".to.", 1)+"."+[...]string{side.Sending: "sending", side.Receiving: "receiving"}[e.side])
}

// Save writes the states of all links with operations in time to files in a folder. Fails as Save of Sender does.
func (l *Links) Save(folder string) error {
	return l.saved(folder, func(x saved, file string) error { return x.Save(file) })
}

// Load continues from the files that Save has written to a folder, and returns the last step before they were written, or -1 if
// no link has operations in time. Fails as Load of Sender does, and with ErrFile if the files are not of one step.
func (l *Links) Load(ctx context.Context, folder string) (step int64, err error) {
	first := ""
	step = -1
	err = l.saved(folder, func(x saved, file string) error {
		at, err := x.Load(ctx, file)
		switch {
		case err != nil:
			return err
		case first != "" && at != step:
			return fmt.Errorf("%w: %s is of step %d, and %s of step %d; expected the same step", ErrFile, file, at, first, step)
		}
		step, first = at, file
		return nil
	})
	if err == nil {
		clear(l.initial)
	}
	return step, err
}
