package session

import (
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/process/startup"
)

func TestProcessOptions(t *testing.T) {
	for text, want := range map[string]uint64{
		"": 0, "  ": 0, "-pool 64m": 64 << 20, " -pool=2G\t": 2 << 30, "--pool 100000000": 100000000, "-pool 1g -pool 2g": 2 << 30,
	} {
		if got, err := ProcessOptions(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; expected %d", text, got, err, want)
		}
	}
	for text, part := range map[string]string{
		"-pool":             "option -pool has no size",
		"-pool= 1g":         "option -pool: \"\" is no size",
		"-pool 1g 2g":       `option "2g" is none of a single process; expected -pool SIZE`,
		"-n 2":              `option "-n" is none of a single process`,
		"-pool -1":          `option -pool: "-1" is no size`,
		"-pool 8589934592g": "is no size",
	} {
		if got, err := ProcessOptions(text); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %d, %v; expected an error with %q", text, got, err, part)
		}
	}
}

// TestPool: no pool is less than 64 MiB, the launcher's size comes first, then the user's variable, then a part of the memory of the host.
func TestPool(t *testing.T) {
	env := map[string]string{envvar.HeapSize: "100000000", envvar.DMIPool: "1g"}
	getenv := func(name string) string { return env[name] }
	if got, err := Pool(getenv); err != nil || got != 100000000 {
		t.Errorf("the launcher's size: %d, %v", got, err)
	}
	env[envvar.HeapSize] = "123"
	if got, err := Pool(getenv); err != nil || got != startup.MinHeapSize {
		t.Errorf("too small a size: %d, %v", got, err)
	}
	delete(env, envvar.HeapSize)
	if got, err := Pool(getenv); err != nil || got != 1<<30 {
		t.Errorf("the user's size: %d, %v", got, err)
	}
	delete(env, envvar.DMIPool)
	env[envvar.DMIOnHost] = "1"
	one, err := Pool(getenv)
	env[envvar.DMIOnHost] = "1000000000"
	many, err2 := Pool(getenv)
	if err != nil || err2 != nil || one < many || one > greatestPool || many != startup.MinHeapSize {
		t.Errorf("sizes without a variable: %d, %v for one process, and %d, %v for many", one, err, many, err2)
	}
	env[envvar.DMIPool] = "much"
	if got, err := Pool(getenv); err == nil || !strings.Contains(err.Error(), `DMI_POOL: "much" is no size`) {
		t.Errorf("%d, %v", got, err)
	}
}
