package plan

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/tabletest"
)

// TestPlans turns command lines and files into plans.
func TestPlans(t *testing.T) {
	tabletest.Run(t, "../testdata/plan-*.txt", func(t *testing.T, c *tabletest.Case) string {
		plan, err := planOfCase(c)
		if err != nil {
			return fmt.Sprintf("error: %v\n", err)
		}
		return describePlan(plan)
	})
}

// planOfCase plans without any input and output.
func planOfCase(c *tabletest.Case) (*Plan, error) {
	files := map[string]string{}
	for _, f := range c.Files {
		files[f.Name] = f.Text
	}
	program := config.Macprun
	if c.Program == "acprun" {
		program = config.Acprun
	}
	opts, err := config.ParseOptions(program, c.Args)
	if err != nil {
		return nil, err
	}
	var input *config.Inputfile
	if program == config.Macprun {
		name := opts.Args[0]
		if strings.HasSuffix(name, ".yaml") {
			input, err = config.ParseYAML(name, []byte(files[name]))
		} else {
			input, err = config.ParseInputfile(name, []byte(files[name]))
		}
		if err != nil {
			return nil, err
		}
		*opts = config.Merge(*opts, input.Defaults)
	}
	hosts := opts.Hosts
	if hosts == nil && opts.Nodefile != "" {
		if hosts, err = config.ParseNodefile(opts.Nodefile, []byte(files[opts.Nodefile])); err != nil {
			return nil, err
		}
	}
	if program == config.Acprun {
		return NewAcprun(opts, hosts), nil
	}
	world := Facts{RunDir: "/run", Host: "here", Environ: []string{"OMPI_MCA_mpi_yield_when_idle=0", "ACP_NET=tcp"}, MPIs: map[string]MPI{},
		IsLocal: func(host string) bool { return host == "localhost" || host == "here" },
		Srun: func(host string) []string {
			switch {
			case strings.HasPrefix(host, "slurmhet"):
				return []string{"srun", "--het-group=1"}
			case strings.HasPrefix(host, "slurm"):
				return []string{"srun"}
			}
			return nil
		}}
	for _, job := range input.Jobs {
		switch filepath.Base(shell.LauncherWord(job.Launcher)) {
		case "mpirun":
			world.MPIs[job.Launcher] = MPI{OpenMPI, "4.1.4"}
		case "mpirun5":
			world.MPIs[job.Launcher] = MPI{OpenMPI, "5.0.3"}
		case "mpiexec":
			world.MPIs[job.Launcher] = MPI{MPICH, "4.0.2"}
		}
	}
	return New(input, opts, hosts, world)
}

// describePlan writes a plan for reading.
func describePlan(plan *Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d members\n", plan.Total)
	for _, job := range plan.Jobs {
		fmt.Fprintf(&b, "%v: %s, %s", &job, RankRange(&job), job.LauncherName)
		if !job.Acprun {
			fmt.Fprintf(&b, " (%v)", job.MPI)
		}
		b.WriteString("\n")
		for _, field := range []struct{ name, value string }{{"line", job.Line}, {"argv", strings.Join(job.Argv, " | ")},
			{"dir", job.Dir}, {"hosts", strings.Join(job.Hosts, " ")}, {"machines", strings.Join(strings.Fields(job.MachineText), " ")}, {"shell", job.ShellFile}} {
			if field.value != "" {
				fmt.Fprintf(&b, "  %s: %s\n", field.name, field.value)
			}
		}
		for k, program := range job.Programs {
			fmt.Fprintf(&b, "  program %s: %d", program.Name, program.Size)
			if job.ProgramFiles {
				fmt.Fprintf(&b, " on %s", strings.Join(strings.Fields(job.MachineFiles()[job.programFile(k)]), " "))
			}
			b.WriteString("\n")
		}
		for _, entry := range job.Env {
			fmt.Fprintf(&b, "  env: %s\n", entry)
		}
		if job.Hook {
			b.WriteString("  preload: libacphook\n")
		}
		if job.WithoutDVM != nil {
			fmt.Fprintf(&b, "  apart: %s\n", job.WithoutDVM.Line)
		}
	}
	for _, dvm := range plan.DVMs {
		fmt.Fprintf(&b, "DVM of jobs %s: %s %s %q spread=%v\n", List(dvm.Jobs), dvm.Address, dvm.MachineFile, dvm.MachineText, dvm.Spread)
	}
	return b.String()
}
