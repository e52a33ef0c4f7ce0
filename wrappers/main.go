package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/wrappers/toolchain"
)

func main() {
	name := filepath.Base(os.Args[0])
	if err := run(name, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// run returns only after -showme, or with an error: otherwise the compiler takes over the process.
func run(name string, args []string) error {
	t, err := toolNamed(name)
	if err != nil {
		return err
	}
	data, err := load()
	if err != nil {
		return err
	}
	p, err := t.plan(data, args, os.Getenv)
	if err != nil {
		return err
	}
	if p.argv == nil {
		_, err := fmt.Println(p.say)
		return err
	}
	path, err := exec.LookPath(p.argv[0])
	if err != nil {
		return fmt.Errorf("the compiler behind %s: %w", name, err)
	}
	err = syscall.Exec(path, p.argv, append(os.Environ(), p.env...))
	return fmt.Errorf("%s: %w", path, err)
}

// load reads the file that ACP_WRAPPER_DATA names, or the one that belongs to this
// executable.
func load() (*toolchain.Data, error) {
	path := os.Getenv(envvar.WrapperData)
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		if self, err = filepath.EvalSymlinks(self); err != nil {
			return nil, err
		}
		path = filepath.Join(filepath.Dir(self), "..", "share", "goacp", "wrappers.yaml")
	}
	d, err := toolchain.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: expected the file that configure writes; ACP_WRAPPER_DATA may name another", err)
	}
	return d, err
}
