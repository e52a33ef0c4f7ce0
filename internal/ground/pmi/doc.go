// Package pmi speaks version 1 of the Process Management Interface, by which launchers such as Hydra of
// MPICH and srun of Slurm tell the processes of a job their numbers, and pass small values between
// them. The launcher gives each process a socket, whose descriptor is in PMI_FD. Both sides send lines of
// words KEY=VALUE. The first word of a request names the command; the answer has a name of its own.
package pmi
