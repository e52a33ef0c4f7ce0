package hook

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// deadline ends a program that hangs. The slowest takes a few seconds.
const deadline = 2 * time.Minute

// shell runs scripts.
const shell = "/bin/sh"

// everything are the variables that send blocks of all sizes to the pool.
var everything = []string{"ACP_MHOOK_SMALL=1", "ACP_MHOOK_LARGE=1", "ACP_MHOOK_HUGE=1"}

// library is the folder with libacphook.so, which TestMain builds.
var library string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "hook")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		library = dir
		if err := buildLibrary(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// buildLibrary builds the library as make does, with warnings as errors.
func buildLibrary(dir string, flags ...string) error {
	sources, err := filepath.Glob("capi/*.c")
	if err != nil {
		return err
	}
	args := append([]string{"@capi/flags", "-g", "-Werror", "-shared", "-Wl,-soname,libacphook.so",
		"-Wl,--version-script=capi/libacphook.map", "-Wl,--no-undefined", "-o", filepath.Join(dir, "libacphook.so")}, flags...)
	return compile(append(args, sources...)...)
}

func compile(args ...string) error {
	if out, err := exec.Command(machine.CC(), args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %v\n%s", machine.CC(), strings.Join(args, " "), err, out)
	}
	return nil
}

// build builds a program of testdata with the library in a folder. Calls of the allocator stay as they are.
func build(t *testing.T, dir, name string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	args := []string{"-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-fno-builtin", "-Wall", "-Wextra", "-Werror",
		"-o", program, "testdata/" + name + ".c", "-pthread"}
	if dir != "" {
		args = append(args, "-L"+dir, "-Wl,-rpath,"+dir, "-Wl,--no-as-needed", "-lacphook", "-Wl,--as-needed")
	}
	if err := compile(append(args, flags...)...); err != nil {
		t.Fatal(err)
	}
	return program
}

// start runs a program with variables in addition to those of the test, none of which is a rule.
func start(t *testing.T, env []string, program string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	cmd := machine.Command(ctx, program, args...)
	if program == shell {
		cmd = exec.CommandContext(ctx, program, args...) // a program of this machine
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ACP_MHOOK_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, env...)
	// A child that outlives the program must not hold the test up by its standard output.
	cmd.WaitDelay = 10 * time.Second
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	err = cmd.Run()
	return out.String(), errors.String(), err
}

// run runs a program, which has to succeed without a message.
func run(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	out, message, err := start(t, env, program, args...)
	if err != nil || message != "" {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(program), strings.Join(args, " "), err, out, message)
	}
	return out
}

// TestInterface: each function, at all sizes and at the edges.
func TestInterface(t *testing.T) {
	t.Parallel()
	run(t, everything, build(t, library, "interface"))
}

// TestModel: threads allocate, resize and free at random, also blocks of each other.
func TestModel(t *testing.T) {
	t.Parallel()
	program := build(t, library, "model")
	for _, rules := range [][]string{everything, {"ACP_MHOOK_LARGE=1", "ACP_MHOOK_HIGH=9000"}} {
		run(t, rules, program, "4", "60000", fmt.Sprint(time.Now().UnixNano()%1000000))
	}
}

// TestUndefined: the same with library and program built to stop at undefined behaviour of C.
func TestUndefined(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trap := []string{"-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"}
	if err := buildLibrary(dir, trap...); err != nil {
		t.Fatal(err)
	}
	run(t, everything, build(t, dir, "model", trap...), "2", "20000", "1")
	run(t, everything, build(t, dir, "interface", trap...))
	run(t, everything, build(t, dir, "forks", trap...), "2", "3")
}

// TestFork: children of a process with busy threads have the blocks of their parent as a copy of their own.
func TestFork(t *testing.T) {
	t.Parallel()
	program := build(t, library, "forks")
	run(t, everything, program, "3", "12")
	run(t, everything, program, "0", "20")
}

// TestForkWithoutFile: fork copies all the same if the file is closed, or none can be opened.
func TestForkWithoutFile(t *testing.T) {
	t.Parallel()
	program := build(t, library, "closed")
	run(t, everything, program, "file")
	run(t, everything, program, "limit")
}

// TestReturned: memory is taken when it is touched, and goes back when blocks are freed and threads end.
func TestReturned(t *testing.T) {
	t.Parallel()
	run(t, everything, build(t, library, "returned"))
}

// TestMistakes: a block that is freed twice, an address that is no block, and fork on a stack that lies in
// the pool end the program.
func TestMistakes(t *testing.T) {
	t.Parallel()
	program := build(t, library, "wrong")
	for mistake, want := range map[string]string{
		"twice":  "libacphook: free of a block that is free\n",
		"inside": "libacphook: free of an address that is no block\n",
		"run":    "libacphook: free or realloc of an address that is no block\n",
		"stack":  "libacphook: fork on a stack that malloc returned: parent and child would share it\n",
	} {
		_, message, err := start(t, everything, program, mistake)
		if err == nil || message != want {
			t.Errorf("%s: %v, %q, expected %q", mistake, err, message, want)
		}
	}
}
