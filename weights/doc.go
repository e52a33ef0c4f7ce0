// Package weights makes matrices of weights for links between fields on different grids.
//
// ReadGrid reads a grid from a netCDF file, or a program fills a Grid with its coordinates. Make computes the matrix from
// one grid to another one:
//
//	from, err := weights.ReadGrid("ocean.nc", "")
//	to, err := weights.ReadGrid("atmosphere.nc", "")
//	m, err := weights.Make(from, to, weights.Options{Method: weights.Conservative})
//	err = m.WriteNetCDF(file)
//
// The entries have the fields of couple.Weight, and the file is one that links read. The command acpweights does the same.
//
// On the sphere, points are unit vectors, and the edges of cells are arcs of great circles. So poles and the date line
// need no special code. In the plane, edges are straight. One algorithm serves both: a plane is treated as the points
// (x, y, 1), in which an edge also is the plane through two points and the origin.
//
// Make uses all processors of the process. With Options.Rows, each rank of a model makes the weights of its own points, without messages.
// Package together lets the ranks of a run share the work, by MakePart and Join, and gives the matrix to one of them.
package weights
