// Command acprun starts the processes of an ACP program, on this host or on
// several, and waits for their end:
//
//	acprun -np 4 ./program arguments
//
// docs/launching.md describes options, nodefiles and exit status.
package main

import (
	"os"

	"github.com/goacp/goacp/internal/launch"
)

func main() { os.Exit(launch.Acprun(launch.OS())) }
