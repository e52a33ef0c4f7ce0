// Command acpstat says what the ranks of a run do, and which rank waits for which:
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
