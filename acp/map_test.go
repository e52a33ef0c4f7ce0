package acp_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// point is a key and a value of fixed size.
type point struct{ X, Y int32 }

// TestMap: maps of Go types, used by all ranks.
func TestMap(t *testing.T) {
	onThreeRanks(t, func(p *member, ranks []acp.Rank) error {
		m, err := acp.NewMap[string, point](p.Process, ranks, 9, 1)
		if err != nil {
			return err
		}
		want := map[string]point{}
		for i := range 200 {
			key, value := fmt.Sprint("k", i), point{int32(i), -1}
			want[key] = value
			if added, err := m.Insert(key, value); err != nil || !added {
				return fmt.Errorf("insertion of %q: %v, %w", key, added, err)
			}
		}
		if added, err := m.Insert("k7", point{}); err != nil || added {
			return fmt.Errorf("inserted twice: %v, %w", added, err)
		}
		if added, err := m.Store("k7", point{7, 7}); err != nil || added {
			return fmt.Errorf("stored: %v, %w", added, err)
		}
		want["k7"] = point{7, 7}
		if v, ok, err := m.Load("k7"); err != nil || !ok || v != want["k7"] {
			return fmt.Errorf("loaded %v, %v, %w", v, ok, err)
		}
		if _, ok, err := m.Load("nothing"); err != nil || ok {
			return fmt.Errorf("loaded nothing: %v, %w", ok, err)
		}
		if removed, err := m.Remove("k8"); err != nil || !removed {
			return fmt.Errorf("removed: %v, %w", removed, err)
		}
		delete(want, "k8")
		if got := maps.Collect(m.All()); !maps.Equal(got, want) || m.Err() != nil {
			return fmt.Errorf("%d pairs, expected %d, %w", len(got), len(want), m.Err())
		}
		if n, err := m.Len(); err != nil || n != len(want) {
			return fmt.Errorf("%d pairs, expected %d, %w", n, len(want), err)
		}
		if got := len(slices.Collect(m.Keys())) + len(slices.Collect(m.Values())); got != 2*len(want) {
			return fmt.Errorf("%d keys and values", got)
		}
		local := maps.Collect(m.AllLocal())
		if n := must(m.LenLocal()); n != len(local) || n == 0 {
			return fmt.Errorf("%d local pairs, expected %d", len(local), n)
		}
		for range m.All() {
			break
		}
		for key := range m.Keys() { // removing while iterating
			if _, err := m.Remove(key); err != nil {
				return err
			}
		}
		if empty, err := m.Empty(); err != nil || !empty || m.Err() != nil {
			return fmt.Errorf("empty: %v, %w", empty, errors.Join(err, m.Err()))
		}
		return m.Destroy()
	})
}

// TestMapOfStrings: values of all lengths, replaced by others.
func TestMapOfStrings(t *testing.T) {
	onThreeRanks(t, func(p *member, ranks []acp.Rank) error {
		m, err := acp.NewMap[point, []byte](p.Process, ranks, 3, 0)
		if err != nil {
			return err
		}
		for round := range 3 {
			for i, n := range []int{1, 7, 8, 511, 512, 513, 32 << 10, 100_000} {
				value := []byte(strings.Repeat(string(rune('a'+round)), n+round))
				if _, err := m.Store(point{int32(i), 0}, value); err != nil {
					return err
				}
				got, ok, err := m.Load(point{int32(i), 0})
				if err != nil || !ok || string(got) != string(value) {
					return fmt.Errorf("%d of %d bytes, %v, %w", len(got), len(value), ok, err)
				}
			}
		}
		sum := 0
		for _, value := range m.All() {
			sum += len(value)
		}
		if want := 1 + 7 + 8 + 511 + 512 + 513 + 32<<10 + 100_000 + 16; sum != want || m.Err() != nil {
			return fmt.Errorf("%d bytes, expected %d, %w", sum, want, m.Err())
		}
		if _, err := m.Insert(point{}, nil); !errors.Is(err, acp.ErrBadSize) {
			return fmt.Errorf("an empty value: %v", err)
		}
		numbers, err := acp.MapAt[point, int64](p.Process, m.Address())
		if err != nil {
			return err
		}
		if _, _, err := numbers.Load(point{}); err == nil {
			return errors.New("one byte was taken for an int64")
		}
		for range numbers.Values() {
		}
		if numbers.Err() == nil {
			return errors.New("iterated over values of another size")
		}
		return m.Destroy()
	})
}

// TestSetAndMultiset: the methods that typed sets have and maps do not.
func TestSetAndMultiset(t *testing.T) {
	onThreeRanks(t, func(p *member, ranks []acp.Rank) error {
		s, err1 := acp.NewSet[int](p.Process, ranks, 5, 2)
		u, err2 := acp.NewSet[int](p.Process, ranks[:1], 2, 2)
		m, err3 := acp.NewMultiset[string](p.Process, ranks, 5, 0)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		for i := range 50 {
			_, err1 := s.Insert(i)
			_, err2 := u.Insert(i + 25)
			_, err3 := m.Insert(fmt.Sprint(i%10+1), uint64(i))
			if err := errors.Join(err1, err2, err3); err != nil && i > 0 {
				return err
			}
		}
		if err := errors.Join(s.Swap(u), s.Merge(u), u.Assign(s), s.Move(u)); err != nil {
			return err
		}
		if got := slices.Sorted(s.All()); len(got) != 75 || got[0] != 0 || got[74] != 74 {
			return fmt.Errorf("the set has %v", got)
		}
		if has, err := s.Contains(30); err != nil || !has {
			return fmt.Errorf("contains: %v, %w", has, err)
		}
		if n, err := m.Count("3"); err != nil || n != 2+12+22+32+42 {
			return fmt.Errorf("a multiplicity of %d, %w", n, err)
		}
		if had, err := m.Remove("3", 10); err != nil || !had {
			return fmt.Errorf("removed: %v, %w", had, err)
		}
		sum, different := uint64(0), 0
		for _, times := range m.All() {
			sum += times
			different++
		}
		if sum != 49*50/2-10 || different != 10 {
			return fmt.Errorf("%d times in %d keys", sum, different)
		}
		if _, err := m.Insert("x", 0); !errors.Is(err, acp.ErrBadSize) {
			return fmt.Errorf("inserted no times: %v", err)
		}
		if _, err := m.Insert("", 1); !errors.Is(err, acp.ErrBadSize) {
			return fmt.Errorf("an empty key: %v", err)
		}
		return errors.Join(s.Destroy(), u.Destroy(), m.Destroy())
	})
}

// onThreeRanks runs body on three ranks, in every mode, and expects empty heaps at the end.
func onThreeRanks(t *testing.T, body func(p *member, ranks []acp.Rank) error) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *member) error {
			if err := body(p, []acp.Rank{0, 1, 2}); err != nil {
				return err
			}
			return heapIsWhole(p)
		})
	})
}

func TestKeyTypes(t *testing.T) {
	run(t, 1, acp.Config{}, func(p *member) error {
		ranks := []acp.Rank{0}
		_, err1 := acp.NewMap[float64, int](p.Process, ranks, 1, 0)
		_, err2 := acp.NewMap[int, *int](p.Process, ranks, 1, 0)
		_, err3 := acp.NewSet[struct {
			A byte
			B int
		}](p.Process, ranks, 1, 0)
		_, err4 := acp.NewMultiset[struct{}](p.Process, ranks, 1, 0)
		_, err5 := acp.MapAt[[]int, int](p.Process, acp.TableAddress{})
		for i, err := range []error{err1, err2, err3, err4, err5} {
			if !errors.Is(err, acp.ErrBadType) {
				return fmt.Errorf("type %d: %v", i, err)
			}
		}
		return nil
	})
}
