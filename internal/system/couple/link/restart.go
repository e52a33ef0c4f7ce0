package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/timing"
)

// header describes the end, and what it has to do.
func (e *end) header() timing.Header {
	t := e.timed
	grid := timing.Grid{Points: t.layout.Len()}
	if lo, hi := t.layout.Bounds(); hi > lo {
		grid.First, grid.Last = lo, hi-1
	}
	h := fnv.New64a()
	var buffer [8]byte
	t.layout.Points.Each(func(point int64) {
		for i := range buffer {
			buffer[i] = byte(point >> (8 * i))
		}
		h.Write(buffer[:])
	})
	grid.Hash = h.Sum64()
	return timing.Header{
		Link: e.name, Side: e.side, Ranks: len(e.field.model.members), Index: e.field.model.index,
		Element: e.field.element, Plan: t.plan, Grid: grid,
	}
}

// restartFile returns the name of the file of this rank.
func (e *end) restartFile(name string) string {
	return name + "." + strconv.Itoa(e.field.model.index)
}

// saveable returns an error for an end without a state.
func (e *end) saveable() error {
	if err := e.usable(); err != nil {
		return err
	}
	if e.timed == nil {
		return e.wrap(nil, fmt.Errorf("%w: a link without operations in time has no state", ErrOptions))
	}
	return nil
}

// Save writes the state of the operations in time of this rank to a file, whose name ends in a full stop and the number of the
// process in its model. An earlier file with this name is replaced when the new one is whole. Fails with ErrOptions for a link
// without operations in time, and with an error of package os.
func (e *end) Save(name string) error {
	if err := e.saveable(); err != nil {
		return err
	}
	state, err := e.timed.state(e.side)
	if err != nil {
		return e.wrap(nil, err)
	}
	f := timing.File{Header: e.header(), State: state}
	if err := replace(e.restartFile(name), f.Encode()); err != nil {
		return e.wrap(nil, err)
	}
	return nil
}

// state returns the state of a side. Before the first step it is that of a side that has not begun, which the end does not become
// by it: its operations may still change.
func (t *timed) state(sd side.Side) (timing.State, error) {
	switch {
	case sd == side.Receiving && t.receiver == nil:
		return timing.NewReceiver(t.plan).State(), nil
	case sd == side.Receiving:
		return t.receiver.State(), nil
	case t.sender != nil:
		return t.sender.State(), nil
	case t.plan.Lag > 0:
		return timing.State{}, fmt.Errorf("%w: the state is saved before the initial values, which a lag of %d steps needs", ErrOptions, t.plan.Lag)
	}
	return timing.NewSender(t.plan, 0).State(), nil
}

// replace writes a file. If that fails, the file is as before.
func replace(name string, content []byte) (err error) {
	f, err := os.Create(name + ".new") // which a run that was killed before may have left
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the first error counts
		}
	}()
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// load reads the file of this rank. Fails with timing.ErrFile.
func (e *end) load(name string) (*timing.File, error) {
	without, field := e.timed == nil, e.field
	if _, err := e.timing(); err != nil {
		return nil, err
	}
	f, err := e.read(e.restartFile(name))
	if err != nil && without {
		e.timed, e.field = nil, field // the link stays one without operations, with its shorter path
	}
	return f, err
}

// read reads a file, and checks that it is of this end.
func (e *end) read(name string) (*timing.File, error) {
	content, err := readFile(name)
	if err != nil {
		return nil, e.wrap(nil, err)
	}
	f, err := timing.Decode(content)
	if err == nil {
		want := e.header()
		err = f.Check(&want)
	}
	if err != nil {
		return nil, e.wrap(nil, fmt.Errorf("%s: %w", name, err))
	}
	return f, nil
}

// readFile returns the content of a regular file: others may block.
func readFile(name string) ([]byte, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var content bytes.Buffer
	_, err = io.Copy(&content, f)
	return content.Bytes(), err
}

// openFile opens a regular file for reading.
func openFile(name string) (*os.File, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w: expected a file, found %v", timing.ErrFile, info.Mode().Type())}
	}
	return os.Open(name)
}

// Load continues from the file that Save has written for this rank, and returns the last step before it was written. The
// link has the same operations as then. It sends the messages again that the receivers may not have. Fails with
// timing.ErrFile, with ErrOptions after the first step, with an error of package os, and as Send does.
func (s *Sender) Load(ctx context.Context, name string) (step int64, err error) {
	f, err := s.load(name)
	if err != nil {
		return 0, err
	}
	messages, err := s.timed.sends().Restore(&f.State)
	if err != nil {
		s.timed.sender = nil
		return 0, s.wrap(nil, fmt.Errorf("%s: %w", s.restartFile(name), err))
	}
	return f.Step, s.transmitAll(ctx, messages)
}

// Load continues from the file that Save has written for this rank, and returns the last step before it was written. The
// link has the same operations as then. Fails with timing.ErrFile, with ErrOptions after the first step, and with an error
// of package os. Does not block.
func (r *Receiver) Load(_ context.Context, name string) (step int64, err error) {
	f, err := r.load(name)
	if err != nil {
		return 0, err
	}
	if err := r.timed.receives().Restore(&f.State); err != nil {
		r.timed.receiver = nil
		return 0, r.wrap(nil, fmt.Errorf("%s: %w", r.restartFile(name), err))
	}
	r.drop(f.Next)
	return f.Step, nil
}
