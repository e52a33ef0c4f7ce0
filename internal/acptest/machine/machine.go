// Package machine lets tests build and run programs for the platform that the tests themselves are built for. On
// that platform these are the compilers of the search path, and programs run by themselves. If the tests are built
// by a cross compiler and run under an emulator, the environment names both: CC, CXX, and ExecVariable.
package machine

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// ExecVariable is the variable of the environment that has the command, in words, under which programs run, such as
// "qemu-aarch64". The path of the program and its arguments follow.
const ExecVariable = "GOACP_TEST_EXEC"

// CC returns the compiler of C.
func CC() string { return cmp.Or(os.Getenv("CC"), "cc") }

// CXX returns the compiler of C++.
func CXX() string { return cmp.Or(os.Getenv("CXX"), "c++") }

// Command returns the command that runs a program which has been built for the platform of the tests, the program of
// the calling test included.
func Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	words := slices.Concat(strings.Fields(os.Getenv(ExecVariable)), []string{program}, args)
	return exec.CommandContext(ctx, words[0], words[1:]...)
}
