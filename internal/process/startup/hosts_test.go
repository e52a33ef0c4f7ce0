package startup

import (
	"strings"
	"testing"

	"github.com/goacp/goacp/bridge"
)

func TestCompareHosts(t *testing.T) {
	here, there := bridge.HostID{1}, bridge.HostID{2}
	for _, c := range []struct {
		name  string
		blobs [][]byte
		self  int
		count int    // members on the host
		index int    // of self among them
		want  string // in the error
	}{
		{"alone", [][]byte{here[:]}, 0, 1, 0, ""},
		{"one host", [][]byte{here[:], here[:]}, 1, 2, 1, ""},
		{"two hosts", [][]byte{here[:], there[:]}, 0, 1, 0, ""},
		{"in turn", [][]byte{there[:], here[:], there[:], here[:], here[:]}, 3, 3, 1, ""},
		{"short", [][]byte{here[:], here[:15]}, 0, 0, 0, "rank 8 runs another version of the library"},
		{"empty", [][]byte{nil}, 0, 0, 0, "rank 7 runs another version of the library"},
		{"long", [][]byte{here[:], append(here[:], 9)}, 0, 0, 0, "rank 8 runs another version of the library"},
	} {
		got, err := compareHosts(here, c.self, 7, c.blobs)
		expected := Host{here, c.count, c.index, c.count == len(c.blobs)}
		switch {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		case err != nil || got != expected:
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, expected)
		}
	}
}
