package acp_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/goacp/goacp/acp"
)

// asOneRank calls body in a run of one rank.
func asOneRank(body func(p *acp.Process) error) {
	p, err := acp.Init(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(body(p), p.Finalize()); err != nil {
		log.Fatal(err)
	}
}

// A vector lies on one rank, and every rank uses it. The other ranks get its address.
func ExampleVector() {
	asOneRank(func(p *acp.Process) error {
		v, err := acp.NewVector[float64](p, 0, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(v.PushBack(1.5, 2.5, 3.5), v.Store(1, 20)); err != nil {
			return err
		}
		same, err := acp.VectorAt[float64](p, v.Address())
		if err != nil {
			return err
		}
		for i, x := range same.All() {
			fmt.Println(i, x)
		}
		return errors.Join(same.Err(), v.Destroy())
	})
	// Output:
	// 0 1.5
	// 1 20
	// 2 3.5
}

// A deque is a queue at both ends.
func ExampleDeque() {
	type task struct{ first, last int32 }
	asOneRank(func(p *acp.Process) error {
		q, err := acp.NewDeque[task](p, 100, 0) // empty, with room for 100
		if err != nil {
			return err
		}
		if err := errors.Join(q.PushBack(task{0, 9}, task{10, 19}), q.PushFront(task{20, 29})); err != nil {
			return err
		}
		for {
			next, err := q.PopFront()
			if errors.Is(err, acp.ErrEmpty) {
				return q.Destroy()
			}
			if err != nil {
				return err
			}
			fmt.Printf("lines %d to %d\n", next.first, next.last)
		}
	})
	// Output:
	// lines 20 to 29
	// lines 0 to 9
	// lines 10 to 19
}

// Each element of a list lies on a rank that the program chooses.
func ExampleList() {
	asRanks(2, func(p *acp.Process) error {
		if p.Rank() != 0 {
			return p.Sync()
		}
		l, err := acp.NewList[string](p, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(l.PushBack("pear", 0), l.PushBack("apple", 1), l.PushFront("plum", 1)); err != nil {
			return err
		}
		if err := l.Sort(cmp.Compare[string]); err != nil {
			return err
		}
		for it, name := range l.All() {
			rank, err := p.QueryRank(it.Elem)
			if err != nil {
				return err
			}
			fmt.Println(name, "on rank", rank)
		}
		return errors.Join(l.Err(), l.Destroy(), p.Sync())
	})
	// Output:
	// apple on rank 1
	// pear on rank 0
	// plum on rank 1
}

// Insert reports whether the key is new.
func ExampleSet() {
	asOneRank(func(p *acp.Process) error {
		s, err := acp.NewSet[int64](p, []acp.Rank{0}, 100, 0) // 100 slots on each rank
		if err != nil {
			return err
		}
		for _, key := range []int64{3, 1, 3} {
			added, err := s.Insert(key)
			if err != nil {
				return err
			}
			fmt.Println(key, "is new:", added)
		}
		n, err := s.Len()
		if err != nil {
			return err
		}
		fmt.Println(n, "keys")
		return s.Destroy()
	})
	// Output:
	// 3 is new: true
	// 1 is new: true
	// 3 is new: false
	// 2 keys
}

// A multiset counts how often each key was inserted.
func ExampleMultiset() {
	asOneRank(func(p *acp.Process) error {
		m, err := acp.NewMultiset[string](p, []acp.Rank{0}, 100, 0)
		if err != nil {
			return err
		}
		for _, word := range []string{"to", "be", "or", "not", "to", "be"} {
			if _, err := m.Insert(word, 1); err != nil {
				return err
			}
		}
		for word, times := range m.All() {
			fmt.Println(word, times)
		}
		return errors.Join(m.Err(), m.Destroy())
	})
	// Unordered output:
	// to 2
	// be 2
	// or 1
	// not 1
}

// One rank makes the map, and the others find it at its address, three words.
func ExampleMap() {
	type point struct{ x, y int32 }
	asOneRank(func(p *acp.Process) error {
		made, err := acp.NewMap[string, point](p, []acp.Rank{0}, 100, 0)
		if err != nil {
			return err
		}
		m, err := acp.MapAt[string, point](p, made.Address())
		if err != nil {
			return err
		}
		if _, err := m.Insert("here", point{1, 2}); err != nil { // keeps a value that is there
			return err
		}
		if _, err := m.Store("here", point{3, 4}); err != nil { // replaces it
			return err
		}
		at, found, err := m.Load("here")
		if err != nil {
			return err
		}
		fmt.Println(at, found)
		_, found, err = m.Load("there")
		fmt.Println(found)
		return errors.Join(err, m.Destroy())
	})
	// Output:
	// {3 4} true
	// false
}
