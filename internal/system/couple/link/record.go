package link

import (
	"errors"
	"fmt"
	"strconv"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/ground/netcdf"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// recorder writes the values of messages to a file.
type recorder struct {
	file   *netcdf.Series // nil if this rank has no points
	every  int64
	layout *points.Layout
	values []float64
}

// Record writes the values of each message whose number every divides to a netCDF file from now on: those that this side sends,
// before a matrix, and those that it has received, after a matrix. The name of the file is name, a full stop, the number of the
// process in its model, and ".nc". A rank without points has no file. A later call begins another file. Fails with ErrOptions, and
// with an error of package os.
func (e *end) Record(name string, every int) error {
	if err := e.usable(); err != nil {
		return err
	}
	if every < 1 || name == "" || e.watch != nil {
		return e.wrap(nil, fmt.Errorf("%w: file %q and every %d messages of a link; expected a name, a number of at least 1, and a link that is not watched", ErrOptions, name, every))
	}
	program := e.source()
	r := &recorder{every: int64(every), layout: program.layouts[e.side]}
	if e.timed != nil {
		r.layout = e.timed.layout
	} else if e.side == side.Receiving {
		r.layout = e.received(program)
	}
	if r.layout.Len() > 0 {
		of := netcdf.SeriesOf{Values: program.element.Reals(), Name: program.name, Attributes: map[string]string{
			"link": e.name, "side": [...]string{side.Sending: "sending", side.Receiving: "receiving"}[e.side], "rank": strconv.Itoa(e.s.p.Ranks.Own()),
		}}
		r.layout.Points.Each(func(point int64) { of.Points = append(of.Points, point) })
		var err error
		if r.file, err = netcdf.CreateSeries(e.restartFile(name)+".nc", of); err != nil {
			return e.wrap(nil, err)
		}
		r.values = make([]float64, len(of.Points)*of.Values)
	}
	if err := e.endRecord(); err != nil {
		return e.wrap(nil, errors.Join(err, r.close()))
	}
	e.recorder = r
	return nil
}

// close closes the file.
func (r *recorder) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// endRecord closes the file of the recorder, if there is one.
func (e *end) endRecord() error {
	r := e.recorder
	e.recorder = nil
	if r == nil {
		return nil
	}
	return r.close()
}

// source returns the field whose values a message has: that of the program, or the buffer in its place.
func (e *end) source() *Field {
	if p := e.field.product; p != nil {
		return p.target
	}
	return e.field
}

// record writes the values of a message that has been sent or received, if a recorder wants them. values are nil, or in order of the
// layout. After an error nothing is written any more.
func (e *end) record(message int64, values []float64) error {
	r := e.recorder
	if r == nil || r.file == nil || message%r.every != 0 {
		return nil
	}
	if values == nil {
		program := e.source()
		readAny(program.data.Base, r.values, &r.layout.Positions, program.element)
		values = r.values
	}
	step := message * e.every
	if e.timed != nil {
		step -= e.timed.plan.Lag
	}
	if err := r.file.Append(step, values); err != nil {
		return e.wrap(nil, fmt.Errorf("the message has been transferred, and is not recorded: %w", errors.Join(err, e.endRecord())))
	}
	return nil
}

// readAny gets values of any kind from memory.
func readAny(from unsafe.Pointer, values []float64, positions *points.List, of element.Type) {
	n := of.Reals()
	switch of.Kind {
	case datatype.Int8:
		readValues((*int8)(from), values, positions, n)
	case datatype.Int16:
		readValues((*int16)(from), values, positions, n)
	case datatype.Int32:
		readValues((*int32)(from), values, positions, n)
	case datatype.Int64:
		readValues((*int64)(from), values, positions, n)
	case datatype.Uint8:
		readValues((*uint8)(from), values, positions, n)
	case datatype.Uint16:
		readValues((*uint16)(from), values, positions, n)
	case datatype.Uint32:
		readValues((*uint32)(from), values, positions, n)
	case datatype.Uint64:
		readValues((*uint64)(from), values, positions, n)
	case datatype.Float32, datatype.Complex64:
		readValues((*float32)(from), values, positions, n)
	case datatype.Float64, datatype.Complex128:
		readValues((*float64)(from), values, positions, n)
	}
}
