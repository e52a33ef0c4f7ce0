// Command macprun starts several jobs, each with its own launcher (acprun or an
// MPI launcher), as one run with one ACP rank space:
//
//	macprun -np 6 inputfile
//
// docs/launching.md describes options, inputfiles, nodefiles and the YAML form.
package main

import (
	"os"

	"github.com/goacp/goacp/internal/launch"
)

func main() { os.Exit(launch.Macprun(launch.OS())) }
