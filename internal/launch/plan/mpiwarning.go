package plan

import (
	"fmt"

	"github.com/goacp/goacp/internal/launch/config"
)

// MPIWarnings returns a line for each job of a description whose launcher belongs to no known MPI. Each line
// names the line of the description. Pure.
func (p *Plan) MPIWarnings(input *config.Inputfile) []string {
	var warnings []string
	for i := range p.Jobs {
		job := &p.Jobs[i]
		if job.Acprun || job.MPI.Family != UnknownMPI {
			continue
		}
		text := fmt.Sprintf("%v: %s does not say which MPI it belongs to, so its processes get the variables for Open MPI and for MPICH; "+
			"mpi=openmpi, mpi=mpich or mpi=other names the MPI of the job", job, job.LauncherName)
		warnings = append(warnings, config.Errorf(input.File, input.Jobs[i].Line, "%s", text).Error())
	}
	return warnings
}
