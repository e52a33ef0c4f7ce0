package source

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// caller is a program that prints the address to which a call in its function exchange returns, and waits until
// its input ends. The call is in line 14.
const caller = `#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) void note(void) {
  printf("%p\n", __builtin_return_address(0));
  fflush(stdout);
}
#ifndef ELSEWHERE
#ifdef INLINE
static inline
#else
__attribute__((noinline))
#endif
void exchange(void) {
  note();
  __asm__ volatile("");
}
#else
void exchange(void);
#endif
#ifndef SHARED
int main(void) {
  char end;
  exchange();
  return (int)read(0, &end, 1);
}
#endif
`

// build compiles the program with options and returns its path.
func build(t *testing.T, name string, options ...string) string {
	t.Helper()
	dir := t.TempDir()
	source, path := filepath.Join(dir, "ocean.c"), filepath.Join(dir, name)
	if err := os.WriteFile(source, []byte(caller), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(machine.CC(), append([]string{"-O2", "-o", path, source}, options...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// start starts the program, which ends with the test, and returns its process and the address that it prints.
func start(t *testing.T, path string) (pid int, address uint64) {
	t.Helper()
	c := machine.Command(context.Background(), path)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = c.Wait() })
	text, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, err = strconv.ParseUint(strings.TrimSpace(text), 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return c.Process.Pid, address
}

// lineOf returns the text of a Finder, which must be the same twice: from the file, and from the cache.
func lineOf(t *testing.T, pid int, address uint64, began time.Time) string {
	t.Helper()
	f := NewFinder("/proc")
	defer f.Rest()
	text := f.Line(pid, address, began)
	f.Rest()
	if again := f.Line(pid, address, began); again != text {
		t.Errorf("first %q, then %q", text, again)
	}
	return text
}

// TestLine finds the line of a call, or its function, in programs of all kinds.
func TestLine(t *testing.T) {
	line, function := `ocean\.c:14`, `exchange\+0x[0-9a-f]+`
	for name, c := range map[string]struct {
		options []string
		want    string
	}{
		"pie":               {[]string{"-g", "-fPIE", "-pie"}, line},
		"no pie":            {[]string{"-g", "-fno-pie", "-no-pie"}, line},
		"static":            {[]string{"-g", "-static"}, line},
		"DWARF 4":           {[]string{"-gdwarf-4"}, line},
		"compressed":        {[]string{"-g", "-gz"}, line},
		"inlined in main":   {[]string{"-g", "-DINLINE"}, line},
		"without -g":        {[]string{"-fPIE", "-pie"}, function},
		"no pie without -g": {[]string{"-fno-pie", "-no-pie"}, function},
		"stripped":          {[]string{"-s"}, ``},
		"stripped, shares":  {[]string{"-s", "-rdynamic"}, function},
	} {
		t.Run(name, func(t *testing.T) {
			pid, address := start(t, build(t, "ocean", c.options...))
			if text := lineOf(t, pid, address, time.Now()); !regexp.MustCompile("^(" + c.want + ")$").MatchString(text) {
				t.Errorf("the call is in %q, expected %s", text, c.want)
			}
		})
	}
}

// TestLineOfSharedObject: calls in shared objects have lines, too, unless these are libraries of GoACP or were
// written after the process had begun.
func TestLineOfSharedObject(t *testing.T) {
	for library, want := range map[string]string{"libmodel.so": "ocean.c:14", "libacp.so.2.1.0": "", "libacpmodel.so": "ocean.c:14"} {
		shared := build(t, library, "-g", "-shared", "-fPIC", "-DSHARED")
		path := build(t, "ocean", "-g", "-DELSEWHERE", shared)
		built := time.Now().Add(time.Second)
		pid, address := start(t, path)
		if text := lineOf(t, pid, address, built); text != want {
			t.Errorf("the call in %s is in %q, expected %q", library, text, want)
		}
		if text := lineOf(t, pid, address, built.Add(-time.Hour)); text != "" {
			t.Errorf("the call is in %q of a library that is newer than the process", text)
		}
	}
}

// TestLineNowhere: addresses of no file, and processes that have ended.
func TestLineNowhere(t *testing.T) {
	pid, _ := start(t, build(t, "ocean", "-g"))
	for _, address := range []uint64{0, 1, 1 << 63} {
		if text := lineOf(t, pid, address, time.Now()); text != "" {
			t.Errorf("address %#x is in %q", address, text)
		}
	}
	if text := lineOf(t, 1<<30, 0x401000, time.Now()); text != "" {
		t.Errorf("a process that does not exist has %q", text)
	}
}

// TestDamaged: a file that is no program, or a damaged one, has no lines, and nothing panics.
func TestDamaged(t *testing.T) {
	whole, err := os.ReadFile(build(t, "ocean", "-g"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "damaged")
	for cut := 0; cut < len(whole); cut += len(whole)/100 + 1 {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		f := NewFinder("/proc")
		if img, _, err := f.image(path, time.Time{}); err == nil {
			img.line(0x1100)
		}
		f.Rest()
	}
}
