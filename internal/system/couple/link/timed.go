package link

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/timing"
)

// timed is the state of an end with operations in time. Its messages lie in a buffer between the field of the program and the
// link, at the positions of that field: a sender computes them there from the values of several steps, and a receiver gets
// them there and computes the values of each step.
type timed struct {
	program *Field // of the program
	layout  *points.Layout
	staged  unsafe.Pointer // the buffer
	values  []float64      // of one step or message, in order of the layout
	plan    timing.Plan
	scale   scale

	integral *integral // nil unless the link conserves

	unneeded int64 // messages of a sender after the receivers have closed the link

	sender   *timing.Sender   // nil before the first step, and at a receiver
	receiver *timing.Receiver // nil before the first step, and at a sender
}

// scale changes the unit of values.
type scale struct{ factor, offset float64 }

// timing returns the operations in time of the end, for a function that changes them. It puts the buffer between the
// field and the link. Fails with ErrOptions after the first message, for a watched link, and for a field of integers.
func (e *end) timing() (*timed, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	t := e.timed
	switch {
	case e.watch != nil:
		return nil, e.wrap(nil, fmt.Errorf("%w: a watched link has no operations in time", ErrOptions))
	case e.Messages > 0 || t != nil && (t.sender != nil || t.receiver != nil):
		return nil, e.wrap(nil, fmt.Errorf("%w: operations in time are chosen, and files are loaded, before the first step", ErrOptions))
	}
	if err := e.field.timeable(); err != nil {
		return nil, e.wrap(nil, err)
	}
	if t == nil {
		t = e.newTimed()
		e.timed = t
	}
	return t, nil
}

// timeable returns an error unless the values of the field are real or complex numbers.
func (f *Field) timeable() error {
	switch f.element.Kind {
	case datatype.Float32, datatype.Float64, datatype.Complex64, datatype.Complex128:
		return nil
	}
	return fmt.Errorf("%w: field %s has %v; expected real or complex values for operations in time and conservation", ErrOptions, f.Name(), f.element)
}

// newTimed puts a buffer between the field of the program and the link.
func (e *end) newTimed() *timed {
	t := &timed{program: e.field, plan: timing.Plan{Every: e.every}, scale: scale{factor: 1}}
	if p := e.field.product; p != nil {
		t.program = p.target
	}
	t.layout = t.program.layouts[e.side]
	if e.side == side.Receiving {
		t.layout = e.received(t.program)
	}
	extent := t.program.layouts[e.side].Extent()
	buffer := make([]complex128, (extent*int64(e.field.element.Size())+15)/16) // 16 bytes suit the alignment of all types
	t.staged = unsafe.Pointer(unsafe.SliceData(buffer))
	t.values = make([]float64, t.layout.Len()*int64(e.field.element.Reals()))
	between, staged := *e.field, *t.program
	staged.data = Data{Base: t.staged, Owner: buffer}
	if p := e.field.product; p != nil {
		product := *p
		product.target = &staged
		between.product = &product
	} else {
		between.data = staged.data
	}
	e.field = &between
	return t
}

// received returns the points of the field of the program that receive values.
func (e *end) received(program *Field) *points.Layout {
	l := program.layouts[side.Receiving]
	gets := make([]bool, l.Extent())
	if p := e.field.product; p != nil {
		for _, at := range p.matrix.rows {
			gets[at] = true
		}
	} else {
		for _, f := range e.flows {
			f.positions.Each(func(at int64) { gets[at] = true })
		}
	}
	kept, _ := l.Filter(func(at int64) bool { return gets[at] })
	return kept
}

// read gets the values of a field, or of the buffer, from memory.
func (t *timed) read(from unsafe.Pointer) {
	readAny(from, t.values, &t.layout.Positions, t.program.element)
}

// write puts values into memory.
func (t *timed) write(to unsafe.Pointer, values []float64) {
	if reals := t.program.element.Reals(); t.program.element.Single() {
		writeValues((*float32)(to), values, &t.layout.Positions, reals)
	} else {
		writeValues((*float64)(to), values, &t.layout.Positions, reals)
	}
}

// stage puts the values of a message into the buffer, and changes their unit.
func (t *timed) stage(values []float64) {
	copy(t.values, values)
	t.rescale()
	t.write(t.staged, t.values)
}

// rescale changes the unit of the values. The offset of complex numbers is real.
func (t *timed) rescale() {
	if t.scale == (scale{factor: 1}) {
		return
	}
	stride := 1
	if t.program.element.Kind.Complex() {
		stride = 2
	}
	for i := range t.values {
		t.values[i] *= t.scale.factor
		if i%stride == 0 {
			t.values[i] += t.scale.offset
		}
	}
}

// number is a type of the real numbers of a field.
type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

func readValues[T number](from *T, values []float64, positions *points.List, reals int) {
	n := int64(reals)
	positions.Each(func(at int64) {
		for k, x := range unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(from), at*n*int64(unsafe.Sizeof(*from)))), n) {
			values[k] = float64(x)
		}
		values = values[n:]
	})
}

func writeValues[T float32 | float64](to *T, values []float64, positions *points.List, reals int) {
	n := int64(reals)
	positions.Each(func(at int64) {
		x := unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(to), at*n*int64(unsafe.Sizeof(*to)))), n)
		for k := range x {
			x[k] = T(values[k])
		}
		values = values[n:]
	})
}

// Scale multiplies the values of this side by a factor and adds an offset, for another unit. Fails with ErrOptions.
func (e *end) Scale(factor, offset float64) error {
	if math.IsNaN(factor+offset) || math.IsInf(factor+offset, 0) {
		return e.wrap(nil, fmt.Errorf("%w: factor %v and offset %v; expected finite numbers", ErrOptions, factor, offset))
	}
	t, err := e.timing()
	if err == nil {
		t.scale = scale{factor, offset}
	}
	return err
}

// Reduce chooses how the values of the steps since the last message become one message. Fails with ErrOptions.
func (s *Sender) Reduce(r timing.Reduction) error {
	if !r.Valid() {
		return s.wrap(nil, fmt.Errorf("%w: %v", ErrOptions, r))
	}
	if r.Ordered() && s.field.element.Kind.Complex() {
		return s.wrap(nil, fmt.Errorf("%w: complex numbers have no %v", ErrOptions, r))
	}
	t, err := s.timing()
	if err == nil {
		t.plan.Reduction = r
	}
	return err
}

// Lag lets the values of each step count as those of a later step. Fails with ErrOptions.
func (s *Sender) Lag(steps int) error {
	if steps < 0 || steps > math.MaxInt32 {
		return s.wrap(nil, fmt.Errorf("%w: a lag of %d steps; expected 0 to %d", ErrOptions, steps, math.MaxInt32))
	}
	lag := timing.Plan{Every: s.every, Lag: int64(steps)}
	if ahead := uint64(lag.Ahead()); ahead > s.levels {
		return s.wrap(nil, fmt.Errorf("%w: a lag of %d steps is %d messages; expected at most %d, the levels of the link", ErrOptions, steps, ahead, s.levels))
	}
	t, err := s.timing()
	if err == nil {
		t.plan.Lag = int64(steps)
		s.shown.Lag(t.plan.Lag)
	}
	return err
}

// Interpolate computes the values of steps between two messages. Fails with ErrOptions.
func (r *Receiver) Interpolate() error {
	t, err := r.timing()
	if err == nil {
		t.plan.Interpolate = true
	}
	return err
}
