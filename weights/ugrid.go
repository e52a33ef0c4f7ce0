package weights

import (
	"strings"

	"github.com/goacp/goacp/internal/ground/netcdf"
)

// topology returns the variable that describes the mesh of a file that follows the UGRID conventions, or nil if there is none. If
// the name of a variable is given, it is that mesh or has values on it.
func (r *gridReader) topology(variable string) (*netcdf.Variable, error) {
	mesh := ""
	if variable != "" {
		mesh = variable
		if v := r.file.Variable(variable); v.Attributes["cf_role"] != "mesh_topology" {
			if mesh = v.Attributes["mesh"]; mesh == "" {
				return nil, nil // a variable on a grid beside the mesh
			}
		}
	}
	var found *netcdf.Variable
	for i := range r.file.Variables {
		v := &r.file.Variables[i]
		if v.Attributes["cf_role"] != "mesh_topology" || v.Attributes["face_node_connectivity"] == "" || mesh != "" && v.Name != mesh {
			continue
		}
		if found != nil {
			return nil, r.grid.errorf("variables %s and %s are both meshes with faces; name a variable that has one of them", found.Name, v.Name)
		}
		found = v
	}
	if found == nil && mesh != "" {
		return nil, r.grid.errorf("variable %s is on mesh %s, which is no mesh with faces of the file", variable, mesh)
	}
	return found, nil
}

// ugrid reads the faces of a mesh, whose corners are its nodes.
func (r *gridReader) ugrid(mesh *netcdf.Variable) error {
	g := r.grid
	nodes, err := r.pair(mesh, "node_coordinates")
	if err != nil {
		return err
	}
	if err := r.faces(mesh, nodes); err != nil {
		return err
	}
	if mesh.Attributes["face_coordinates"] == "" {
		g.setMiddles()
		return nil
	}
	centres, err := r.pair(mesh, "face_coordinates")
	g.X, g.Y = centres[0], centres[1]
	return err
}

// pair reads the two coordinates that an attribute of a mesh names, x first.
func (r *gridReader) pair(mesh *netcdf.Variable, attribute string) (pair [2][]float64, err error) {
	names := strings.Fields(mesh.Attributes[attribute])
	for i, axes := range [2][2]axis{{longitude, planeX}, {latitude, planeY}} {
		for _, name := range names {
			v := r.file.Variable(name)
			if v == nil || !axes[0].is(v) && !axes[1].is(v) {
				continue
			}
			r.grid.Plane = !axes[0].is(v)
			if pair[i], err = r.coordinates(name, 1, i == 1); err != nil {
				return pair, err
			}
		}
	}
	if pair[0] == nil || len(pair[0]) != len(pair[1]) {
		return pair, r.grid.errorf("%s of variable %s is %q; expected the names of two coordinates of equal length", attribute, mesh.Name, mesh.Attributes[attribute])
	}
	return pair, nil
}

// faces reads the nodes of each face. A face with fewer nodes than others has numbers that are not those of nodes at the end of its
// row: the value of _FillValue, or one below the first number. The rows are the columns of the variable if its second dimension is
// face_dimension of the mesh.
func (r *gridReader) faces(mesh *netcdf.Variable, nodes [2][]float64) error {
	name := mesh.Attributes["face_node_connectivity"]
	g, v := r.grid, r.file.Variable(name)
	if v == nil || len(v.Shape) != 2 || !v.Type.Integer() {
		return g.errorf("it has no variable %s with the nodes of each face, which are integers of two dimensions", name)
	}
	start := int64(v.Numbers["start_index"])
	faces, corners := v.Shape[0], v.Shape[1]
	turned := mesh.Attributes["face_dimension"] == v.Dimensions[1] && v.Dimensions[0] != v.Dimensions[1]
	if turned {
		faces, corners = corners, faces
	}
	switch {
	case start != 0 && start != 1:
		return g.errorf("attribute start_index of variable %s is %g; expected 0 or 1", name, v.Numbers["start_index"])
	case corners < 3:
		return g.errorf("variable %s has the shape %v; expected at least 3 nodes for each face", name, v.Shape)
	}
	if err := r.file.Fits(v); err != nil {
		return err
	}
	all := make([]int64, v.Len())
	if err := r.file.Integers(v, 0, all); err != nil {
		return err
	}
	if turned {
		all = transposed(all, int(faces))
	}
	fill, hasFill := v.Numbers["_FillValue"]
	g.Corners = int(corners)
	for i, node := range all {
		if missing := hasFill && float64(node) == fill || node < start; missing && i%g.Corners > 2 {
			node = all[i-1] // the last node once more
			all[i] = node
		}
		if node < start || node-start >= int64(len(nodes[0])) {
			return g.errorf("variable %s has %d at index %d; expected %d to %d", name, node, i, start, start+int64(len(nodes[0]))-1)
		}
		g.CornerX, g.CornerY = append(g.CornerX, nodes[0][node-start]), append(g.CornerY, nodes[1][node-start])
	}
	return nil
}

// transposed returns the columns of a table, of which each row has n numbers, as rows.
func transposed(table []int64, n int) []int64 {
	turned := make([]int64, 0, len(table))
	for column := range n {
		for i := column; i < len(table); i += n {
			turned = append(turned, table[i])
		}
	}
	return turned
}

// setMiddles makes the middles of the corners the points.
func (g *Grid) setMiddles() {
	for i := range len(g.CornerX) / g.Corners {
		middle := vector{}
		corners := make([]vector, 0, g.Corners)
		for k := i * g.Corners; k < (i+1)*g.Corners; k++ {
			if v := g.place(g.CornerX[k], g.CornerY[k]); len(corners) == 0 || !same(v, corners[len(corners)-1]) {
				corners = append(corners, v)
			}
		}
		for _, v := range corners {
			middle = middle.plus(v)
		}
		x, y := g.coordinates(middle)
		g.X, g.Y = append(g.X, x), append(g.Y, y)
	}
}
