package weightfile

import (
	"fmt"
	"math"
	"strings"

	"github.com/goacp/goacp/internal/ground/netcdf"
)

// format is a way in which netCDF files have a matrix. A name that is empty stands for something that the format does not
// have.
type format struct {
	name           string
	weights        string    // variable: a value for each entry, or several
	addresses      [2]string // variables: the rows and the columns
	sizes          [2]string // dimensions: the numbers of rows and columns
	masks          [2]string // variables of the rows and of the columns: 0 masks a point
	area, fraction string    // variables of the rows
	unnormalized   bool      // weights of conservative methods are areas if the attribute normalization is none
}

var (
	scrip = format{
		name: "SCRIP", weights: "remap_matrix", addresses: [2]string{"dst_address", "src_address"}, sizes: [2]string{"dst_grid_size", "src_grid_size"},
		masks: [2]string{"dst_grid_imask", "src_grid_imask"}, area: "dst_grid_area", fraction: "dst_grid_frac", unnormalized: true,
	}
	yac  = format{name: "YAC", weights: "remap_matrix", addresses: [2]string{"dst_address", "src_address"}}
	esmf = format{
		name: "ESMF", weights: "S", addresses: [2]string{"row", "col"}, sizes: [2]string{"n_b", "n_a"}, masks: [2]string{"mask_b", "mask_a"},
	}
)

// formatOf returns the format of a file.
func formatOf(f *netcdf.File) (*format, error) {
	switch {
	case strings.HasPrefix(f.Attributes["version"], "yac weight file"):
		return &yac, nil
	case f.Variable(scrip.weights) != nil:
		return &scrip, nil
	case f.Variable(esmf.weights) != nil:
		return &esmf, nil
	}
	return nil, fmt.Errorf("%s: %w: it has neither a variable remap_matrix (SCRIP, YAC) nor S (ESMF)", f.Name, ErrWeightFile)
}

// reader reads a matrix from a netCDF file.
type reader struct {
	file      *netcdf.File
	format    *format
	weights   *netcdf.Variable
	addresses [2]*netcdf.Variable
	most      [2]int64 // rows and columns; MaxInt64 if the file has none
	masks     [2]*netcdf.Variable
	entries   int64
}

// errorf returns an error about the file.
func (r *reader) errorf(text string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", r.file.Name, ErrWeightFile, fmt.Sprintf(text, args...))
}

// newReader checks that a file has what its format needs.
func newReader(f *netcdf.File) (*reader, error) {
	form, err := formatOf(f)
	if err != nil {
		return nil, err
	}
	r := &reader{file: f, format: form}
	if form == &yac {
		if empty, err := r.checkYAC(); empty || err != nil {
			return r, err
		}
	}
	if r.weights, err = r.variable(form.weights, -1, "numbers"); err != nil {
		return nil, err
	}
	r.entries = r.weights.Rows()
	for i := range r.addresses {
		if r.addresses[i], err = r.variable(form.addresses[i], r.entries, "integers"); err != nil {
			return nil, err
		}
		if r.most[i] = math.MaxInt64; form.sizes[i] == "" {
			continue
		}
		size, ok := f.Dimension(form.sizes[i])
		if !ok {
			return nil, r.errorf("it has no dimension %s, as %s files have", form.sizes[i], form.name)
		}
		r.most[i] = size
		if f.Variable(form.masks[i]) == nil {
			continue
		}
		if r.masks[i], err = r.variable(form.masks[i], size, "integers"); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// variable returns a variable with a number of values in a list, or a table of weights if it is -1.
func (r *reader) variable(name string, n int64, what string) (*netcdf.Variable, error) {
	v := r.file.Variable(name)
	switch {
	case v == nil:
		return nil, r.errorf("it has no variable %s, as %s files have", name, r.format.name)
	case what == "integers" && !v.Type.Integer(), !v.Type.Number():
		return nil, r.errorf("variable %s has the type %s; expected %s", name, v.Type, what)
	case n >= 0 && (len(v.Shape) != 1 || v.Shape[0] != n):
		return nil, r.errorf("variable %s has the shape %v (%s); expected %d values", name, v.Shape, strings.Join(v.Dimensions, ", "), n)
	case n < 0 && (len(v.Shape) < 1 || len(v.Shape) > 2 || v.RowLen() == 0):
		return nil, r.errorf("variable %s has the shape %v (%s); expected one or several weights for each entry", name, v.Shape, strings.Join(v.Dimensions, ", "))
	}
	return v, r.file.Fits(v)
}

// checkYAC checks what YAC files alone have. It returns whether the file has no entries, and so no variables for them.
func (r *reader) checkYAC() (empty bool, err error) {
	if fields, ok := r.file.Dimension("num_src_fields"); ok && fields > 1 {
		return false, r.errorf("its weights belong to %d sending fields (dimension num_src_fields); expected 1", fields)
	}
	return strings.EqualFold(r.file.Attributes["contains_links"], "false"), nil
}
