package weights

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/netcdf"
)

// ReadGrid reads a grid from a netCDF file in one of these forms:
//
//   - the format of SCRIP, with grid_center_lat and grid_center_lon
//   - a mesh that follows the UGRID conventions: the faces are the cells
//   - a grid that follows the CF conventions, with a latitude and a longitude, or an x and a y
//
// CF coordinates may be one list for the rows and one for the columns of a grid, two tables, or two lists of the points of
// a mesh. Their bounds are the corners of the cells. If the file has several such coordinates, variable names a variable
// that has the right ones; otherwise it is "". Only a SCRIP file has a mask.
//
// Fails with ErrGrid, and if the file cannot be read. Any process. Does not block, except to read the file.
func ReadGrid(file, variable string) (*Grid, error) {
	f, err := netcdf.Open(file)
	if err != nil {
		return nil, err
	}
	r := &gridReader{file: f, grid: &Grid{Name: file}}
	mesh, err := r.topology()
	switch {
	case err != nil:
	case f.Variable("grid_center_lat") != nil:
		err = r.scrip()
	case mesh != nil:
		err = r.ugrid(mesh)
	default:
		err = r.cf(variable)
	}
	if err == nil {
		err = r.grid.check()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return r.grid, nil
}

// gridReader reads a grid.
type gridReader struct {
	file *netcdf.File
	grid *Grid
}

// values returns all values of a variable with a number of dimensions. It converts radians to degrees. units are for a variable
// without a unit of its own: the unit of the variable whose bounds it is.
func (r *gridReader) values(name string, dimensions int, units ...string) ([]float64, error) {
	v := r.file.Variable(name)
	if v == nil {
		return nil, r.grid.errorf("it has no variable %s", name)
	}
	if len(v.Shape) != dimensions {
		return nil, r.grid.errorf("variable %s has the dimensions (%s); expected %d", name, strings.Join(v.Dimensions, ", "), dimensions)
	}
	if err := r.file.Fits(v); err != nil {
		return nil, err
	}
	all := make([]float64, v.Len())
	if err := r.file.Reals(v, 0, all); err != nil {
		return nil, err
	}
	unit := v.Attributes["units"]
	if unit == "" && len(units) > 0 {
		unit = units[0]
	}
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(unit)), "radian") {
		for i := range all {
			all[i] *= 180 / math.Pi
		}
	}
	return all, nil
}

// scrip reads a grid in the format of SCRIP.
func (r *gridReader) scrip() (err error) {
	g := r.grid
	if g.Y, err = r.values("grid_center_lat", 1); err != nil {
		return err
	}
	if g.X, err = r.values("grid_center_lon", 1); err != nil {
		return err
	}
	if v := r.file.Variable("grid_dims"); v != nil && len(v.Shape) == 1 && v.Shape[0] <= 7 {
		sizes := make([]int64, v.Len())
		if err := r.file.Integers(v, 0, sizes); err != nil {
			return err
		}
		slices.Reverse(sizes) // the file begins with the size that varies fastest
		for _, size := range sizes {
			g.Sizes = append(g.Sizes, int(size))
		}
	}
	if v := r.file.Variable("grid_imask"); v != nil {
		mask, err := r.values("grid_imask", 1)
		if err != nil {
			return err
		}
		g.setMask(mask)
	}
	if r.file.Variable("grid_corner_lat") == nil {
		return nil
	}
	if g.CornerY, err = r.values("grid_corner_lat", 2); err != nil {
		return err
	}
	g.Corners = int(r.file.Variable("grid_corner_lat").Shape[1])
	g.CornerX, err = r.values("grid_corner_lon", 2)
	return err
}

// setMask sets the mask of a grid from values, of which 0 masks a point.
func (g *Grid) setMask(values []float64) {
	if !slices.Contains(values, 0) {
		return
	}
	g.Mask = make([]bool, len(values))
	for i, v := range values {
		g.Mask[i] = v != 0
	}
}
