//go:build cgo

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A program that calls every function of acp.h compiles without a warning in every
// language that the header supports, and works.
func TestEveryFunction(t *testing.T) {
	source := filepath.Join("testdata", "every.c")
	for _, l := range languages {
		t.Run(l.standard, func(t *testing.T) {
			object := filepath.Join(t.TempDir(), "every.o")
			l.compile(t, source, "-O1", "-g", "-c", "-o", object)
			if called := undefined(t, object); !reflect.DeepEqual(called, specified(t)) {
				t.Errorf("it calls %v, expected %v", names(called), names(specified(t)))
			}
			path := strings.TrimSuffix(object, ".o")
			if err := command(l.compiler, object, needArchive(t), "-pthread", "-o", path); err != nil {
				t.Fatal(err)
			}
			for _, net := range []string{"shm", "tcp"} {
				t.Run(net, func(t *testing.T) {
					allWell(t, together(t, 2, []string{"ACP_NET=" + net, "ACP_STATS=yes"}, path), "")
				})
			}
		})
	}
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
