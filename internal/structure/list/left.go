package list

import (
	"errors"

	"github.com/goacp/goacp/internal/fabric"
)

// An element on a rank that has left the run or is lost is gone, and so are its links. Operations that meet it fail with
// fabric.ErrMemberGone, and change nothing. Those that need no element any more, such as destroy, leave it out.

// isGone reports whether an error says that the memory of a rank is gone.
func isGone(err error) bool { return errors.Is(err, fabric.ErrMemberGone) }

// left returns all elements. If some are gone, it returns those to which links lead from both ends of the list; nothing leads to elements
// between two that are gone.
func (l *ring) left() ([]Element, error) {
	elements, err := l.all(false)
	if !isGone(err) {
		return elements, err
	}
	front, err := l.untilGone(false)
	if err != nil {
		return nil, err
	}
	behind, err := l.untilGone(true)
	if err != nil {
		return nil, err
	}
	if uint64(len(front)+len(behind)) >= l.n {
		return nil, broken(l.ga)
	}
	return append(front, behind...), nil
}

// toward returns the link to the next node, or to the one before if back is true.
func (n node) toward(back bool) uint64 {
	if back {
		return n.prev
	}
	return n.next
}

// untilGone returns the elements from one end of the list to before the first that is gone. It checks all links.
func (l *ring) untilGone(back bool) ([]Element, error) {
	r := l.heaps.Read(l.ga, l.n, back, false)
	var all []Element
	for ga, last := l.node.toward(back), l.ga; ga != l.ga && uint64(len(all)) < l.n; {
		e, err := r.Element(ga)
		if isGone(err) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		n := node{next: e.Next, prev: e.Prev}
		if n.toward(!back) != last {
			return nil, broken(ga)
		}
		all = append(all, e)
		ga, last = n.toward(back), ga
	}
	return nil, broken(l.ga)
}
