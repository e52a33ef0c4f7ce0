package acp_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// manyUser is one rank of TestManyKeys. It has two maps, two sets and two multisets with equal contents. One
// of each pair is changed by operations on many keys, the other by operations on single keys.
type manyUser struct {
	p     *member
	rnd   *rand.Rand
	maps  [2]*acp.Map[string, string]
	sets  [2]*acp.Set[int64]
	multi [2]*acp.Multiset[int64]
}

// TestManyKeys: an operation on many keys has the same effects and results as operations on each key, one
// after the other.
func TestManyKeys(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	steps := map[bridge.Mode]int{bridge.ModeSHM: 120, bridge.ModeTCP: 30}
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *member) error {
			u := &manyUser{p: p, rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
			if err := u.play(steps[mode]); err != nil {
				return err
			}
			return heapIsWhole(p)
		})
	})
}

func (u *manyUser) play(steps int) error {
	ranks := [][]acp.Rank{{0, 1, 2}, {2, 0, 2}, {1}}
	for i := range 2 {
		on, slots := ranks[u.rnd.IntN(len(ranks))], 1+u.rnd.IntN(40)
		u.maps[i] = must(acp.NewMap[string, string](u.p.Process, on, slots, acp.Rank(u.rnd.IntN(3))))
		u.sets[i] = must(acp.NewSet[int64](u.p.Process, on, slots, acp.Rank(u.rnd.IntN(3))))
		u.multi[i] = must(acp.NewMultiset[int64](u.p.Process, on, slots, acp.Rank(u.rnd.IntN(3))))
	}
	doers := []func() error{u.insert, u.store, u.load, u.remove, u.insert, u.load, u.changeSet, u.changeMultiset}
	for i := range steps {
		if err := doers[u.rnd.IntN(len(doers))](); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	if err := u.same(); err != nil {
		return err
	}
	var failed []error
	for i := range 2 {
		failed = append(failed, u.maps[i].Destroy(), u.sets[i].Destroy(), u.multi[i].Destroy())
	}
	return errors.Join(failed...)
}

// same compares the contents of the structures.
func (u *manyUser) same() error {
	a, b := maps.Collect(u.maps[0].All()), maps.Collect(u.maps[1].All())
	if !maps.Equal(a, b) || u.maps[0].Err() != nil || u.maps[1].Err() != nil {
		return fmt.Errorf("maps of %d and %d pairs differ", len(a), len(b))
	}
	c, d := slices.Sorted(u.sets[0].All()), slices.Sorted(u.sets[1].All())
	e, f := maps.Collect(u.multi[0].All()), maps.Collect(u.multi[1].All())
	if !slices.Equal(c, d) || !maps.Equal(e, f) {
		return fmt.Errorf("sets of %d and %d keys, or multisets of %d and %d, differ", len(c), len(d), len(e), len(f))
	}
	return nil
}

// keys returns keys, some of them several times, and some empty.
func (u *manyUser) keys() []string {
	keys := make([]string, u.rnd.IntN(150))
	for i := range keys {
		keys[i] = fmt.Sprintf("key %d", u.rnd.IntN(120))
		switch u.rnd.IntN(300) {
		case 0:
			keys[i] = ""
		case 1:
			keys[i] += strings.Repeat(".", 33<<10)
		}
	}
	return keys
}

// numbers returns keys, sometimes more than a message has room for.
func (u *manyUser) numbers() []int64 {
	n := 100
	if u.rnd.IntN(10) == 0 {
		n = 2000
	}
	numbers := make([]int64, u.rnd.IntN(n))
	for i := range numbers {
		numbers[i] = u.rnd.Int64N(700)
	}
	return numbers
}

// values returns n values, some of them longer than messages and some empty.
func (u *manyUser) values(n int) []string {
	values := make([]string, n)
	for i := range values {
		size := 1 + u.rnd.IntN(200)
		switch u.rnd.IntN(150) {
		case 0:
			size = 0
		case 1, 2:
			size = u.rnd.IntN(40 << 10)
		}
		values[i] = strings.Repeat(string(rune('a'+u.rnd.IntN(26))), size)
	}
	return values
}

// compare calls one for each of n keys, and compares its results with the results of an operation on all
// keys.
func compare[R any](n int, got []R, err error, one func(i int) (R, error)) error {
	var many *acp.ManyError
	if errors.As(err, &many); err != nil && (many == nil || many.Of != n) {
		return fmt.Errorf("of %d keys: %w", n, err)
	}
	if len(got) != n {
		return fmt.Errorf("%d results for %d keys", len(got), n)
	}
	var failed []int
	var first error
	for i := range n {
		want, err := one(i)
		if err != nil {
			if failed = append(failed, i); first == nil {
				first = err
			}
			want = *new(R)
		}
		if !reflect.DeepEqual(got[i], want) {
			return fmt.Errorf("key %d of %d: %.40v in place of %.40v, %v", i, n, fmt.Sprint(got[i]), fmt.Sprint(want), err)
		}
	}
	if many == nil {
		many = &acp.ManyError{}
	}
	if !slices.Equal(failed, many.Failed) || len(failed) > 0 && !errors.Is(many, acp.ErrBadSize) {
		return fmt.Errorf("keys %v failed in place of %v: %w", many.Failed, failed, errors.Join(err, first))
	}
	return nil
}

func (u *manyUser) insert() error {
	keys := u.keys()
	values := u.values(len(keys))
	added, err := u.maps[0].InsertMany(keys, values)
	return compare(len(keys), added, err, func(i int) (bool, error) { return u.maps[1].Insert(keys[i], values[i]) })
}

func (u *manyUser) store() error {
	keys := u.keys()
	values := u.values(len(keys))
	added, err := u.maps[0].StoreMany(keys, values)
	return compare(len(keys), added, err, func(i int) (bool, error) { return u.maps[1].Store(keys[i], values[i]) })
}

func (u *manyUser) load() error {
	keys := u.keys()
	type result struct {
		value string
		found bool
	}
	values, found, err := u.maps[0].LoadMany(keys)
	got := make([]result, len(values))
	for i := range got {
		got[i] = result{values[i], found[i]}
	}
	if err := compare(len(keys), got, err, func(i int) (r result, err error) {
		r.value, r.found, err = u.maps[1].Load(keys[i])
		return r, err
	}); err != nil {
		return err
	}
	there, err := u.maps[0].ContainsMany(keys)
	return compare(len(keys), there, err, func(i int) (bool, error) { return u.maps[1].Contains(keys[i]) })
}

func (u *manyUser) remove() error {
	keys := u.keys()
	removed, err := u.maps[0].RemoveMany(keys)
	return compare(len(keys), removed, err, func(i int) (bool, error) { return u.maps[1].Remove(keys[i]) })
}

func (u *manyUser) changeSet() error {
	keys := u.numbers()
	added, err := u.sets[0].InsertMany(keys)
	if err := compare(len(keys), added, err, func(i int) (bool, error) { return u.sets[1].Insert(keys[i]) }); err != nil {
		return err
	}
	keys = u.numbers()
	there, err := u.sets[0].ContainsMany(keys)
	if err := compare(len(keys), there, err, func(i int) (bool, error) { return u.sets[1].Contains(keys[i]) }); err != nil {
		return err
	}
	removed, err := u.sets[0].RemoveMany(keys)
	return compare(len(keys), removed, err, func(i int) (bool, error) { return u.sets[1].Remove(keys[i]) })
}

func (u *manyUser) changeMultiset() error {
	keys, times := u.numbers(), 1+u.rnd.Uint64N(3)
	added, err := u.multi[0].InsertMany(keys, times)
	if err := compare(len(keys), added, err, func(i int) (bool, error) { return u.multi[1].Insert(keys[i], times) }); err != nil {
		return err
	}
	keys = u.numbers()
	counts, err := u.multi[0].CountMany(keys)
	if err := compare(len(keys), counts, err, func(i int) (uint64, error) { return u.multi[1].Count(keys[i]) }); err != nil {
		return err
	}
	removed, err := u.multi[0].RemoveMany(keys, times)
	return compare(len(keys), removed, err, func(i int) (bool, error) { return u.multi[1].Remove(keys[i], times) })
}

// TestManyKeysTogether lets ranks use one structure at the same time: none of the keys that they insert
// and take away is lost or counted twice.
func TestManyKeysTogether(t *testing.T) {
	const rounds, keys = 20, 300
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		addresses := make(chan [2]acp.TableAddress, n)
		var sum atomic.Int64
		run(t, n, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *member) error {
			if p.Rank() == 0 {
				m := must(acp.NewMap[int64, int64](p.Process, []acp.Rank{0, 1, 2}, 50, 0))
				s := must(acp.NewMultiset[int64](p.Process, []acp.Rank{2, 1}, 20, 1))
				for range n {
					addresses <- [2]acp.TableAddress{m.Address(), s.Address()}
				}
			}
			at := <-addresses
			m := must(acp.MapAt[int64, int64](p.Process, at[0]))
			s := must(acp.MultisetAt[int64](p.Process, at[1]))
			all, won := make([]int64, keys), make([]int64, keys)
			for i := range all {
				all[i], won[i] = int64(i), int64(p.Rank())
			}
			mine := 0 // keys that this rank has put into the map, minus those it has taken out
			for range rounds {
				added, err := m.InsertMany(all, won)
				removed, err2 := m.RemoveMany(all[:keys/2])
				_, err3 := s.InsertMany(all, 1)
				if err := errors.Join(err, err2, err3); err != nil {
					return err
				}
				mine += count(added) - count(removed)
			}
			sum.Add(int64(mine))
			if err := p.Sync(); err != nil {
				return err
			}
			left, err := m.Len()
			times, err2 := s.CountMany(all)
			if err != nil || err2 != nil || int64(left) != sum.Load() {
				return fmt.Errorf("%d keys are left of %d: %w", left, sum.Load(), errors.Join(err, err2))
			}
			for i, got := range times {
				if got != uint64(n*rounds) {
					return fmt.Errorf("key %d: %d times", i, got)
				}
			}
			return p.Sync()
		})
	})
}

func count(all []bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}
