package acp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
)

// TestListsOfRanksThatLeave: lists have elements on a rank that leaves. Functions that meet them fail with an error that names the rank. Clear
// and Destroy free the memory of the other elements, also on a rank that is not the caller.
func TestListsOfRanksThatLeave(t *testing.T) {
	eachElastic(t, 4, 4, func(_ *elasticRun, p *acp.Process) error {
		const element, block = elasticHeap / 4, elasticHeap / 8 * 7 // a heap has no room for both
		var lists [2]acp.ByteList
		if p.Rank() == 0 {
			for i := range lists {
				var err error
				if lists[i], err = p.NewByteList(acp.Rank(i)); err != nil {
					return err
				}
				for rank := range acp.Rank(4) {
					if err := lists[i].PushBackBytes(make([]byte, []int{element, 8}[i]), rank); err != nil {
						return fmt.Errorf("list %d, element %d: %w", i, rank, err)
					}
				}
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		stay := p.Rank() != 2
		if _, err := p.Adopt(stay); err != nil || p.Rank() != 0 {
			return err
		}
		for i, l := range lists {
			if err := meetsRankThatLeft(l, 2); err != nil {
				return fmt.Errorf("list %d: %w", i, err)
			}
		}
		if err := errors.Join(lists[1].Clear(), lists[1].PushBackBytes([]byte("new"), 3)); err != nil {
			return err
		}
		if n, err := lists[1].Len(); n != 1 || err != nil {
			return fmt.Errorf("a list that is cleared has %d elements: %w", n, err)
		}
		if err := errors.Join(lists[0].Destroy(), lists[1].Destroy()); err != nil {
			return err
		}
		if err := lists[0].Destroy(); err == nil {
			return errors.New("a list is destroyed twice")
		}
		for _, rank := range []acp.Rank{0, 1, 3} {
			if _, err := p.Malloc(block, rank); err != nil {
				return err
			}
		}
		return nil
	})
}

// meetsRankThatLeft calls functions that meet the element on a rank that has left, which is the third of four.
func meetsRankThatLeft(l acp.ByteList, rank acp.Rank) error {
	gone := func(what string, err error) error {
		if !errors.Is(err, acp.ErrRankGone) || !strings.Contains(err.Error(), fmt.Sprintf("rank %d", rank)) {
			return fmt.Errorf("%s: %v", what, err)
		}
		return nil
	}
	it, err := l.Begin()
	for range 2 {
		if err == nil {
			it, err = l.Next(it)
		}
	}
	if err != nil {
		return fmt.Errorf("a step to the element: %w", err)
	}
	_, err1 := l.Deref(it)
	_, err2 := l.Next(it)
	_, err3 := l.RemoveBytes([]byte("some value"))
	_, err4 := l.Erase(it)
	if n, err := l.Len(); n != 4 || err != nil {
		return fmt.Errorf("%d elements: %w", n, err)
	}
	return errors.Join(gone("the element", err1), gone("a step from it", err2), gone("a search", err3), gone("its removal", err4), gone("reverse", l.Reverse()))
}
