package link

import (
	"context"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/system/couple/implicit"
)

// implicitLinks are the links of an iteration. A leading model with one rank has only the one to the other model.
type implicitLinks struct {
	part        *Sender   // of a rank of the leading side, to its first rank
	parts       *Receiver // of the first rank
	toOwn       *Sender   // of the first rank, to the leading side
	fromFirst   *Receiver // of a rank of the leading side
	toOther     *Sender   // of the first rank, to the other side
	fromLeading *Receiver // of a rank of the other side

	opening *Group // while the first Begin has not ended
	stage   int    // transfers of the present messages that are over

	partValues, partsValues, decision, own []float64
	verdict                                [2]float64
}

// Transfers of a rank of the leading side, in their order in an iteration.
const (
	sendPart = iota
	receiveParts
	sendToOther
	sendToOwn
	receiveFromFirst
)

// names returns the names of the fields of the links on this side: of the decision for the other side, of the part of a rank, of the
// parts of all ranks, and of the decision for this side at both ends.
func (i *Implicit) names() []string {
	across := fmt.Sprintf("iteration with %s", i.other)
	if !i.leads {
		return []string{across}
	}
	return []string{across, across + ": part", across + ": parts", across + ": decision", across + ": copy of the decision"}
}

// connect opens the links, in the first step. If ctx ends before, it returns the error of ctx, and the next call continues.
func (i *Implicit) connect(ctx context.Context) error {
	w := &i.links
	if w.opening == nil {
		if err := i.open(); err != nil {
			return i.wrap(err)
		}
	}
	err := Wait(ctx, w.opening)
	if errors.Is(err, ErrUnfinished) {
		return i.wrap(fmt.Errorf("some ranks have not begun their first step: %w", ctx.Err()))
	}
	w.opening = nil
	i.connected = err == nil
	return i.wrap(err)
}

// open begins to open the links.
func (i *Implicit) open() error {
	g, w := Begin(context.Background()), &i.links
	var err error
	if i.leads {
		err = i.openLeading(g)
	} else {
		err = receiveNumbers(g, i.model, i.names()[0], fmt.Sprintf("%s.iteration with %s", i.other, i.model.name), 0, 1, len(w.verdict), w.verdict[:], &w.fromLeading)
	}
	if err != nil {
		return errors.Join(err, g.Wait())
	}
	w.opening = g
	return nil
}

// openLeading begins to open the links of a rank of the leading side.
func (i *Implicit) openLeading(g *Group) error {
	m, w := i.model, &i.links
	var lengths []int
	for _, f := range i.fields {
		lengths = append(lengths, len(f.values))
	}
	if len(i.fields) == 0 || len(i.plan.Criteria) == 0 {
		return fmt.Errorf("%w: %d fields and %d measures; expected at least one of each", ErrOptions, len(i.fields), len(i.plan.Criteria))
	}
	i.rank = implicit.NewRank(i.plan, lengths)
	first := int64(0)
	if m.index == 0 {
		i.leader = implicit.NewLeader(i.plan, len(i.fields))
		first = 1
	}
	names := i.names()
	if err := sendNumbers(g, m, names[0], fmt.Sprintf("%s.iteration with %s", i.other, m.name), 0, first, len(w.verdict), w.verdict[:], &w.toOther); err != nil {
		return err
	}
	ranks := int64(len(m.members))
	if ranks == 1 {
		return nil
	}
	n, k := i.plan.PartLen(len(i.fields)), i.plan.DecisionLen()
	w.partValues, w.decision, w.own = make([]float64, n), make([]float64, k), make([]float64, k)
	w.partsValues = make([]float64, int64(n)*ranks*first)
	part, parts, decision, own := names[1], names[2], names[3], names[4]
	return errors.Join(
		sendNumbers(g, m, part, m.name+"."+parts, int64(m.index), 1, n, w.partValues, &w.part),
		receiveNumbers(g, m, parts, m.name+"."+part, 0, ranks*first, n, w.partsValues, &w.parts),
		sendNumbers(g, m, decision, m.name+"."+own, 0, first, k, w.decision, &w.toOwn),
		receiveNumbers(g, m, own, m.name+"."+decision, 0, 1, k, w.own, &w.fromFirst),
	)
}

// sendNumbers begins to open the sending side of a link whose points, from first on, have n numbers each.
func sendNumbers(g *Group, m *Model, name, to string, first, count int64, n int, values []float64, end **Sender) error {
	f, err := m.numbersField(name, first, count, n, values)
	if err != nil {
		return err
	}
	Open(g, f, func(ctx context.Context) (*Sender, error) { return f.SendTo(ctx, to, Options{}) }, func(s *Sender) { *end = s })
	return nil
}

// receiveNumbers is sendNumbers for the receiving side.
func receiveNumbers(g *Group, m *Model, name, from string, first, count int64, n int, values []float64, end **Receiver) error {
	f, err := m.numbersField(name, first, count, n, values)
	if err != nil {
		return err
	}
	Open(g, f, func(ctx context.Context) (*Receiver, error) { return f.ReceiveFrom(ctx, from, Options{}) }, func(r *Receiver) { *end = r })
	return nil
}

// once makes a transfer of the present messages, unless an earlier call with a context that has ended has made it.
func (w *implicitLinks) once(stage int, transfer func() error) error {
	if w.stage > stage {
		return nil
	}
	if err := transfer(); err != nil {
		return err
	}
	w.stage = stage + 1
	return nil
}

// receiveVerdict returns the verdict and the iteration, on a rank of the other side.
func (w *implicitLinks) receiveVerdict(ctx context.Context, message int64) ([2]float64, error) {
	err := w.fromLeading.Receive(ctx, message)
	return w.verdict, err
}

// collectParts returns the parts of all ranks on the first rank, and nothing on others.
func (w *implicitLinks) collectParts(ctx context.Context, message int64, part []float64) ([][]float64, error) {
	if w.part == nil {
		return [][]float64{part}, nil
	}
	copy(w.partValues, part)
	if err := w.once(sendPart, func() error { return w.part.Send(ctx, message) }); err != nil {
		return nil, err
	}
	if err := w.once(receiveParts, func() error { return w.parts.Receive(ctx, message) }); err != nil {
		return nil, err
	}
	var parts [][]float64
	for n := len(part); len(parts)*n < len(w.partsValues); {
		parts = append(parts, w.partsValues[len(parts)*n:][:n])
	}
	return parts, nil
}

// sendDecision sends the numbers of a decision from the first rank to all others of both sides.
func (w *implicitLinks) sendDecision(ctx context.Context, message int64, numbers []float64) error {
	copy(w.verdict[:], numbers)
	if err := w.once(sendToOther, func() error { return w.toOther.Send(ctx, message) }); err != nil {
		return err
	}
	if w.toOwn == nil {
		return nil
	}
	copy(w.decision, numbers)
	if err := w.once(sendToOwn, func() error { return w.toOwn.Send(ctx, message) }); err != nil {
		return err
	}
	if err := w.once(receiveFromFirst, func() error { return w.fromFirst.Receive(ctx, message) }); err != nil {
		return err
	}
	copy(numbers, w.own)
	return nil
}

// close closes the links that are open.
func (w *implicitLinks) close(ctx context.Context) error {
	var errs []error
	for _, s := range []*Sender{w.part, w.toOwn, w.toOther} {
		if s != nil {
			errs = append(errs, s.Close(ctx))
		}
	}
	for _, r := range []*Receiver{w.parts, w.fromFirst, w.fromLeading} {
		if r != nil {
			errs = append(errs, r.Close(ctx))
		}
	}
	return errors.Join(errs...)
}
