//go:build cgo

// Command main is libacp, and libmacp with the build tag mpi: an archive or a shared library in Go has a package main. All that
// it has is in package libacp. Go compiles package main once for each build mode, so this package is as small as can be.
package main

import _ "github.com/goacp/goacp/lib/acp"

func main() {}
