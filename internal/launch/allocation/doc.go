// Package allocation finds the hosts that a batch system has given to the job around a launcher: Slurm, PBS
// or LSF. The batch systems list them in environment variables and files.
package allocation
