package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/implicit"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// Implicit lets two models repeat each step until both agree. One of them leads: it has the fields that are iterated, and its first
// rank decides. The ranks of the leading model send it their parts by a link, and it sends the decision to all ranks of both
// models by two more. Both models exchange their fields by links of their own, whose steps are rounds: iterations, counted over
// all steps. One goroutine at a time calls the methods.
type Implicit struct {
	model     *Model
	other     string
	leads     bool
	connected bool // its links are open

	plan   implicit.Plan
	fields []iterated
	kept   []checkpoint
	round  int64
	step   stepState
	last   StepIterations

	rank     *implicit.Rank     // of the leading side, from the first step on
	leader   *implicit.Leader   // of its first rank
	sent     int64              // messages by each of the links
	part     []float64          // of this rank, while Iterate has not ended
	decision *implicit.Decision // of the first rank, while Iterate has not ended
	links    implicitLinks
}

// stepState says which calls may follow.
type stepState int

const (
	between stepState = iota // steps: Begin
	within                   // a step: Iterate
	broken                   // after an error: none
)

// iterated is a field of the leading side.
type iterated struct {
	name   string
	values []float64
}

// checkpoint is memory of the program that each iteration of a step begins with.
type checkpoint struct {
	memory []byte
	saved  []byte
}

// StepIterations says how the last step has ended.
type StepIterations struct {
	Iterations int
	Converged  bool
}

// ErrDiverged: values of an iteration are no finite numbers.
var ErrDiverged = errors.New("the iteration diverges")

// Implicit returns the iteration with another model, before either model is sealed. Exactly one of both leads. Does not block.
func (m *Model) Implicit(other string, leads bool) (*Implicit, error) {
	if err := checkName("model", other); err != nil {
		return nil, err
	}
	if other == m.name {
		return nil, fmt.Errorf("%w: model %s iterates with itself", ErrModel, m.name)
	}
	if m.sealed {
		return nil, fmt.Errorf("%w: an iteration of model %s is declared after Seal", ErrModel, m.name)
	}
	i := &Implicit{model: m, other: other, leads: leads, plan: implicit.Plan{Method: implicit.IQNILS, Relaxation: 0.5, Columns: 20}}
	for _, name := range i.names() {
		m.announce(name)
	}
	return i, nil
}

// wrap returns an error with the names of the models.
func (i *Implicit) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("iteration of %s with %s: %w", i.model.name, i.other, err)
}

// choosing returns an error unless the plan may be changed.
func (i *Implicit) choosing() error {
	switch {
	case !i.leads:
		return i.wrap(fmt.Errorf("%w: this model follows; the leading one chooses", ErrOptions))
	case i.connected || i.links.opening != nil:
		return i.wrap(fmt.Errorf("%w: the first step has begun", ErrOptions))
	}
	return nil
}

// Accelerate chooses the method, the relaxation, for IQNILS from how many earlier steps columns are used, and the most columns; 0: 20. Fails
// with ErrOptions. Does not block.
func (i *Implicit) Accelerate(method implicit.Method, relaxation float64, reuse, columns int) error {
	if err := i.choosing(); err != nil {
		return err
	}
	p := i.plan
	p.Method, p.Relaxation, p.Reuse, p.Columns = method, relaxation, reuse, columns
	if columns == 0 {
		p.Columns = 20
	}
	if err := p.Check(); err != nil {
		return i.wrap(fmt.Errorf("%w: %w", ErrOptions, err))
	}
	i.plan = p
	return nil
}

// Limit bounds the iterations of a step; 0: no bound. Fails with ErrOptions. Does not block.
func (i *Implicit) Limit(most int) error {
	if err := i.choosing(); err != nil {
		return err
	}
	if most < 0 {
		return i.wrap(fmt.Errorf("%w: at most %d iterations", ErrOptions, most))
	}
	i.plan.Most = most
	return nil
}

// Add adds a field that is iterated: the values of this rank, which may have none. All ranks add the same fields in the same order.
// Fails with ErrOptions. Does not block.
func (i *Implicit) Add(name string, values []float64) error {
	if err := i.choosing(); err != nil {
		return err
	}
	if len(i.fields) == implicit.MostFields || name == "" || i.field(name) >= 0 {
		return i.wrap(fmt.Errorf("%w: field %q after %d others; expected a name that no other has, and at most %d fields", ErrOptions, name, len(i.fields), implicit.MostFields))
	}
	i.fields = append(i.fields, iterated{name, values})
	return nil
}

// field returns the place of the field with a name, -1 if there is none.
func (i *Implicit) field(name string) int {
	return slices.IndexFunc(i.fields, func(f iterated) bool { return f.name == name })
}

// Measure adds a condition for the end of a step: the measure of a field is at most the limit. Fails with ErrOptions. Does not block.
func (i *Implicit) Measure(name string, measure implicit.Measure, limit float64) error {
	if err := i.choosing(); err != nil {
		return err
	}
	c := implicit.Criterion{Field: i.field(name), Measure: measure, Limit: limit}
	err := c.Check()
	if c.Field < 0 {
		err = fmt.Errorf("no field %q has been added", name)
	}
	if err != nil {
		return i.wrap(fmt.Errorf("%w: %w", ErrOptions, err))
	}
	i.plan.Criteria = append(i.plan.Criteria, c)
	return nil
}

// Keep adds memory that Begin saves, and that Iterate restores before the step is repeated. Does not block.
func (i *Implicit) Keep(memory []byte) error {
	if i.step != between {
		return i.wrap(fmt.Errorf("%w: memory is added within a step", ErrOptions))
	}
	i.kept = append(i.kept, checkpoint{memory: memory})
	return nil
}

// Round returns the number that links get as a step in the present iteration.
func (i *Implicit) Round() int64 { return i.round }

// Last returns how the last step has ended.
func (i *Implicit) Last() StepIterations { return i.last }

// Begin begins a step. The values of the fields are those that this side sends in the first iteration. The first call opens the links, and
// blocks until all ranks of both models have called it; others do not block. Fails with ErrOptions, and as SendTo. If ctx ends before, it
// returns the error of ctx, and the caller calls it again.
func (i *Implicit) Begin(ctx context.Context) error {
	if i.step != between {
		return i.wrap(fmt.Errorf("%w: a step begins before the last one is over, or after an error", ErrOptions))
	}
	if !i.connected {
		if err := i.connect(ctx); err != nil {
			return err
		}
	}
	for k := range i.kept {
		i.kept[k].saved = append(i.kept[k].saved[:0], i.kept[k].memory...)
	}
	if i.leads {
		i.rank.Begin(i.values())
	}
	i.step = within
	return nil
}

// values returns the values of the fields.
func (i *Implicit) values() (all [][]float64) {
	for _, f := range i.fields {
		all = append(all, f.values)
	}
	return all
}

// Iterate ends an iteration. It returns true if the step has to be repeated: then the fields of the leading side have the values to
// send, the kept memory is as in Begin, and Round has the next number. Otherwise the step is over. Fails with ErrDiverged on all
// ranks of both models, with ErrOptions, and as Send and Receive; after an error the iteration can only be closed. If ctx ends before, it
// returns the error of ctx and has changed no memory of the program: the caller calls it again. Blocks until all ranks of the leading
// side have called it.
func (i *Implicit) Iterate(ctx context.Context) (again bool, err error) {
	if i.step != within {
		return false, i.wrap(fmt.Errorf("%w: no step has begun, or a call has failed", ErrOptions))
	}
	verdict, iteration, err := i.agree(ctx)
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return false, i.wrap(err) // the next call continues
	case err != nil:
		i.step = broken // the ranks may be at different iterations
		return false, i.wrap(err)
	}
	i.links.stage = 0
	i.sent++
	i.round++
	if verdict == implicit.Again {
		for k := range i.kept {
			copy(i.kept[k].memory, i.kept[k].saved)
		}
		return true, nil
	}
	i.step = between
	i.last = StepIterations{iteration, verdict == implicit.Converged}
	if verdict == implicit.Diverged {
		i.step = broken
		return false, i.wrap(fmt.Errorf("%w: iteration %d of the step has values that are no finite numbers", ErrDiverged, iteration))
	}
	return false, nil
}

// agree finds out what follows from an iteration.
func (i *Implicit) agree(ctx context.Context) (implicit.Verdict, int, error) {
	if !i.leads {
		verdict, err := i.links.receiveVerdict(ctx, i.sent)
		return implicit.Verdict(verdict[0]), int(verdict[1]), err
	}
	d, err := i.lead(ctx)
	if err != nil {
		return 0, 0, err
	}
	for f, values := range i.rank.Apply(d) {
		copy(i.fields[f].values, values)
	}
	return d.Verdict, d.Iteration, nil
}

// lead gets the decision on a rank of the leading side. After the end of ctx it continues in the next call: neither the part nor
// the decision is computed twice.
func (i *Implicit) lead(ctx context.Context) (*implicit.Decision, error) {
	if i.part == nil {
		i.part = i.rank.Part(i.values())
	}
	parts, err := i.links.collectParts(ctx, i.sent, i.part)
	if err != nil {
		return nil, err
	}
	if i.leader != nil && i.decision == nil {
		if i.decision, err = i.leader.Decide(parts); err != nil {
			return nil, err
		}
	}
	numbers := make([]float64, i.plan.DecisionLen())
	if i.decision != nil {
		numbers = i.decision.Encode(&i.plan)
	}
	if err := i.links.sendDecision(ctx, i.sent, numbers); err != nil {
		return nil, err
	}
	d := i.decision
	i.part, i.decision = nil, nil
	if d == nil {
		return implicit.DecodeDecision(numbers, &i.plan)
	}
	return d, nil
}

// Close closes the links of the iteration. Does not wait for calls of other ranks.
func (i *Implicit) Close(ctx context.Context) error {
	i.step = broken
	if g := i.links.opening; g != nil {
		i.links.opening = nil
		g.stop()
		if g.Wait() != nil {
			return nil // which has closed those that were open
		}
	}
	return i.links.close(ctx)
}

// reals is the type of a point with some numbers.
func reals(n int) element.Type { return element.Type{Kind: datatype.Float64, Values: n} }

// numbersField returns a field of the model whose points have the numbers from first on. values has n numbers for each.
func (m *Model) numbersField(name string, first, count int64, n int, values []float64) (*Field, error) {
	var ps, at points.Builder
	if count > 0 {
		ps.AddRun(points.Run{Start: first, Stride: 1, Count: count})
		at.AddRun(points.Run{Stride: 1, Count: count})
	}
	l := &points.Layout{Points: ps.List(), Positions: at.List()}
	return m.newField(name, reals(n), Data{Base: unsafe.Pointer(unsafe.SliceData(values)), Owner: values}, l, l)
}
