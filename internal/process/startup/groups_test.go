package startup

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goacp/goacp/bridge"
)

// TestLeaders compares the leaders of random runs with the lowest member that shares memory.
func TestLeaders(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		size := 1 + r.IntN(12)
		hosts, closed := make([]bridge.HostID, size), make([]bool, size)
		for m := range hosts {
			hosts[m][0], closed[m] = byte(r.IntN(3)), r.IntN(4) == 0
		}
		share := func(a, b int) (bool, error) {
			if hosts[a] != hosts[b] {
				t.Errorf("seed %d: asked about members of two hosts", seed)
			}
			return !closed[a] && !closed[b], nil
		}
		kindOf := func(m int) int {
			kind := int(hosts[m][0]) << 1
			if closed[m] {
				kind++
			}
			return kind
		}
		got, err := leadersOf(size, kindOf, func(m int) bridge.HostID { return hosts[m] }, share)
		if err != nil {
			t.Fatal(err)
		}
		for m, l := range got {
			first := slices.Index(hosts, hosts[m])
			want := m
			if first != m && !closed[first] && !closed[m] {
				want = first
			}
			if l != want {
				t.Errorf("seed %d: the leader of %d is %d, want %d", seed, m, l, want)
			}
		}
	}
	failed := errors.New("no route")
	_, err := leadersOf(2, func(int) int { return 0 }, func(int) bridge.HostID { return bridge.HostID{} }, func(int, int) (bool, error) { return false, failed })
	if !errors.Is(err, failed) {
		t.Errorf("a pair without a route: %v", err)
	}
}

// TestDissolve: a member that does not reach its leader takes the group apart, and no other.
func TestDissolve(t *testing.T) {
	for _, c := range []struct {
		name    string
		broken  []int
		leaders []int
		want    []int
	}{
		{"none", nil, []int{0, 0, 2, 0, 2}, []int{0, 0, 2, 0, 2}},
		{"one of two groups", []int{3}, []int{0, 0, 2, 0, 2}, []int{0, 1, 2, 3, 2}},
		{"both", []int{1, 4}, []int{0, 0, 2, 0, 2}, []int{0, 1, 2, 3, 4}},
	} {
		if dissolve(c.leaders, func(m int) bool { return !slices.Contains(c.broken, m) }); !slices.Equal(c.leaders, c.want) {
			t.Errorf("%s: leaders %v, want %v", c.name, c.leaders, c.want)
		}
	}
}

// FuzzAbility: what a member sends is refused, or is what this version sends.
func FuzzAbility(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0x41, 0, 0, 0xff, 3})
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0x41, 0})
	f.Add([]byte{2, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		all := abilities{b}
		if all.check(&bridge.Epoch{}) != nil {
			return
		}
		a := ability{all.reaches(0), all.base(0), all.processors(0)}
		if got := a.encode(); !slices.Equal(got, b) {
			t.Errorf("%x is sent as %x", b, got)
		}
	})
}

// TestSharing: members of other hosts share no processors, and those of other groups are counted apart.
func TestSharing(t *testing.T) {
	on := func(processors ...byte) []byte { return (&ability{processors: processors}).encode() }
	hosts := []byte{1, 1, 2, 1, 1, 1}
	all := abilities{on(1), on(3), on(3), on(2), on(4), on(2)}
	leaders := []int{0, 0, 2, 0, 0, 5}
	for self, want := range []Sharing{{4, 1, 0, 2}, {4, 1, 0, 2}, {1, 0, 2, 2}, {4, 1, 0, 2}, {1, 0, 4, 1}, {4, 3, 5, 2}} {
		if got := sharingOf(self, func(m int) bridge.HostID { return bridge.HostID{hosts[m]} }, leaders, all); got != want {
			t.Errorf("member %d: %+v, want %+v", self, got, want)
		}
	}
}
