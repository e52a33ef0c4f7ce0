package mpilauncher

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/plan"
)

// TestAsk asks launchers that stand behind prefixes and in scripts.
func TestAsk(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"mpirun": `echo "mpirun (Open MPI) 4.1.4"`,
		"exec":   `exec mpirun --bind-to none "$@"`,
		"checks": "case $1 in --version) echo no; exit 0;; esac\nnice mpirun \\\n  --quiet \"$@\"",
		"hidden": "echo no; exit 0; $MPI \"$@\"",
		"srun":   "echo slurm 22.05.8",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	environ := func(bool) []string { return []string{"PATH=" + dir + ":/usr/bin:/bin"} }
	open := plan.MPI{Family: plan.OpenMPI, Version: "4.1.4"}
	for line, want := range map[string]plan.MPI{
		"mpirun": open, "nice -n 5 mpirun": open, "env A=1 mpirun": open, "timeout 60 mpirun": open,
		"./exec": open, "./checks -q": open, "checks": open, "./hidden": {}, "srun": {Family: plan.AnyMPI},
		// The question does not run strace, which would write the file.
		"strace -o /nowhere/trace mpirun": open,
	} {
		got, err := Ask(&config.Inputfile{Jobs: []config.JobSpec{{Launcher: line, Dir: dir}}}, environ)
		if err != nil || got[line] != want {
			t.Errorf("%s: %v, %v; expected %v", line, got[line], err, want)
		}
	}
	if got, err := Ask(&config.Inputfile{Jobs: []config.JobSpec{{Launcher: "./nothing", Dir: dir, MPI: "mpich"}}}, environ); err != nil || len(got) != 0 {
		t.Errorf("a launcher whose MPI is named: %v, %v", got, err)
	}
}
