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
// a mesh. Their bounds are the corners of the cells. If the file has several grids, variable names a variable that has the right
// one, or the mesh itself; otherwise it is "". Only a SCRIP file has a mask.
//
// Fails with ErrGrid, and if the file cannot be read. Any process. Does not block, except to read the file.
func ReadGrid(file, variable string) (*Grid, error) {
	f, err := netcdf.Open(file)
	if err != nil {
		return nil, err
	}
	r := &gridReader{file: f, grid: &Grid{Name: file}}
	if err = r.read(variable); err == nil {
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

// read reads the grid that a variable has, or the only one of the file if variable is "".
func (r *gridReader) read(variable string) error {
	if variable != "" && r.file.Variable(variable) == nil {
		return r.grid.errorf("it has no variable %s", variable)
	}
	if r.file.Variable("grid_center_lat") != nil {
		return r.scrip()
	}
	switch mesh, err := r.topology(variable); {
	case err != nil:
		return err
	case mesh != nil:
		return r.ugrid(mesh)
	}
	return r.cf(variable)
}

// coordinates is values for longitudes and latitudes in degrees, or for coordinates in the plane. It converts radians. units are for a
// variable without a unit of its own: the unit of the variable whose bounds it is.
func (r *gridReader) coordinates(name string, dimensions int, latitudes bool, units ...string) ([]float64, error) {
	all, err := r.values(name, dimensions)
	if err != nil || r.grid.Plane {
		return all, err
	}
	unit := r.file.Variable(name).Attributes["units"]
	if unit == "" && len(units) > 0 {
		unit = units[0]
	}
	switch short := strings.ToLower(strings.TrimSpace(unit)); {
	case short == "" || strings.HasPrefix(short, "deg"):
		return all, nil
	case short != "rad" && !strings.HasPrefix(short, "radian"):
		return nil, r.grid.errorf("variable %s has the unit %s; expected degrees or radians", name, unit)
	}
	for i := range all {
		all[i] *= 180 / math.Pi
		if latitudes && math.Abs(all[i]) > 90 && math.Abs(all[i]) < 90+1e-5 {
			all[i] = math.Copysign(90, all[i]) // a pole in single precision
		}
	}
	return all, nil
}

// values returns all values of a variable with a number of dimensions, unpacked by its scale_factor and add_offset.
func (r *gridReader) values(name string, dimensions int) ([]float64, error) {
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
	factor, packed := v.Numbers["scale_factor"]
	if !packed {
		factor = 1
	}
	if offset, moved := v.Numbers["add_offset"]; packed || moved {
		for i := range all {
			all[i] = all[i]*factor + offset
		}
	}
	return all, nil
}

// scrip reads a grid in the format of SCRIP.
func (r *gridReader) scrip() (err error) {
	g := r.grid
	if g.Y, err = r.coordinates("grid_center_lat", 1, true); err != nil {
		return err
	}
	if g.X, err = r.coordinates("grid_center_lon", 1, false); err != nil {
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
	if g.CornerY, err = r.coordinates("grid_corner_lat", 2, true, r.file.Variable("grid_center_lat").Attributes["units"]); err != nil {
		return err
	}
	g.Corners = int(r.file.Variable("grid_corner_lat").Shape[1])
	g.CornerX, err = r.coordinates("grid_corner_lon", 2, false, r.file.Variable("grid_center_lon").Attributes["units"])
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
