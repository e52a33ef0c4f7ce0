//go:build cgo

package libacp

// #include "bind.h"
// #include "../fortran/goacp_array.h"
import "C"

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/link"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// coupledField is a field of a C program.
type coupledField struct {
	core    *link.Field
	memory  int64           // points in the memory of this rank
	section *points.Section // where they lie, if that is a section of a larger array
}

// fieldDeclaration is what all functions that declare a field get, besides its points.
type fieldDeclaration struct {
	model        C.uintptr_t
	name         *C.char
	kind, values C.int
	data         fieldData
}

// declare declares a field whose points layouts returns as points.Block.Both does. It returns the number of
// the field, or 0. with completes the field.
func (d *fieldDeclaration) declare(layouts func() (sends, receives *points.Layout, memory int64, err error), with ...func(*link.Field)) C.uintptr_t {
	return coupled(0, func(*acp.Process) (C.uintptr_t, error) {
		m, err := find(&lib.coupling.models, "model", d.model)
		if err != nil {
			return 0, err
		}
		name, err := text("name", d.name)
		if err != nil {
			return 0, err
		}
		f, err := d.field(m, name, layouts)
		if err != nil {
			return 0, fmt.Errorf("field %s of model %s: %w", name, m.Name(), err)
		}
		for _, complete := range with {
			complete(f.core)
		}
		return lib.coupling.fields.add(f), nil
	})
}

// field returns the field.
func (d *fieldDeclaration) field(m *link.Model, name string, layouts func() (sends, receives *points.Layout, memory int64, err error)) (*coupledField, error) {
	e := element.Type{Kind: datatype.Kind(d.kind), Values: int(d.values)}
	switch {
	case d.kind < C.int(datatype.Int8) || d.kind > C.int(datatype.Complex128):
		return nil, fmt.Errorf("%w: there is no type %d", link.ErrTypes, d.kind)
	case d.values < 1:
		return nil, fmt.Errorf("%w: %d values per point", link.ErrSize, d.values)
	}
	sends, receives, memory, err := layouts()
	if err != nil {
		return nil, err
	}
	if high, size := bits.Mul64(uint64(memory), uint64(e.Size())); high != 0 || size > math.MaxInt64 {
		return nil, fmt.Errorf("%w: %d points of %d bytes", link.ErrSize, memory, e.Size())
	}
	base, section, err := d.data.find(e, memory)
	if err != nil {
		return nil, err
	}
	if section != nil {
		sends, receives = section.Layout(sends), section.Layout(receives)
	}
	core, err := m.NewField(name, e, link.Data{Base: base}, sends, receives)
	if err != nil {
		return nil, err
	}
	return &coupledField{core, memory, section}, nil
}

//export goacp_create_field_ranges
func goacp_create_field_ranges(model C.uintptr_t, name *C.char, kind, values C.int, data unsafe.Pointer, described *C.struct_goacp_array, firsts, counts *C.int64_t, ranges C.int) C.uintptr_t {
	d := fieldDeclaration{model, name, kind, values, fieldData{data, described}}
	return d.declare(func() (sends, receives *points.Layout, memory int64, err error) {
		from, err := arrayAt("firsts", firsts, int64(ranges))
		if err != nil {
			return nil, nil, 0, err
		}
		n, err := arrayAt("counts", counts, int64(ranges))
		if err != nil {
			return nil, nil, 0, err
		}
		l, memory, err := points.Ranges(func(yield func(int64, int64) bool) {
			for i := range from {
				if !yield(int64(from[i]), int64(n[i])) {
					return
				}
			}
		})
		return l, l, memory, err
	})
}

//export goacp_create_field_list
func goacp_create_field_list(model C.uintptr_t, name *C.char, kind, values C.int, data unsafe.Pointer, described *C.struct_goacp_array, numbers *C.int64_t, count C.int64_t) C.uintptr_t {
	d := fieldDeclaration{model, name, kind, values, fieldData{data, described}}
	return d.declare(func() (sends, receives *points.Layout, memory int64, err error) {
		all, err := arrayAt("points", numbers, int64(count))
		if err != nil {
			return nil, nil, 0, err
		}
		l, memory, err := points.Listed(func(yield func(int64) bool) {
			for _, x := range all {
				if !yield(int64(x)) {
					return
				}
			}
		})
		return l, l, memory, err
	})
}

// Flags of blocks, as acp_couple.h has them.
const (
	flagFortran     = 1
	flagFillHalo    = 2
	flagSameNumbers = 4
)

// maxDims bounds the dimensions of a block.
const maxDims = 64

//export goacp_create_field_block
func goacp_create_field_block(model C.uintptr_t, name *C.char, kind, values C.int, data unsafe.Pointer, described *C.struct_goacp_array, dims C.int, sizes, firsts, extents, halos *C.int, flags C.int) C.uintptr_t {
	d := fieldDeclaration{model, name, kind, values, fieldData{data, described}}
	var grid *points.Grid
	return d.declare(func() (sends, receives *points.Layout, memory int64, err error) {
		if dims < 1 || dims > maxDims {
			return nil, nil, 0, fmt.Errorf("%w: %d dimensions, expected 1 to %d", points.ErrShape, dims, maxDims)
		}
		if flags&^(flagFortran|flagFillHalo|flagSameNumbers) != 0 {
			return nil, nil, 0, fmt.Errorf("%w: flags %#x", points.ErrShape, flags)
		}
		b := points.Block{Fortran: flags&flagFortran != 0, Halo: slices.Repeat([]int{0}, int(dims))}
		for _, x := range []struct {
			name string
			at   *C.int
			to   *[]int
		}{{"sizes", sizes, &b.Grid}, {"firsts", firsts, &b.First}, {"extents", extents, &b.Extent}, {"halos", halos, &b.Halo}} {
			if x.at == nil && x.name == "halos" {
				continue
			}
			if *x.to, err = integers(x.name, x.at, dims); err != nil {
				return nil, nil, 0, err
			}
		}
		if flags&flagSameNumbers == 0 {
			grid = b.Shape()
		}
		return b.Both(flags&flagFillHalo != 0)
	}, func(f *link.Field) { f.SetGrid(grid) })
}

//export goacp_mask_field
func goacp_mask_field(number C.uintptr_t, masks *C.int, count C.int64_t) C.int {
	return doCoupled(func(*acp.Process) error {
		f, err := find(&lib.coupling.fields, "field", number)
		if err != nil {
			return err
		}
		if int64(count) != f.memory {
			return fmt.Errorf("field %s: %w: count is %d, for %d points", f.core.Name(), link.ErrSize, int64(count), f.memory)
		}
		valid, err := arrayAt("masks", masks, int64(count))
		if err != nil {
			return fmt.Errorf("field %s: %w", f.core.Name(), err)
		}
		return f.core.Mask(func(position int64) bool {
			if f.section != nil {
				position = f.section.Index(position)
			}
			return valid[position] != 0
		})
	})
}

//export goacp_use_field
func goacp_use_field(number C.uintptr_t, data unsafe.Pointer, described *C.struct_goacp_array) C.int {
	return doCoupled(func(*acp.Process) error {
		f, err := find(&lib.coupling.fields, "field", number)
		if err != nil {
			return err
		}
		if err := f.use(fieldData{data, described}); err != nil {
			return fmt.Errorf("field %s: %w", f.core.Name(), err)
		}
		return nil
	})
}

//export goacp_free_field
func goacp_free_field(number C.uintptr_t) C.int {
	return doCoupled(func(*acp.Process) error {
		f, err := find(&lib.coupling.fields, "field", number)
		if err == nil {
			f.core.Forget()
			lib.coupling.fields.drop(number)
		}
		return err
	})
}
