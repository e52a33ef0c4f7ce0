package traffic

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzRead: for any content of a rank's file, a launcher gets a valid table or an error.
func FuzzRead(f *testing.F) {
	path := filepath.Join(f.TempDir(), "seed")
	table, err := New(path, 1, 2)
	if err != nil {
		f.Fatal(err)
	}
	defer table.Free()
	table.Add(0, Message, TCP, 100)
	seed, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add(seed[:headBytes])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "table")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Read(path)
		if err != nil {
			return
		}
		if err := s.Check(); err != nil {
			t.Errorf("read %+v: %v", s, err)
		}
	})
}
