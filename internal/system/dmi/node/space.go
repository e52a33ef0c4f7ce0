package node

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/system/dmi/address"
)

// space is one space as a process knows it. It does not change until it ends.
type space struct {
	description
	base  int64
	ended atomic.Bool
	pages sync.Map // by number: the *entry of each page that this process has used
}

// description is what the process that holds the shard of a space tells others.
type description struct {
	size     int64 // bytes
	pageSize int64
	malloced bool // DMI_malloc has made it
}

// pageBytes returns the number of bytes of a page: the last one may be shorter.
func (s *space) pageBytes(page int64) int64 { return min(s.pageSize, s.size-page*s.pageSize) }

// count returns the number of pages.
func (s *space) count() int64 { return (s.size + s.pageSize - 1) / s.pageSize }

// entry returns the entry of a page, 0 ≤ page < count.
func (s *space) entry(page int64) *entry {
	if e, ok := s.pages.Load(page); ok {
		return e.(*entry)
	}
	e, _ := s.pages.LoadOrStore(page, newEntry(s, page))
	return e.(*entry)
}

// known returns an entry if there is one, otherwise nil.
func (s *space) known(page int64) *entry {
	if e, ok := s.pages.Load(page); ok {
		return e.(*entry)
	}
	return nil
}

// fewPages is a number of pages which are faster found by their numbers than among all pages that a process has used.
const fewPages = 1 << 10

// knownIn calls f for each page of a range that this process has used. It takes no time for others if the range is long.
func (s *space) knownIn(first, last int64, f func(e *entry)) {
	if last-first < fewPages {
		for number := first; number <= last; number++ {
			if e := s.known(number); e != nil {
				f(e)
			}
		}
		return
	}
	s.pages.Range(func(number, e any) bool {
		if n := number.(int64); first <= n && n <= last {
			f(e.(*entry))
		}
		return true
	})
}

// find returns the space of an address and the offset in it.
func (n *Node) find(addr int64) (*space, int64, error) {
	base, offset, ok := address.Split(addr)
	if !ok {
		return nil, 0, spaceError(addr)
	}
	s, err := n.space(base)
	if err != nil || offset > s.size {
		return nil, 0, spaceError(addr)
	}
	return s, offset, nil
}

// check returns the space of a range and the offset in it.
func (n *Node) check(addr, size int64) (*space, int64, error) {
	s, offset, err := n.find(addr)
	if err == nil {
		err = s.checkRange(offset, size)
	}
	if err != nil {
		return nil, 0, err
	}
	return s, offset, nil
}

// checkRange returns an error unless the space has the bytes from offset on.
func (s *space) checkRange(offset, size int64) error {
	switch {
	case size < 0:
		return ErrSize
	case size > s.size-offset:
		return ErrRange
	}
	return nil
}

// checkPage returns an error unless one page has the bytes from offset on.
func (s *space) checkPage(offset, size int64) error {
	if at := offset % s.pageSize; size == 0 || size > s.pageSize-at {
		return fmt.Errorf("%w of %d bytes: %d bytes at %d", ErrPages, s.pageSize, size, at)
	}
	return nil
}

// part is the part of a range in one page.
type part struct {
	*entry
	at   int64 // first byte in the page
	b    []byte
	from int64 // where b begins in the range
}

// parts calls f for the part of b in each page of the space from offset on, in ascending order.
func (s *space) parts(offset int64, b []byte, f func(p part) error) error {
	for from := int64(0); from < int64(len(b)); {
		page, at := (offset+from)/s.pageSize, (offset+from)%s.pageSize
		size := min(int64(len(b))-from, s.pageSize-at)
		if err := f(part{s.entry(page), at, b[from : from+size], from}); err != nil {
			return err
		}
		from += size
	}
	return nil
}
