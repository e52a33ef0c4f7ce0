package armci

import (
	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/structure/reduction"
	"github.com/goacp/goacp/internal/system/armci/group"
)

// Real is the types that Reduce combines.
type Real interface {
	~int32 | ~int64 | ~int | ~float32 | ~float64
}

// Operator is the operation of Reduce on two numbers.
type Operator int

// The operators. The last four are for integers alone.
const (
	Sum        = Operator(reduction.Sum)
	Product    = Operator(reduction.Product)
	Max        = Operator(reduction.Max)
	Min        = Operator(reduction.Min)
	AbsMax     = Operator(reduction.AbsMax) // the greatest absolute value, also with one process
	AbsMin     = Operator(reduction.AbsMin) // the smallest absolute value
	LogicalAnd = Operator(reduction.LogicalAnd)
	LogicalOr  = Operator(reduction.LogicalOr)
	BitAnd     = Operator(reduction.BitAnd)
	BitOr      = Operator(reduction.BitOr)
)

// ErrOperator: there is no such operator, or not for this type.
var ErrOperator = reduction.ErrOperator

// ErrSelection: processes pass keys of different types to Select, or different values of best.
var ErrSelection = message.ErrSelection

// Party is the set of processes that take part in a collective function: the processes of a *World, of
// a *Group, or of a *Team of a group. If this process does not take part, the function returns at once
// and changes nothing.
type Party interface {
	// party returns the world and the team, which is nil if this process does not take part.
	party() (*World, *group.Team, error)
}

func (w *World) party() (*World, *group.Team, error) { return w.Group().party() }

func (g *Group) party() (*World, *group.Team, error) {
	t, err := g.g.Scope(group.All)
	return g.w, t, err
}

func (t *Team) party() (*World, *group.Team, error) { return t.w, t.t, nil }

// together calls f with the team of a party, unless this process does not take part.
func together[T any](op string, p Party, f func(h *message.Engine, t *group.Team) error) error {
	w, t, err := p.party()
	if err == nil {
		_, err = w.live()
	}
	if err == nil {
		err = checkType[T]()
	}
	if err == nil && t != nil {
		err = f(w.groups.Engine(), t)
	}
	return w.failed(op, err)
}

// Broadcast copies the elements of data of process root, a number in the world, to data of all
// processes. All pass slices of the same length. Fails with ErrUnequal, with ErrProc if root takes no
// part, and with ErrBadType. Collective. Blocks until root and some other processes have called it, but
// not always for all. Not for concurrent use. ARMCI API: armci_msg_bcast.
func Broadcast[T any](p Party, data []T, root int) error {
	return together[T]("broadcast", p, func(h *message.Engine, t *group.Team) error {
		rank, err := t.Root(root)
		if err != nil {
			return err
		}
		return h.Broadcast(t.Team, memoryOf(data), rank)
	})
}

// Reduce combines the slices of all processes, element by element, and stores the result in data on all
// processes. All pass slices of the same length. The result has the same bits on all processes, and in
// every run with the same number of processes. Fails with ErrUnequal and ErrOperator. Collective.
// Blocks until all processes have called it. Not for concurrent use. ARMCI API: armci_msg_dgop.
func Reduce[T Real](p Party, op Operator, data []T) error {
	return together[T]("reduce", p, func(h *message.Engine, t *group.Team) error {
		f, err := reduction.For(reduction.Operator(op), reductionType[T]())
		if err != nil {
			return err
		}
		return h.Reduce(t.Team, memoryOf(data), f)
	})
}

// reductionType returns the type that ARMCI has for T.
func reductionType[T Real]() reduction.Type { return reduction.TypeOf(datatype.Of[T]()) }

// Select copies the elements of data of one process to data of all processes. The source is the
// contributing process with the greatest key, or with the smallest if best is Min; if several keys are
// equal, the first of these processes. It returns the number of that process. If no process
// contributes, it returns -1, and data does not change. NaN is the smallest key. All pass keys of the
// same type, the same best and slices of the same length. Programs in C, whose keys are the first bytes
// of their data, may take part. Fails with ErrSelection on all processes if types or best differ, with
// ErrUnequal, with ErrOperator if best is neither Max nor Min, and with ErrBadType. Collective. Blocks
// until all processes have called it. Not for concurrent use. ARMCI API: armci_msg_sel.
func Select[K Real, T any](p Party, best Operator, key K, contribute bool, data []T) (winner int, err error) {
	winner = -1
	err = together[T]("select", p, func(h *message.Engine, t *group.Team) error {
		c := message.Candidate{Type: reductionType[K](), Best: reduction.Operator(best), Takes: contribute}
		copy(c.Key[:], memoryOf([]K{key}))
		rank, err := h.Select(t.Team, memoryOf(data), c)
		if err == nil && rank >= 0 {
			winner = t.Procs[rank]
		}
		return err
	})
	return winner, err
}

// Exchange returns the values that all members pass, by rank. Fails with ErrBadType. Collective. Blocks
// until every member has called it. Not for concurrent use. ARMCI API: armci_exchange_address.
func Exchange[T any](of Members, value T) ([]T, error) {
	w, g := of.members()
	_, err := w.live()
	if err == nil {
		err = checkType[T]()
	}
	if err != nil {
		return nil, w.failed("exchange", err)
	}
	all, err := g.Exchange(memoryOf([]T{value}))
	if err != nil {
		return nil, w.failed("exchange", err)
	}
	values := make([]T, g.Size())
	copy(memoryOf(values), all)
	return values, nil
}
