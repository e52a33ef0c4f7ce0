package link

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/system/couple/conserve"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// Model is a program that takes part in coupling. It belongs to one rank of the program.
type Model struct {
	sys     *System
	name    string
	members []int // in the order that the program has given
	index   int   // of this process in members
	sealed  bool
	fields  fields
	times   times
}

// fields are the fields that a process has declared for one model, the last of each name.
type fields struct {
	mu     sync.Mutex
	byName map[string]*Field
}

func (t *fields) enter(f *Field) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byName == nil {
		t.byName = make(map[string]*Field)
	}
	t.byName[f.name] = f
}

// of returns the field with a name, or nil.
func (t *fields) of(name string) *Field {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byName[name]
}

// names returns the names in lexical order.
func (t *fields) names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.byName))
}

// fieldOf returns the field with a name such as "ocean.temperature", or nil if it belongs to another model or is not
// declared.
func (m *Model) fieldOf(name string) *Field {
	model, field, _ := strings.Cut(name, ".")
	if model != m.name {
		return nil
	}
	return m.fields.of(field)
}

// Forget removes the field from the fields of Open of the model. Links of the field stay open. Does not block.
func (f *Field) Forget() {
	t := &f.model.fields
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byName[f.name] == f {
		delete(t.byName, f.name)
	}
}

// maxName bounds the names of models and fields, in bytes.
const maxName = 200

// checkName returns an error unless a model or a field may have a name.
func checkName(what, name string) error {
	if name == "" || len(name) > maxName || strings.ContainsAny(name, ".>\x00\n") {
		return fmt.Errorf("%w: %s %q: a name has 1 to %d bytes, and no full stop or > among them", ErrModel, what, name, maxName)
	}
	return nil
}

// NewModel returns the model with a name that consists of some ranks, which include this process. All of them pass
// the same list. Fails with ErrModel. Does not block.
func (s *System) NewModel(name string, ranks []int) (*Model, error) {
	if err := checkName("model", name); err != nil {
		return nil, err
	}
	m := &Model{sys: s, name: name, index: -1}
	for i, rank := range ranks {
		switch first, end := s.p.Ranks.First(), s.p.Ranks.End(); {
		case rank < 0 || rank >= end:
			return nil, fmt.Errorf("%w: model %s has rank %d, of %d ranks", ErrModel, name, rank, end)
		case rank < first:
			return nil, fmt.Errorf("%w: model %s has rank %d, which has not started together with rank %d", ErrModel, name, rank, s.p.Ranks.Own())
		}
		member := s.p.Ranks.Member(rank)
		if !s.p.Present(member) {
			return nil, fmt.Errorf("%w: the program of rank %d, which is in model %s, is without package couple", ErrModel, rank, name)
		}
		if member == s.p.Ranks.Self() {
			m.index = i
		}
		m.members = append(m.members, member)
	}
	if m.index < 0 {
		return nil, fmt.Errorf("%w: rank %d is not in model %s", ErrModel, s.p.Ranks.Own(), name)
	}
	sorted := slices.Sorted(slices.Values(m.members))
	for i := range sorted[1:] {
		if sorted[i] == sorted[i+1] {
			return nil, fmt.Errorf("%w: model %s has rank %d twice", ErrModel, name, s.p.Ranks.Rank(sorted[i]))
		}
	}
	s.models.enter(name)
	var list []byte
	if m.index == 0 { // one list is enough for the host
		list = meet.EncodeMembers(m.members)
	}
	if len(list) > meet.MostMembers {
		list = nil
	}
	s.report(meet.Declared, name, string(list))
	return m, nil
}

// models are the names of the models to which this process belongs.
type models struct {
	mu    sync.Mutex
	names map[string]bool
}

func (t *models) enter(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.names[name] = true
}

// forget ends all of them.
func (t *models) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.names = make(map[string]bool)
}

// endModels notifies the host of the models that this process no longer takes part in its models. If it leaves its epoch, the ranks
// that stay may declare them anew.
func (s *System) endModels() {
	s.models.mu.Lock()
	names := slices.Collect(maps.Keys(s.models.names))
	s.models.mu.Unlock()
	fact := meet.Ended
	if s.p.Lifecycle.Leaving() {
		fact = meet.Left
	}
	var informed []*reply
	for _, name := range names {
		informed = append(informed, s.report(fact, name, ""))
	}
	for _, r := range informed {
		// On an error the run is over.
		_, _ = s.answer(context.Background(), r)
	}
}

// Seal ends the declaration of fields: a link to another field fails. All ranks call it. Does not block.
func (m *Model) Seal() {
	m.sealed = true
	if m.index == 0 {
		m.sys.report(meet.Sealed, m.name, "")
	}
}

// Name returns the name of the model.
func (m *Model) Name() string { return m.name }

// Data is the values of a field in memory of the program. Owner keeps the memory from being freed
// while the field is in use.
type Data struct {
	Base  unsafe.Pointer
	Owner any
}

// Field is the values that the ranks of a model have for their points.
type Field struct {
	model    *Model
	name     string
	element  element.Type
	data     Data
	held     [2]*points.Layout            // of each side, in order of points
	layouts  [2]*points.Layout            // the points of held that take part in links
	masked   [2]points.List               // the points of held that do not
	linked   *atomic.Bool                 // a link of the field has been opened, or is being opened
	grid     *points.Grid                 // in which the points have their numbers; nil if their numbers alone are known
	bad      error                        // the reason why no link can have it, which all ranks get
	area     func(position int64) float64 // of the point there, for conserve; nil: 1
	conserve conserve.Method              // of its links
	product  *product                     // nil unless it is between a field of the program and the other side
}

// NewField returns a field of the model. sends has the points of this rank if the field sends, and receives the
// points if the field receives. All positions lie within data. Fails with ErrModel, and with *points.HeldTwice. Does
// not block.
func (m *Model) NewField(name string, e element.Type, data Data, sends, receives *points.Layout) (*Field, error) {
	if err := checkName("field", name); err != nil {
		return nil, err
	}
	if m.sealed {
		return nil, fmt.Errorf("%w: field %s of model %s is declared after Seal", ErrModel, name, m.name)
	}
	f, err := m.newField(name, e, data, sends, receives)
	if err != nil {
		return nil, err
	}
	m.fields.enter(f)
	m.announce(name)
	return f, nil
}

// announce tells the host of the models that the model has a field with a name.
func (m *Model) announce(name string) {
	if m.index == 0 {
		m.sys.report(meet.Has, m.name, name)
	}
}

// newField returns a field that other models do not find before announce.
func (m *Model) newField(name string, e element.Type, data Data, sends, receives *points.Layout) (*Field, error) {
	f := &Field{model: m, name: name, element: e, data: data, linked: new(atomic.Bool)}
	var err error
	if f.held[side.Sending], err = sends.Sort(); err != nil {
		return nil, fmt.Errorf("field %s: %w", f.Name(), err)
	}
	if receives == sends {
		f.held[side.Receiving] = f.held[side.Sending]
	} else if f.held[side.Receiving], err = receives.Sort(); err != nil {
		return nil, fmt.Errorf("field %s: %w", f.Name(), err)
	}
	f.layouts = f.held
	return f, nil
}

// Mask masks the points of the field at whose positions in memory valid is false, and replaces an earlier mask.
// Masked points take no part in links: a sender does not send them, and the terms of a matrix with them are left out;
// at a receiver they keep their values. Fails with ErrModel if the field has or had a link. Does not block.
func (f *Field) Mask(valid func(position int64) bool) error {
	if f.linked.Load() {
		return fmt.Errorf("%w: field %s is masked after a link of it has been opened", ErrModel, f.Name())
	}
	for sd, l := range f.held {
		if side.Side(sd) == side.Receiving && l == f.held[side.Sending] {
			f.layouts[sd], f.masked[sd] = f.layouts[side.Sending], f.masked[side.Sending]
		} else {
			f.layouts[sd], f.masked[sd] = l.Filter(valid)
		}
	}
	return nil
}

// SetGrid sets the grid in which the points have their numbers. Then a link to a field in another grid fails, unless
// it has weights or SameNumbers. It is called before the field has links.
func (f *Field) SetGrid(g *points.Grid) { f.grid = g }

// Use sets the memory of the values of the field, of the same size as before. It must not be called during a call on
// a link of the field.
func (f *Field) Use(data Data) { f.data = data }

// Element returns the type of the values of a point.
func (f *Field) Element() element.Type { return f.element }

// Name returns the names of the model and of the field, for example "ocean.temperature".
func (f *Field) Name() string { return f.model.name + "." + f.name }
