// Command acpstat prints the state of the ranks of a run, and the rank for which each one waits:
//
//	acpstat 4711
//
// docs/debugging.md describes what it prints.
package main

import (
	"os"

	"github.com/goacp/goacp/internal/launch"
)

func main() { os.Exit(launch.Acpstat(launch.OS())) }
