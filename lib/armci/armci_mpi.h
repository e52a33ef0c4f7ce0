/* This library is the one without MPI. The folders for MPIs have a header of this name that includes
 * mpi.h. */
