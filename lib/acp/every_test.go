//go:build cgo

package libacp

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A program that calls every function of acp.h compiles without a warning in every
// language that the header supports, and works.
func TestEveryFunction(t *testing.T) {
	for _, l := range languages {
		t.Run(l.standard, func(t *testing.T) {
			path, called := l.program(t, "every", "every_structures", "every_many")
			if !reflect.DeepEqual(called, specified(t)) {
				t.Errorf("it calls %v, expected %v", names(called), names(specified(t)))
			}
			for _, net := range []string{"shm", "tcp"} {
				t.Run(net, func(t *testing.T) {
					allWell(t, together(t, 2, []string{"ACP_NET=" + net, "ACP_STATS=yes"}, path), "")
				})
			}
		})
	}
}

// program compiles the sources of a program in testdata and links them with the archive. Returns the path of the program, and
// the functions of the library that its sources call.
func (l language) program(t *testing.T, sources ...string) (path string, called map[string]bool) {
	t.Helper()
	path, called = filepath.Join(t.TempDir(), sources[0]), map[string]bool{}
	args := []string{"-pthread", "-o", path}
	for _, name := range sources {
		object := filepath.Join(t.TempDir(), name+".o")
		l.compile(t, filepath.Join("testdata", name+".c"), "-O1", "-g", "-c", "-o", object)
		maps.Copy(called, undefined(t, object))
		args = append(args, object)
	}
	if err := command(l.compiler, append(args, needArchive(t))...); err != nil {
		t.Fatal(err)
	}
	return path, called
}

// undefined returns the functions of the library that an object file needs.
func undefined(t *testing.T, object string) map[string]bool {
	t.Helper()
	out, err := exec.Command("nm", "-u", object).Output()
	if err != nil {
		t.Fatal(fmt.Errorf("nm -u %s: %w", object, err))
	}
	set := map[string]bool{}
	for _, f := range strings.Fields(string(out)) {
		if strings.HasPrefix(f, "acp_") {
			set[f] = true
		}
	}
	return set
}
