package config

import (
	"fmt"
	"regexp"
)

// mpiName matches the names by which a description says which MPI a launcher belongs to.
var mpiName = regexp.MustCompile(`^((openmpi|mpich)(-[0-9][0-9A-Za-z.]*)?|other)$`)

// checkMPIName returns an error if a description names an MPI of a job that macprun does not know.
func checkMPIName(name string, job int) error {
	if !mpiName.MatchString(name) {
		return fmt.Errorf("MPI of job %d: expected openmpi, mpich or other, or one of the first two with a version such as openmpi-5.0.3, found %q", job, name)
	}
	return nil
}
