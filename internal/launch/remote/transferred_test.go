package remote

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/launch/account"
)

// TestNews: a proxy sends the tables that have changed since the last time, over several calls if they are
// large.
func TestNews(t *testing.T) {
	const procs = 300
	dir := t.TempDir()
	var counting []*traffic.Table
	for member := range 8 {
		table, err := traffic.New(filepath.Join(dir, traffic.FileName(member)), member, procs)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Free()
		counting = append(counting, table)
	}
	var reported tables
	expect := func(want ...int) {
		t.Helper()
		var members []int
		for _, f := range reported.news(dir) {
			s, err := account.Decode(f.Payload)
			if err != nil {
				t.Fatal(err)
			}
			members = append(members, s.Member)
		}
		if !slices.Equal(members, want) {
			t.Errorf("reported %v, expected %v", members, want)
		}
	}
	expect(1, 2, 3, 4, 5, 6, 7, 0)
	expect()
	counting[3].Add(1, traffic.Put, traffic.SHM, 8)
	counting[6].Add(1, traffic.Put, traffic.SHM, 8)
	expect(3, 6)
	for _, table := range counting { // three of which have more than maxNews
		for i := range procs * int(traffic.Kinds) * int(traffic.Paths) {
			member, kind, path := i%procs, i/procs%int(traffic.Kinds), i/procs/int(traffic.Kinds)
			table.Add(member, traffic.Kind(kind), traffic.Path(path), 1<<40)
		}
	}
	expect(7, 0)
	expect(1, 2)
	expect(3, 4)
	expect(5, 6)
	expect()
	if frames := reported.news(""); len(frames) != 0 {
		t.Errorf("%d tables without a directory", len(frames))
	}
}
