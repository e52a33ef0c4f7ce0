//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"context"
	"fmt"
	"slices"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/couple/conserve"
	"github.com/goacp/goacp/internal/system/couple/link"
	"github.com/goacp/goacp/internal/system/couple/timing"
)

// timedLink calls f with a link that gets an operation in time or is recorded. From then on C leaves the link to Go.
func timedLink(number C.uintptr_t, f func(l *coupledLink) error) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.links, "link", number)
		if err != nil {
			return err
		}
		lib.coupling.near.unshare(number)
		err = f(l)
		if err != nil {
			lib.coupling.near.share(number, l) // C can use it as before if it has no operation
		}
		return err
	})
}

//export goacp_reduce_link
func goacp_reduce_link(number C.uintptr_t, reduction C.int) C.int {
	return timedLink(number, func(l *coupledLink) error {
		switch {
		case l.sender == nil:
			return l.refuse()
		case reduction < 0 || reduction > C.int(timing.Maximum):
			return fmt.Errorf("%w: reduction %d; expected one from 0 to %d", link.ErrOptions, reduction, timing.Maximum)
		}
		return l.sender.Reduce(timing.Reduction(reduction))
	})
}

//export goacp_lag_link
func goacp_lag_link(number C.uintptr_t, steps C.int) C.int {
	return timedLink(number, func(l *coupledLink) error {
		if l.sender == nil {
			return l.refuse()
		}
		return l.sender.Lag(int(steps))
	})
}

//export goacp_initialize_link
func goacp_initialize_link(number C.uintptr_t, step C.int64_t, file *C.char) C.int {
	return timedLink(number, func(l *coupledLink) error {
		ctx, cancel := waitTime()
		defer cancel()
		switch {
		case l.sender == nil:
			return l.refuse()
		case file == nil:
			return l.sender.Initialize(ctx, int64(step))
		}
		return l.sender.InitializeFrom(ctx, int64(step), C.GoString(file))
	})
}

//export goacp_interpolate_link
func goacp_interpolate_link(number C.uintptr_t) C.int {
	return timedLink(number, func(l *coupledLink) error {
		if l.receiver == nil {
			return l.refuse()
		}
		return l.receiver.Interpolate()
	})
}

//export goacp_scale_link
func goacp_scale_link(number C.uintptr_t, factor, offset C.double) C.int {
	return timedLink(number, func(l *coupledLink) error {
		end, err := l.transfers()
		if err != nil {
			return err
		}
		return end.Scale(float64(factor), float64(offset))
	})
}

//export goacp_conserve_field
func goacp_conserve_field(number C.uintptr_t, method C.int, areas *C.double, count C.int64_t) C.int {
	return doCoupled(func(*acp.Process) error {
		f, err := find(&lib.coupling.fields, "field", number)
		if err != nil {
			return err
		}
		if method < 0 || method > C.int(conserve.Final) {
			return fmt.Errorf("%w: method %d of conservation; expected one from 0 to %d", link.ErrOptions, method, conserve.Final)
		}
		if areas == nil {
			return f.core.Conserve(conserve.Method(method), nil)
		}
		if int64(count) != f.memory {
			return fmt.Errorf("field %s: %w: %d areas for %d points", f.core.Name(), link.ErrSize, int64(count), f.memory)
		}
		given, err := arrayAt("areas", areas, int64(count))
		if err != nil {
			return fmt.Errorf("field %s: %w", f.core.Name(), err)
		}
		own := slices.Clone(given)
		return f.core.Conserve(conserve.Method(method), func(position int64) float64 {
			if f.section != nil {
				position = f.section.Index(position)
			}
			return float64(own[position])
		})
	})
}

// stateful is an end of a link whose state a file keeps, or the links of a description, whose states a folder keeps.
type stateful interface {
	Save(name string) error
	Load(ctx context.Context, name string) (step int64, err error)
}

// saveState writes a state to the file or folder at path, an argument that the program calls parameter.
func saveState(s stateful, parameter string, path *C.char) error {
	name, err := text(parameter, path)
	if err != nil {
		return err
	}
	return s.Save(name)
}

// loadState is the reverse of saveState. It writes the step of the state to step, unless that is nil.
func loadState(s stateful, parameter string, path *C.char, step *C.int64_t) error {
	name, err := text(parameter, path)
	if err != nil {
		return err
	}
	ctx, cancel := waitTime()
	defer cancel()
	last, err := s.Load(ctx, name)
	if err == nil && step != nil {
		*step = C.int64_t(last)
	}
	return err
}

//export goacp_save_link
func goacp_save_link(number C.uintptr_t, file *C.char) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.links, "link", number)
		if err != nil {
			return err
		}
		end, err := l.transfers()
		if err != nil {
			return err
		}
		return saveState(end, "file", file)
	})
}

//export goacp_load_link
func goacp_load_link(number C.uintptr_t, file *C.char, step *C.int64_t) C.int {
	return timedLink(number, func(l *coupledLink) error {
		end, err := l.transfers()
		if err != nil {
			return err
		}
		return loadState(end, "file", file, step)
	})
}

//export goacp_save_links
func goacp_save_links(number C.uintptr_t, folder *C.char) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.described, "links", number)
		if err != nil {
			return err
		}
		return saveState(l.core, "folder", folder)
	})
}

//export goacp_load_links
func goacp_load_links(number C.uintptr_t, folder *C.char, step *C.int64_t) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.described, "links", number)
		if err != nil {
			return err
		}
		return loadState(l.core, "folder", folder, step)
	})
}
