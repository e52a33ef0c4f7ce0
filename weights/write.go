package weights

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/goacp/goacp/internal/ground/netcdf"
)

// ErrEmpty: a matrix without entries, which no netCDF file can have.
var ErrEmpty = errors.New("no point of the receiving grid has weights")

// WriteFile writes the matrix to a file: in the Matrix Market format if its name ends with .mtx, and otherwise as WriteNetCDF does. Until the
// file is complete it has another name, so that no file of the name is a part of one. Fails with ErrEmpty, and if the file
// cannot be written. Any process. Does not block, except to write.
func (m *Matrix) WriteFile(name string) error {
	write := m.WriteNetCDF
	if strings.HasSuffix(name, ".mtx") {
		write = m.WriteMatrixMarket
	}
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	if err = write(out); err == nil {
		err = out.Flush()
	}
	err = errors.Join(err, file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("%s: %w", name, err), os.Remove(file.Name()))
	}
	return err
}

// WriteMatrixMarket writes the matrix in the Matrix Market format. Fails as w does. Any process. Does not block, except to
// write.
func (m *Matrix) WriteMatrixMarket(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%%%%MatrixMarket matrix coordinate real general\n%% %s weights\n%d %d %d\n", m.Options.Method, m.To.Len(), m.From.Len(), len(m.Entries))
	for _, e := range m.Entries {
		fmt.Fprintf(out, "%d %d %.17g\n", e.Row+1, e.Column+1, e.Value)
	}
	return out.Flush()
}

// WriteNetCDF writes the matrix as a classic netCDF file with the variables of ESMF_RegridWeightGen. Fails with ErrEmpty, and
// as w does. Any process. Does not block, except to write.
func (m *Matrix) WriteNetCDF(w io.Writer) error {
	if len(m.Entries) == 0 {
		return ErrEmpty
	}
	from, to := m.From.contents("a", "src"), m.To.contents("b", "dst")
	dimensions := append(append(from.dimensions, to.dimensions...), netcdf.Dimension{Name: "n_s", Length: int64(len(m.Entries))})
	variables := append(from.variables, to.variables...)
	unit := "square radians"
	if m.From.Plane {
		unit = "square of the unit of coordinates"
	}
	for _, v := range []struct {
		name, dimension, unit string
		values                []float64
	}{
		{"area_a", "n_a", unit, m.FromArea}, {"area_b", "n_b", unit, m.ToArea},
		{"frac_a", "n_a", "unitless", m.FromFraction}, {"frac_b", "n_b", "unitless", m.ToFraction},
	} {
		variables = append(variables, netcdf.Content{Name: v.name, Dimensions: []string{v.dimension}, Attributes: map[string]string{"units": v.unit}, Values: v.values})
	}
	values := make([]float64, len(m.Entries))
	for i, e := range m.Entries {
		values[i] = e.Value
	}
	links := []string{"n_s"}
	variables = append(variables,
		netcdf.Content{Name: "col", Dimensions: links, Values: addresses(m.Entries, m.From.Len(), func(e Entry) int { return e.Column })},
		netcdf.Content{Name: "row", Dimensions: links, Values: addresses(m.Entries, m.To.Len(), func(e Entry) int { return e.Row })},
		netcdf.Content{Name: "S", Dimensions: links, Values: values})
	attributes := map[string]string{
		"title": "GoACP weights", "conventions": "NCAR-CSM", "map_method": mapMethods[m.Options.Method], "grid_file_src": m.From.Name, "grid_file_dst": m.To.Name,
	}
	if m.Options.Method == Conservative {
		attributes["normalization"] = m.Options.Normalization.String()
	}
	return netcdf.Write(w, dimensions, attributes, variables)
}

// mapMethods are the names of the methods in files, as other programs write them.
var mapMethods = [...]string{Nearest: "Nearest neighbor remapping", Bilinear: "Bilinear remapping", Conservative: "Conservative remapping"}

// addresses returns the rows or the columns, which begin with 1 in files, as 32-bit integers if they fit.
func addresses(entries []Entry, n int, of func(e Entry) int) any {
	if n > math.MaxInt32 {
		all := make([]int64, len(entries))
		for i, e := range entries {
			all[i] = int64(of(e)) + 1
		}
		return all
	}
	all := make([]int32, len(entries))
	for i, e := range entries {
		all[i] = int32(of(e)) + 1
	}
	return all
}

// gridContents is what a file has of a grid.
type gridContents struct {
	dimensions []netcdf.Dimension
	variables  []netcdf.Content
}

// contents returns what a file has of a grid, whose names have a letter and a word.
func (g *Grid) contents(letter, word string) gridContents {
	n, rank := "n_"+letter, word+"_grid_rank"
	sizes := []int32{int32(min(g.Len(), math.MaxInt32))}
	if len(g.Sizes) > 0 {
		sizes = sizes[:0]
		for i := len(g.Sizes) - 1; i >= 0; i-- { // the size that varies fastest is the first one in these files
			sizes = append(sizes, int32(min(g.Sizes[i], math.MaxInt32)))
		}
	}
	mask := make([]int32, g.Len())
	for i := range mask {
		if g.valid(i) {
			mask[i] = 1
		}
	}
	units := [2]string{"degrees_east", "degrees_north"}
	if g.Plane {
		units = [2]string{"unit of coordinates", "unit of coordinates"}
	}
	c := gridContents{
		[]netcdf.Dimension{{Name: n, Length: int64(g.Len())}, {Name: rank, Length: int64(len(sizes))}},
		[]netcdf.Content{
			{Name: word + "_grid_dims", Dimensions: []string{rank}, Values: sizes},
			{Name: "mask_" + letter, Dimensions: []string{n}, Values: mask},
			{Name: "xc_" + letter, Dimensions: []string{n}, Attributes: map[string]string{"units": units[0]}, Values: g.X},
			{Name: "yc_" + letter, Dimensions: []string{n}, Attributes: map[string]string{"units": units[1]}, Values: g.Y},
		},
	}
	if g.Corners > 0 {
		corners := "nv_" + letter
		c.dimensions = append(c.dimensions, netcdf.Dimension{Name: corners, Length: int64(g.Corners)})
		c.variables = append(c.variables,
			netcdf.Content{Name: "xv_" + letter, Dimensions: []string{n, corners}, Attributes: map[string]string{"units": units[0]}, Values: g.CornerX},
			netcdf.Content{Name: "yv_" + letter, Dimensions: []string{n, corners}, Attributes: map[string]string{"units": units[1]}, Values: g.CornerY})
	}
	return c
}
