package acp

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/network/am"
)

// TestNumbers compares the operations and notices of all structures with testdata/numbers.txt, because their
// numbers are a part of the format of messages: a line never changes once it is there. No two structures have
// numbers of one range.
func TestNumbers(t *testing.T) {
	var lines []string
	usedBy := make(map[am.Op]int) // index of the structure with numbers of a range
	add := func(structure int, kind, name string, number am.Op) {
		if other, used := usedBy[number.Range()]; used && other != structure {
			t.Errorf("%s %#04x, %q, is in the range of another structure", kind, number, name)
		}
		usedBy[number.Range()] = structure
		if number >= am.OpTest {
			return // an extension of a test
		}
		lines = append(lines, fmt.Sprintf("%s %#04x %s", kind, uint16(number), name))
	}
	structures := served(t).structures
	for i, s := range structures {
		for _, o := range s.Operations {
			add(i, "operation", o.Name, o.Op)
		}
		for _, n := range s.Notices {
			add(i, "notice", n.Name, am.Op(n.Number))
		}
	}
	slices.Sort(lines)
	want, err := os.ReadFile("testdata/numbers.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(lines, "\n") + "\n"; got != string(want) {
		t.Errorf("testdata/numbers.txt should be\n%s", got)
	}
}
