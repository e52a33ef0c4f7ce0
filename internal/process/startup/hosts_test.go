package startup

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/process/extension"
)

func TestCompareHellos(t *testing.T) {
	here, there := bridge.HostID{1}, bridge.HostID{2}
	armci := []extension.Signature{{Name: "armci", First: 0x4100, Operations: 3}}
	blob := func(host bridge.HostID, list []extension.Signature) []byte {
		h := hello{host, list}
		return h.encode()
	}
	for _, c := range []struct {
		name  string
		blobs [][]byte
		self  int
		count int    // members on the host
		index int    // of self among them
		want  string // in the error
	}{
		{"alone", [][]byte{blob(here, nil)}, 0, 1, 0, ""},
		{"one host", [][]byte{blob(here, armci), blob(here, armci)}, 1, 2, 1, ""},
		{"two hosts", [][]byte{blob(here, nil), blob(there, nil)}, 0, 1, 0, ""},
		{"in turn", [][]byte{blob(there, nil), blob(here, nil), blob(there, nil), blob(here, nil), blob(here, nil)}, 3, 3, 1, ""},
		{"extension", [][]byte{blob(here, armci), blob(here, armci), blob(there, nil)}, 0, 0, 0, "rank 2 does not have the extension armci"},
		{"short", [][]byte{blob(here, nil), here[:15]}, 0, 0, 0, "rank 1 runs another version of the library"},
		{"empty", [][]byte{nil}, 0, 0, 0, "rank 0 runs another version of the library"},
		{"long", [][]byte{blob(here, nil), append(blob(here, nil), 9)}, 0, 0, 0, "rank 1 runs another version of the library"},
	} {
		got, _, err := compareHellos(here, c.self, c.blobs)
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

// FuzzDecodeHello: what a member sends is refused, or is what this version sends.
func FuzzDecodeHello(f *testing.F) {
	h := hello{bridge.HostID{1}, []extension.Signature{{Name: "armci", First: 0x4100, Operations: 3, Notices: 1}}}
	f.Add(h.encode())
	f.Add(h.encode()[:20])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if h, err := decodeHello(b); err == nil && !bytes.Equal(h.encode(), b) {
			t.Errorf("%x is sent as %x", b, h.encode())
		}
	})
}
