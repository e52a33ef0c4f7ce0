package process

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestReadNotes reads the notes of a launcher, one of which names thousands of processes.
func TestReadNotes(t *testing.T) {
	many := make([]Identity, 5000)
	for i := range many {
		many[i] = Identity{PID: 100000 + i, Start: 1 << 40}
	}
	begun := []note{{Run: "/dev/shm/goacp-1"}, {Dir: "/dev/shm/goacp-2"}, {Session: 7, Witnesses: many[:1]}, {Session: 8, Witnesses: many}, {Session: 7}}
	for _, end := range [][]note{nil, {{Done: true}}} {
		var stream bytes.Buffer
		lines := json.NewEncoder(&stream)
		for _, n := range append(begun[:len(begun):len(begun)], end...) {
			if err := lines.Encode(n); err != nil {
				t.Fatal(err)
			}
		}
		stream.WriteString(`{"done":`) // the launcher was killed in the middle of a line
		scope := &Scope{sessions: map[int][]Identity{}}
		left, done := readNotes(&stream, scope)
		if left.dir != "/dev/shm/goacp-2" || done != (end != nil) {
			t.Errorf("directory %s, done %v; expected %v", left.dir, done, end != nil)
		}
		if scope.dir != "/dev/shm/goacp-1" || len(scope.sessions) != 1 || len(scope.sessions[8]) != len(many) {
			t.Errorf("run %s, %d sessions, %d processes of session 8", scope.dir, len(scope.sessions), len(scope.sessions[8]))
		}
	}
}
