// Command acpweights makes a file with the weights of a link between fields on different grids:
//
//	acpweights -method conservative ocean.nc atmosphere.nc weights.nc
//
// docs/weights.md describes it.
package main

import (
	"os"

	"github.com/goacp/goacp/weights/command"
)

func main() { os.Exit(command.Run(os.Args[1:], os.Stdout, os.Stderr)) }
