package weights

import (
	"math"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/netcdf"
)

// axis is a kind of coordinate.
type axis struct {
	name  string
	units []string // by which CF names the coordinate
	short string   // of names of variables with other units
}

var (
	longitude = axis{"longitude", []string{"degrees_east", "degree_east", "degrees_E", "degree_E", "degreesE", "degreeE"}, ""}
	latitude  = axis{"latitude", []string{"degrees_north", "degree_north", "degrees_N", "degree_N", "degreesN", "degreeN"}, ""}
	planeX    = axis{"projection_x_coordinate", nil, "x"}
	planeY    = axis{"projection_y_coordinate", nil, "y"}
)

// is reports whether a variable is a coordinate of the kind.
func (a axis) is(v *netcdf.Variable) bool {
	return v.Attributes["standard_name"] == a.name || slices.Contains(a.units, v.Attributes["units"]) || a.short != "" && v.Name == a.short
}

// coordinate returns the coordinate of a kind that is among names, or the only one of the file if names is nil; nil if there is
// none.
func (r *gridReader) coordinate(a axis, names []string) (*netcdf.Variable, error) {
	bounds := make(map[string]bool)
	for i := range r.file.Variables {
		bounds[r.file.Variables[i].Attributes["bounds"]] = true
	}
	var found *netcdf.Variable
	for i := range r.file.Variables {
		v := &r.file.Variables[i]
		if !a.is(v) || bounds[v.Name] || names != nil && !slices.Contains(names, v.Name) {
			continue
		}
		if found != nil {
			return nil, r.grid.errorf("variables %s and %s are both a %s; name a variable that has one of them", found.Name, v.Name, a.name)
		}
		found = v
	}
	return found, nil
}

// cf reads a grid that follows the CF conventions.
func (r *gridReader) cf(variable string) error {
	var names []string
	if variable != "" {
		v := r.file.Variable(variable)
		if v == nil {
			return r.grid.errorf("it has no variable %s", variable)
		}
		names = append(strings.Fields(v.Attributes["coordinates"]), v.Dimensions...)
	}
	var x, y *netcdf.Variable
	for _, pair := range [][2]axis{{longitude, latitude}, {planeX, planeY}} {
		var err error
		if x, err = r.coordinate(pair[0], names); err != nil {
			return err
		}
		if y, err = r.coordinate(pair[1], names); err != nil {
			return err
		}
		if x != nil && y != nil {
			r.grid.Plane = pair[0].name == planeX.name
			break
		}
	}
	switch {
	case x == nil || y == nil:
		return r.grid.errorf("it has neither grid_center_lat (SCRIP) nor two coordinates, by standard_name or units (CF)")
	case len(x.Shape) == 1 && len(y.Shape) == 1 && x.Dimensions[0] != y.Dimensions[0]:
		return r.rectilinear(x, y)
	case slices.Equal(x.Dimensions, y.Dimensions) && (len(x.Shape) == 1 || len(x.Shape) == 2):
		return r.points(x, y)
	}
	return r.grid.errorf("%s has the dimensions (%s) and %s (%s); expected one for each, or the same one or two for both", x.Name, strings.Join(x.Dimensions, ", "),
		y.Name, strings.Join(y.Dimensions, ", "))
}

// points reads coordinates and bounds that each point has.
func (r *gridReader) points(x, y *netcdf.Variable) (err error) {
	g := r.grid
	if g.X, err = r.coordinates(x.Name, len(x.Shape), false); err != nil {
		return err
	}
	if g.Y, err = r.coordinates(y.Name, len(y.Shape), true); err != nil {
		return err
	}
	if len(x.Shape) == 2 {
		g.Sizes = []int{int(x.Shape[0]), int(x.Shape[1])}
	}
	if x.Attributes["bounds"] == "" || y.Attributes["bounds"] == "" {
		return nil
	}
	if g.CornerX, err = r.coordinates(x.Attributes["bounds"], len(x.Shape)+1, false, x.Attributes["units"]); err != nil {
		return err
	}
	if g.CornerY, err = r.coordinates(y.Attributes["bounds"], len(y.Shape)+1, true, y.Attributes["units"]); err != nil {
		return err
	}
	shape := r.file.Variable(x.Attributes["bounds"]).Shape
	g.Corners = int(shape[len(shape)-1])
	return nil
}

// rectilinear reads a grid with one list of coordinates for its columns and one for its rows.
func (r *gridReader) rectilinear(x, y *netcdf.Variable) error {
	xs, err := r.coordinates(x.Name, 1, false)
	if err != nil {
		return err
	}
	ys, err := r.coordinates(y.Name, 1, true)
	if err != nil {
		return err
	}
	g := r.grid
	const most = math.MaxInt32 // points; the file has only the coordinates of rows and columns
	if len(xs) > most/max(len(ys), 1) {
		return g.errorf("it has %d x %d points; expected at most %d", len(ys), len(xs), most)
	}
	g.Sizes = []int{len(ys), len(xs)}
	for _, b := range ys {
		for _, a := range xs {
			g.X, g.Y = append(g.X, a), append(g.Y, b)
		}
	}
	xBounds, err := r.bounds(x, xs)
	if err != nil {
		return err
	}
	yBounds, err := r.bounds(y, ys)
	if err != nil {
		return err
	}
	if xBounds == nil || yBounds == nil {
		return nil
	}
	if y.Attributes["bounds"] == "" && !g.Plane {
		toPole(yBounds)
	}
	g.Corners = 4
	for j := range ys {
		for i := range xs {
			west, east, south, north := xBounds[2*i], xBounds[2*i+1], yBounds[2*j], yBounds[2*j+1]
			g.CornerX = append(g.CornerX, west, east, east, west)
			g.CornerY = append(g.CornerY, south, south, north, north)
		}
	}
	return nil
}

// bounds returns the two bounds of each value of a coordinate. Without bounds in the file they are in the middle between values,
// and as far from the first and the last value outside as inside. It returns nil without bounds in the file for a single value, and for
// longitudes of which one is half of the sphere or more from the next.
func (r *gridReader) bounds(v *netcdf.Variable, values []float64) ([]float64, error) {
	name := v.Attributes["bounds"]
	switch {
	case name == "" && !r.grid.Plane && longitude.is(v):
		return aroundSphere(values), nil
	case name == "":
		return between(values), nil
	}
	all, err := r.coordinates(name, 2, latitude.is(v), v.Attributes["units"])
	if err == nil && len(all) != 2*len(values) {
		err = r.grid.errorf("variable %s has the shape %v; expected two bounds for each of %d values of %s", name, r.file.Variable(name).Shape, len(values), v.Name)
	}
	return all, err
}

// aroundSphere is between for longitudes, which may step from 180 to -180 or from 360 to 0. It returns nil if a cell has 180 degrees or
// more.
func aroundSphere(longitudes []float64) []float64 {
	turned := slices.Clone(longitudes)
	for i := 1; i < len(turned); i++ {
		turned[i] += 360 * math.Round((turned[i-1]-turned[i])/360)
	}
	all := between(turned)
	for i := range len(all) / 2 {
		if math.Abs(all[2*i+1]-all[2*i]) >= 180 {
			return nil
		}
	}
	return all
}

// between returns bounds in the middle between values.
func between(values []float64) []float64 {
	n := len(values)
	if n < 2 {
		return nil
	}
	all := make([]float64, 2*n)
	for i := range n - 1 {
		all[2*i+1] = (values[i] + values[i+1]) / 2
		all[2*i+2] = all[2*i+1]
	}
	all[0], all[2*n-1] = 2*values[0]-all[1], 2*values[n-1]-all[2*n-2]
	return all
}

// toPole moves the outer bounds of latitudes to a pole that they pass, or from which they are less than half a cell away.
func toPole(bounds []float64) {
	n := len(bounds)
	for _, end := range [][2]int{{0, 1}, {n - 1, n - 2}} {
		outer, inner := &bounds[end[0]], bounds[end[1]]
		if pole := math.Copysign(90, *outer-inner); math.Abs(pole-*outer) < math.Abs(*outer-inner)/2 || math.Abs(*outer) > 90 {
			*outer = pole
		}
	}
}
