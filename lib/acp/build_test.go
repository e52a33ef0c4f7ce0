//go:build cgo

package libacp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// built is where the archive and the test programs of this run of the tests are.
var built string

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "capi-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(built)
	os.Exit(status)
}

// archive is the library as C programs link it.
var archive = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built, "libacp.a")
	// The Makefile has the same options, so what it has compiled is not compiled again.
	build := exec.Command("go", "build", "-buildvcs=false", "-tags=clibrary", "-buildmode=c-archive", "-o", path, "./main")
	build.Env = append(os.Environ(), "CGO_CFLAGS=-O2 -g -Wall -Wextra -Wno-unused-function -Wno-unused-parameter -Dpthread_create=goacp_create_thread", "CGO_LDFLAGS=-O2 -g")
	return path, run(build)
})

// needArchive returns the path of the archive.
func needArchive(t *testing.T) string {
	t.Helper()
	path, err := archive()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// program compiles testdata/NAME.c, once, with further options, and returns the path of the result.
func program(t *testing.T, name string, options ...string) string {
	t.Helper()
	path := filepath.Join(built, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	source := filepath.Join("testdata", name+".c")
	// go test reuses an old result if no file has changed that the test has looked at. It does not
	// see what the compiler reads.
	read := []string{source}
	for _, pattern := range []string{"*.h", "testdata/*.h", "testdata/*.def", "../hook/*.h"} {
		headers, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, headers...)
	}
	for _, file := range read {
		if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I.",
		source, needArchive(t), "-o", path}, options...)
	if err := command(machine.CC(), args...); err != nil {
		t.Fatal(err)
	}
	return path
}

// command runs a tool; the error has what it printed.
func command(name string, args ...string) error { return run(exec.Command(name, args...)) }

// run is command with an environment.
func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}
