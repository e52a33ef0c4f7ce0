package config

import (
	"fmt"

	"github.com/goacp/goacp/internal/ground/lazyregexp"
)

// mpiName matches the names that a description may give to the MPI of a launcher.
var mpiName = lazyregexp.New(`^((openmpi|mpich)(-[0-9][0-9A-Za-z.]*)?|other)$`)

// checkMPIName returns an error if the MPI that a description gives to a job is not one of these names.
func checkMPIName(name string, job int) error {
	if !mpiName.Get().MatchString(name) {
		return fmt.Errorf("MPI of job %d: expected openmpi, mpich or other, or one of the first two with a version such as openmpi-5.0.3, found %q", job, name)
	}
	return nil
}
