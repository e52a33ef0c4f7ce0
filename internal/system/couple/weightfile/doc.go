// Package weightfile reads matrices of weights from the files of programs that make them.
//
// Read decides by the first bytes of a file, and by the variables of a netCDF file, which format it has:
//
//	Matrix Market   text, which package matrixmarket reads
//	SCRIP           netCDF with remap_matrix, src_address and dst_address, as of CDO, SCRIP and OASIS
//	YAC             the same with an attribute version, and without the sizes of the grids
//	ESMF            netCDF with S, row and col, as of ESMF_RegridWeightGen
//
// Rows and columns begin with 1 in all of these, and with 0 in this package. A netCDF file also has the masks of the grids:
// entries with a masked point are left out. Of several weights of an entry the first one is read, which is that of the
// value; the others multiply gradients, which no field has. The weights of a conservative SCRIP file without
// normalization are areas; they are divided by the covered areas of the receiving cells, as the user guide of SCRIP
// says.
package weightfile
