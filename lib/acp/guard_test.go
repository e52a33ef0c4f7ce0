//go:build cgo

package libacp

import (
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"golang.org/x/sys/unix"
)

// panics are panics of a function that C calls. The texts are in the one line on standard error.
var panics = map[string]struct {
	f    func()
	line []string
}{
	"index": {
		f: func() {
			var none []int
			for i := range 3 {
				none[i]++
			}
		},
		line: []string{"acp: internal error in ", "guard_test.go:", "index out of range [0] with length 0"},
	},
	"nil": {
		f: func() {
			var none *acp.Pair
			none.First.Size++
		},
		line: []string{"guard_test.go:", "nil pointer dereference"},
	},
	"fault": {
		f: func() {
			page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
			if err != nil {
				panic(err)
			}
			copy(unsafe.Slice(unsafe.SliceData(page), len(page)), "read only")
		},
		line: []string{"acp: no memory at address 0x", "guard_test.go:", "an argument leads there, or the library is at fault"},
	},
	"lines": {
		f:    func() { panic("one\ntwo") },
		line: []string{"acp: internal error in ", "one two"},
	},
}

// TestPanicIsOneLine: a panic behind a C function ends the process with one line and the status of
// acp_abort.
func TestPanicIsOneLine(t *testing.T) {
	const env = "CAPI_TEST_PANIC"
	if how := os.Getenv(env); how != "" {
		p, err := acp.Open(t.Context(), acp.Config{})
		if err != nil {
			t.Fatal(err)
		}
		lib.process.Store(p)
		perform(func(*acp.Process) error { panics[how].f(); return nil })
		t.Fatal("it goes on")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for how, test := range panics {
		t.Run(how, func(t *testing.T) {
			e := alone(t, []string{env + "=" + how}, self, "-test.run=^"+t.Name()[:strings.Index(t.Name(), "/")]+"$")
			checkLine(t, e, "0", abortStatus, test.line)
		})
	}
}
