package acp_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestListOfValues uses lists of structs and of strings, from the rank that has made them
// and from the other one by their address.
func TestListOfValues(t *testing.T) {
	type point struct {
		X, Y int32
		Name [8]byte
	}
	alone(t, func(p *member) error {
		points := must(acp.NewList[point](p.Process, 1))
		var want []point
		for i := range 3000 { // more than fit into one reply of an agent
			x := point{X: int32(i * 7919 % 3000), Y: int32(i)}
			want = append(want, x)
			if err := points.PushBack(x, acp.Rank(i%2)); err != nil {
				return err
			}
		}
		same := must(acp.ListAt[point](p.Process, points.Address()))
		if got, err := same.Slice(); err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("%d values, %v", len(got), err)
		}
		byX := func(a, b point) int { return cmp.Compare(a.X, b.X) }
		slices.SortFunc(want, byX)
		if err := points.Sort(byX); err != nil {
			return err
		}
		i := len(want)
		for it, x := range same.Backward() {
			if i--; x != want[i] || i%500 == 0 && must(points.Load(it)) != x {
				return fmt.Errorf("value %d is %v, expected %v", i, x, want[i])
			}
		}
		first, last := must(points.PopFront()), must(points.PopBack())
		if n, err := points.Len(); first != want[0] || last != want[2999] || n != 2998 || i != 0 || err != nil {
			return fmt.Errorf("popped %v and %v of %d, %v", first, last, n, err)
		}
		return errors.Join(points.Destroy(), listOfTexts(p))
	})
}

func listOfTexts(p *member) error {
	long := strings.Repeat("long ", 20000)
	texts, others := must(acp.NewList[string](p.Process, 0)), must(acp.NewList[string](p.Process, 1))
	for i, s := range []string{"", "b", long, "a", "b", ""} {
		if err := errors.Join(texts.PushFront(s, acp.Rank(i%2)), others.PushBack(s, acp.Rank(i%2))); err != nil {
			return err
		}
	}
	if n, err := texts.Remove("b"); n != 2 || err != nil {
		return fmt.Errorf("removed %d, %v", n, err)
	}
	if err := errors.Join(texts.Sort(strings.Compare), others.Sort(strings.Compare)); err != nil {
		return err
	}
	if err := texts.Merge(others, strings.Compare); err != nil {
		return err
	}
	n, err := texts.Unique()
	if err != nil || n != 6 {
		return fmt.Errorf("%d were not unique, %v", n, err)
	}
	it := must(texts.Insert(texts.End(), "z", 1))
	if got := must(texts.Slice()); !slices.Equal(got, []string{"", "a", "b", long, "z"}) {
		return fmt.Errorf("%d texts: %.50q", len(got), got)
	}
	if err := others.Assign(texts); err != nil {
		return err
	}
	for place, s := range texts.All() {
		if len(s) != 1 {
			must(texts.Erase(place))
		}
	}
	if got := must(texts.Slice()); !slices.Equal(got, []string{"a", "b", "z"}) || texts.Err() != nil {
		return fmt.Errorf("texts left: %.50q, %v", got, texts.Err())
	}
	if err := texts.Swap(others); err != nil {
		return err
	}
	if s := must(others.Load(acp.ListIterator{GA: others.Address(), Elem: it.Elem})); s != "z" {
		return fmt.Errorf("the last is %q", s)
	}
	return errors.Join(texts.Destroy(), others.Destroy())
}

func TestListOfValuesErrors(t *testing.T) {
	alone(t, func(p *member) error {
		if _, err := acp.NewList[*int](p.Process, 0); !errors.Is(err, acp.ErrBadType) {
			return fmt.Errorf("a list of pointers: %v", err)
		}
		if _, err := acp.NewList[int](p.Process, 7); !errors.Is(err, acp.ErrBadRank) {
			return fmt.Errorf("a list on no rank: %v", err)
		}
		l := must(acp.NewList[string](p.Process, 1))
		if _, err := l.PopBack(); !errors.Is(err, acp.ErrEmpty) {
			return fmt.Errorf("pop of nothing: %v", err)
		}
		if _, err := l.Load(l.End()); !errors.Is(err, acp.ErrBadIterator) {
			return fmt.Errorf("value of the end: %v", err)
		}
		if err := errors.Join(l.PushBack("12345678", 1), l.PushBack("short", 0)); err != nil {
			return err
		}
		numbers := must(acp.ListAt[int64](p.Process, l.Address()))
		for range numbers.All() {
		}
		if err := numbers.Sort(cmp.Compare[int64]); err == nil || numbers.Err() == nil {
			return fmt.Errorf("texts as numbers: %v, %v", err, numbers.Err())
		}
		if got := must(l.Slice()); !slices.Equal(got, []string{"12345678", "short"}) {
			return fmt.Errorf("the texts are %q", got)
		}
		return l.Destroy()
	})
}

// TestListOfValuesCosts: pushing, reading and popping values on one host allocates no Go memory.
func TestListOfValuesCosts(t *testing.T) {
	besideIdle(t, acp.Config{Mode: bridge.ModeSHM}, func(p *member) error {
		l := must(acp.NewList[int64](p.Process, 1))
		n := testing.AllocsPerRun(100, func() {
			err := errors.Join(l.PushBack(1, 1), l.PushFront(2, 0))
			if x, y := must(l.PopBack()), must(l.PopFront()); err != nil || x != 1 || y != 2 {
				panic(fmt.Sprint(x, y, err))
			}
		})
		if n != 0 {
			return fmt.Errorf("%v allocations", n)
		}
		return l.Destroy()
	})
}
