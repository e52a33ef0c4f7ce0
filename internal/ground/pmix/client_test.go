//go:build cgo

package pmix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// envPart is the variable that makes a test binary a process of a job, and selects its part.
const envPart = "PMIX_TEST_PART"

// limit bounds each process.
const limit = time.Minute

func TestMain(m *testing.M) {
	part := parts[os.Getenv(envPart)]
	if part == nil {
		os.Exit(m.Run())
	}
	if err := part(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// parts are the programs of the processes of a job, by name.
var parts = map[string]func(ctx context.Context) error{
	"exchange": func(ctx context.Context) error { return errors.Join(exchange(ctx, "first"), exchange(ctx, "second")) },
	"turns": func(ctx context.Context) error {
		for turn := range 3 {
			if err := oneTurn(ctx, turn); err != nil {
				return err
			}
		}
		return nil
	},
	"wait": func(ctx context.Context) error {
		c, err := Open(ctx, os.Getenv)
		if err != nil {
			return err
		}
		select {
		case <-c.Lost():
			return errors.New("the launcher counts as lost before it has ended")
		case <-time.After(100 * time.Millisecond):
		}
		if err := os.WriteFile(filepath.Join(os.Getenv("STUB_FOLDER"), "waiting"), nil, 0o600); err != nil {
			return err
		}
		<-c.Lost()
		return c.Close(ctx)
	},
	"abort": func(ctx context.Context) error {
		c, err := Open(ctx, os.Getenv)
		if err == nil {
			c.Abort(7)
			err = c.Close(ctx)
			c.Abort(8)
		}
		return err
	},
	"barrier": func(ctx context.Context) error {
		c, err := Open(ctx, os.Getenv)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		return errors.Join(c.Barrier(ctx), c.Close(ctx))
	},
}

// exchange opens a client, passes values around in some rounds, and closes the client.
func exchange(ctx context.Context, name string) error {
	c, err := Open(ctx, os.Getenv)
	if err != nil {
		return err
	}
	for round := range 3 {
		key := fmt.Sprint(name, round)
		value := func(rank int) string { return fmt.Sprintf("%s of %d = here", key, rank) }
		if err := errors.Join(c.Put(ctx, key, value(c.Rank())), c.Barrier(ctx)); err != nil {
			return err
		}
		for rank := range c.Size() {
			if got, err := c.Get(ctx, rank, key); err != nil || got != value(rank) {
				return fmt.Errorf("%q, %w", got, err)
			}
		}
	}
	if _, err := c.Get(ctx, 0, "missing"); err == nil || !strings.Contains(err.Error(), "NOT-FOUND") {
		return fmt.Errorf("a value that no process has stored: %w", err)
	}
	for _, value := range []string{"zero\x00byte", strings.Repeat("x", maxValue+1)} {
		if err := c.Put(ctx, "key", value); err == nil {
			return fmt.Errorf("a value of %d bytes was stored", len(value))
		}
	}
	longest := strings.Repeat("x", maxValue)
	if err := errors.Join(c.Put(ctx, "longest", longest), c.Barrier(ctx)); err != nil {
		return err
	}
	if value, err := c.Get(ctx, 0, "longest"); err != nil || value != longest {
		return fmt.Errorf("%d bytes of the longest value, %w", len(value), err)
	}
	fmt.Printf("rank %d of %d\n", c.Rank(), c.Size())
	if err := c.Close(ctx); err != nil {
		return err
	}
	if err := c.Barrier(ctx); !errors.Is(err, errClosed) {
		return fmt.Errorf("after the end: %w", err)
	}
	return nil
}

// oneTurn is a program that follows others in the process of a rank, each of which has one key.
func oneTurn(ctx context.Context, turn int) error {
	c, err := Open(ctx, os.Getenv)
	if err != nil {
		return err
	}
	value := func(rank int) string { return fmt.Sprintf("%d of %d", turn, rank) }
	if err := errors.Join(c.Put(ctx, "key", value(c.Rank())), c.Barrier(ctx)); err != nil {
		return err
	}
	for rank := range c.Size() {
		if got, err := c.Get(ctx, rank, "key"); err != nil || got != value(rank) {
			return fmt.Errorf("%d: %q, %w", turn, got, err)
		}
	}
	fmt.Println("published:", c.before)
	// With fences, a process must not store the next value while other processes still get this one.
	return errors.Join(c.Barrier(ctx), c.Close(ctx))
}

// stub compiles the libpmix of tests.
func stub(t *testing.T, options ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "libpmix.so")
	args := append([]string{"-shared", "-fPIC", "-Wall", "-Wextra", "-Wno-unused-result", "-Werror", "-o", file, "testdata/stub.c", "-lpthread"}, options...)
	if out, err := exec.Command(machine.CC(), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// job is a job of processes that run parts.
type job struct {
	t       *testing.T
	library string
	folder  string
	size    int
	fault   string
	counts  bool // the launcher has a folder for the number of the program
}

// start starts a process of the job.
func (j job) start(rank int, part string) (cmd *exec.Cmd, output *bytes.Buffer) {
	j.t.Helper()
	ctx, cancel := context.WithTimeout(j.t.Context(), limit)
	j.t.Cleanup(cancel)
	cmd, output = machine.Command(ctx, os.Args[0]), new(bytes.Buffer)
	cmd.Env = append(os.Environ(), envPart+"="+part, "ACP_PMIX_LIBRARY="+j.library, "STUB_FOLDER="+j.folder,
		fmt.Sprint("STUB_SIZE=", j.size), "STUB_FAULT="+j.fault,
		"PMIX_NAMESPACE=job", fmt.Sprint("PMIX_RANK=", rank), "PMIX_SERVER_URI2="+j.folder)
	if j.counts {
		cmd.Env = append(cmd.Env, envFolder+"="+j.folder)
	}
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		j.t.Fatal(err)
	}
	return cmd, output
}

// run runs a process of the job to its end and returns its output, and whether it has succeeded.
func (j job) run(rank int, part string) (said string, ok bool) {
	j.t.Helper()
	cmd, output := j.start(rank, part)
	err := cmd.Wait()
	return output.String(), err == nil
}

// TestValuesPass: each process gets the values that the other processes have stored before the barrier, also
// if it connects again.
func TestValuesPass(t *testing.T) {
	for _, size := range []int{1, 4} {
		j := job{t: t, library: stub(t), folder: t.TempDir(), size: size}
		var running sync.WaitGroup
		for rank := range size {
			running.Go(func() {
				want := strings.Repeat(fmt.Sprintf("rank %d of %d\n", rank, size), 2)
				if said, ok := j.run(rank, "exchange"); !ok || said != want {
					t.Errorf("%s; expected %q", said, want)
				}
			})
		}
		running.Wait()
	}
}

// TestTurns: programs that follow others pass values by fences no more, if the launcher can do without, and
// find no values of earlier programs.
func TestTurns(t *testing.T) {
	library := stub(t)
	for fault, want := range map[string]string{
		"":                    "published: 0\npublished: 1\npublished: 2\n",
		"Publish unsupported": strings.Repeat("published: 0\n", 3),
	} {
		j := job{t: t, library: library, folder: t.TempDir(), size: 3, fault: fault, counts: true}
		var running sync.WaitGroup
		for rank := range j.size {
			running.Go(func() {
				if said, ok := j.run(rank, "turns"); !ok || said != want {
					t.Errorf("%q: %s; expected %q", fault, said, want)
				}
			})
		}
		running.Wait()
	}
	for fault, want := range map[string]string{
		"Publish": "PMIx_Put failed: SOMETHING (-1)",
		"Lookup":  `value "key" of rank 0: PMIx: PMIx_Get failed: SOMETHING (-1)`,
	} {
		j := job{t: t, library: library, folder: t.TempDir(), size: 1, fault: fault, counts: true}
		if said, ok := j.run(0, "turns"); ok || !strings.Contains(said, want) {
			t.Errorf("%s: %s; expected %q", fault, said, want)
		}
	}
}

// TestFaults: a failure of each function, and answers that violate the standard, are reported as such errors.
func TestFaults(t *testing.T) {
	library := stub(t)
	for fault, want := range map[string]string{
		"old":                    `is "OpenPMIx 2.2.5, repo rev: x (PMIx Standard: 3.0)": expected version 3 or later`,
		"Init":                   "PMIx_Init failed: SOMETHING (-1)",
		"Register_event_handler": "PMIx_Init failed: SOMETHING (-1)",
		"Get size":               "PMIx_Init failed: SOMETHING (-1)",
		"Get server":             "PMIx_Init failed: SOMETHING (-1)",
		"Get server rank":        "PMIx_Init failed: SOMETHING (-1)",
		"server rank is text":    "PMIx_Init: the answer is none",
		"size is text":           "PMIx_Init: the answer is none",
		"no processes":           "number 0 of 0",
		"Put":                    "PMIx_Put failed",
		"Commit":                 "PMIx_Put failed",
		"Fence":                  "PMIx_Fence failed",
		"Get":                    `value "first0" of rank 0: PMIx: PMIx_Get failed`,
		"value is a number":      "PMIx_Get: the answer is none",
		"no text":                "PMIx_Get: the answer is none",
		"no value":               "PMIx_Get: the answer is none",
		"endless":                "PMIx_Get: the answer is none",
		"Finalize":               "PMIx_Finalize failed",
	} {
		j := job{t: t, library: library, folder: t.TempDir(), size: 1, fault: fault}
		if said, ok := j.run(0, "exchange"); ok || !strings.Contains(said, want) {
			t.Errorf("%s: %s; expected %q", fault, said, want)
		}
	}
}

// TestLibraries: a library that is missing, or lacks a function, is named with the remedy.
func TestLibraries(t *testing.T) {
	for library, want := range map[string]string{
		"/nonexistent/libpmix.so.2":     "/nonexistent/libpmix.so.2: cannot open shared object file",
		stub(t, "-DWITHOUT_FENCE"):      "undefined symbol: PMIx_Fence",
		filepath.Join(t.TempDir(), "x"): "install libpmix2 (Debian) or pmix (Fedora), name the file in ACP_PMIX_LIBRARY",
	} {
		j := job{t: t, library: library, size: 1}
		if said, ok := j.run(0, "exchange"); ok || !strings.Contains(said, want) {
			t.Errorf("%s: %s; expected %q", library, said, want)
		}
	}
}

// TestContextEndsBarrier: a process does not wait for ever for the other processes, nor for a call that does
// not return.
func TestContextEndsBarrier(t *testing.T) {
	j := job{t: t, library: stub(t), folder: t.TempDir(), size: 2}
	if said, ok := j.run(0, "barrier"); ok || strings.Count(said, context.DeadlineExceeded.Error()) != 2 {
		t.Error(said)
	}
}

// TestLauncherGone: Lost is closed when the launcher has ended. Further events about that are harmless, and
// stored events about processes of this job or of others are not about the launcher.
func TestLauncherGone(t *testing.T) {
	library := stub(t)
	for _, fault := range []string{"", "stored events"} {
		j := job{t: t, library: library, folder: t.TempDir(), size: 1, fault: fault}
		cmd, output := j.start(0, "wait")
		for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if _, err := os.Stat(filepath.Join(j.folder, "waiting")); err == nil {
				break
			}
		}
		if err := os.WriteFile(filepath.Join(j.folder, "lost"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || output.Len() > 0 {
			t.Errorf("%q: %v: %s", fault, err, output)
		}
	}
}

// TestAbort: the launcher gets the status, and nothing after the end.
func TestAbort(t *testing.T) {
	j := job{t: t, library: stub(t), folder: t.TempDir(), size: 1}
	if said, ok := j.run(0, "abort"); !ok {
		t.Error(said)
	}
	if text, err := os.ReadFile(filepath.Join(j.folder, "aborted")); err != nil || !strings.HasPrefix(string(text), "7: ") {
		t.Errorf("%s, %v", text, err)
	}
}
