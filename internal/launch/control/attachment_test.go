package control

import (
	"encoding/json"
	"net"
	"path/filepath"
	"testing"

	"github.com/goacp/goacp/bridge"
)

// TestLost: an attachment knows at once that the launcher of the run has ended, and whether the run is over.
func TestLost(t *testing.T) {
	left := notice{bridge.Event{Kind: bridge.Left, Member: 3}}
	for _, test := range []struct {
		name  string
		sends []notice
		over  bool // the run
	}{
		{"killed", nil, false},
		{"killed after an event", []notice{left}, false},
		{"ended", []notice{{bridge.Event{Kind: bridge.RunEnded, Member: -1}}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "run"))
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			client, err := net.Dial("unix", listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			server, err := listener.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			encoder := json.NewEncoder(server)
			if err := encoder.Encode(reply{Run: &Admission{Run: "7", Names: []string{"viewer"}}}); err != nil {
				t.Fatal(err)
			}
			events, lost := make(chan bridge.Event, len(test.sends)), make(chan error, 1)
			a, err := Attach(client, request("viewer"), func(e bridge.Event) { events <- e }, func(err error) { lost <- err })
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			if a.Lost() {
				t.Error("lost before the launcher of the run has ended")
			}
			if err := json.NewDecoder(server).Decode(new(Request)); err != nil {
				t.Fatal(err)
			}
			for _, n := range test.sends {
				if err := encoder.Encode(n); err != nil {
					t.Fatal(err)
				}
			}
			server.Close()
			if a.Lost() == test.over || len(events) != len(test.sends) || len(lost) != 1 {
				t.Errorf("lost: %v, with %d events", !test.over, len(events))
			}
		})
	}
}
