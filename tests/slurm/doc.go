// Package slurm tests the launchers inside allocations of Slurm. The tests run Slurm on two hosts into
// which they divide this machine. They need the tag slurm; check.sh runs them.
package slurm
