// Package pmi implements the client of version 1 of the Process Management Interface. By PMI, launchers such
// as Hydra of MPICH and srun of Slurm number the processes of a job, and pass small values between them. The
// launcher gives each process a socket, whose descriptor is in PMI_FD. Both sides send lines of words
// KEY=VALUE. The first word of a request names the command; the answer has another name.
package pmi
