//go:build mpi

package mpitest

// Windows returns the environment in which Open MPI can make every kind of window
// and all accesses work; other MPIs ignore it.
func Windows() []string {
	return []string{"OMPI_MCA_pml=ucx", "OMPI_MCA_osc=ucx,sm",
		"OMPI_MCA_opal_common_ucx_tls=any", "OMPI_MCA_opal_common_ucx_devices=any"}
}
