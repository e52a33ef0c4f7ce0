package acp_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/extension"
)

// staller keeps the agent of a rank from answering another rank for a while, as if its process were stopped.
type staller struct {
	p               *extension.Process
	entered, resume chan struct{}
}

var stalling = extension.Register(extension.Extension[*staller]{
	Name:  "stalling",
	First: am.OpTest + am.RangeSize,
	Open: func(p *extension.Process) (*staller, error) {
		return &staller{p, make(chan struct{}), make(chan struct{})}, nil
	},
	Operations: []extension.Operation[*staller]{{Name: "stall", Serve: (*staller).serve}},
})

func (s *staller) serve(fabric.Request) (int, error) {
	close(s.entered)
	<-s.resume
	return 0, nil
}

// whileStalled calls f at rank 0 while the agent of rank 1, whose staller comes from agents, does
// not answer rank 0.
func whileStalled(p *member, agents chan *staller, f func() error) error {
	if p.Rank() != 0 {
		agents <- stalling.Of(p.Process)
		return nil
	}
	s := <-agents
	stalled := make(chan error, 1)
	go func() {
		_, err := stalling.Of(p.Process).p.Call(1, 0, nil, nil)
		stalled <- err
	}()
	<-s.entered
	err := f()
	close(s.resume)
	return errors.Join(err, <-stalled)
}

// asked is a context that ends after a call has checked for the first time whether it has ended.
type asked struct {
	context.Context
	end func()
}

func endsWhenAsked() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	return asked{ctx, cancel}
}

func (a asked) Err() error {
	defer a.end()
	return a.Context.Err()
}

// onOther are structures on rank 1, which rank 0 has made.
type onOther struct {
	vector, vector2, near *acp.Vector[int64]
	deque                 *acp.Deque[int64]
	list, list2           *acp.List[string]
	set                   *acp.Set[string]
	multiset              *acp.Multiset[int64]
	table, table2         *acp.Map[int64, string]
	workspace             *acp.Workspace
	block                 acp.GA
}

func makeOnOther(p *acp.Process) (*onOther, error) {
	there, both := []acp.Rank{1}, []acp.Rank{0, 1}
	s := &onOther{
		vector: must(acp.NewVector[int64](p, 5, 1)), vector2: must(acp.NewVector[int64](p, 3, 1)), near: must(acp.NewVector[int64](p, 2, 0)),
		deque: must(acp.NewDeque[int64](p, 5, 1)),
		list:  must(acp.NewList[string](p, 1)), list2: must(acp.NewList[string](p, 1)),
		set: must(acp.NewSet[string](p, there, 3, 1)), multiset: must(acp.NewMultiset[int64](p, there, 3, 1)),
		table: must(acp.NewMap[int64, string](p, there, 3, 1)), table2: must(acp.NewMap[int64, string](p, both, 5, 0)),
		block: must(p.Malloc(100, 1)),
	}
	var failed []error
	for i, x := range []string{"c", "a", "b"} {
		failed = append(failed, s.list.PushBack(x, acp.Rank(i%2)), s.list2.PushBack(x, 1),
			last(s.set.Insert(x)), last(s.multiset.Insert(int64(i), 2)), last(s.table.Insert(int64(i), x)))
	}
	return s, errors.Join(failed...)
}

// destroy frees the structures that no call has freed.
func (s *onOther) destroy() error {
	return errors.Join(s.vector2.Destroy(), s.near.Destroy(), s.deque.Destroy(), s.list.Destroy(), s.list2.Destroy(),
		s.set.Destroy(), s.multiset.Destroy(), s.table.Destroy(), s.table2.Destroy())
}

// calls are calls that wait for rank 1, with a context.
func (s *onOther) calls(p *acp.Process) map[string]func(ctx context.Context) error {
	vector := func(f func(v *acp.Vector[int64]) error) func(context.Context) error {
		return func(ctx context.Context) error { return f(s.vector.WithContext(ctx)) }
	}
	list := func(f func(l *acp.List[string]) error) func(context.Context) error {
		return func(ctx context.Context) error { return f(s.list.WithContext(ctx)) }
	}
	table := func(f func(m *acp.Map[int64, string]) error) func(context.Context) error {
		return func(ctx context.Context) error { return f(s.table.WithContext(ctx)) }
	}
	process := func(f func(p *acp.Process) error) func(context.Context) error {
		return func(ctx context.Context) error { return f(p.WithContext(ctx)) }
	}
	there := []acp.Rank{1}
	return map[string]func(ctx context.Context) error{
		"Vector.PushBack":     vector(func(v *acp.Vector[int64]) error { return v.PushBack(7) }),
		"Vector.Load":         vector(func(v *acp.Vector[int64]) error { return last(v.Load(0)) }),
		"Vector.Store":        vector(func(v *acp.Vector[int64]) error { return v.Store(0, 1) }),
		"Vector.PopBack":      vector(func(v *acp.Vector[int64]) error { return last(v.PopBack()) }),
		"Vector.Len":          vector(func(v *acp.Vector[int64]) error { return last(v.Len()) }),
		"Vector.Slice":        vector(func(v *acp.Vector[int64]) error { return last(v.Slice()) }),
		"Vector.Assign":       vector(func(v *acp.Vector[int64]) error { return v.Assign(s.vector2) }),
		"Vector.Swap":         vector(func(v *acp.Vector[int64]) error { return v.Swap(s.vector2) }),
		"Vector.Swap, far":    vector(func(v *acp.Vector[int64]) error { return v.Swap(s.near) }),
		"Vector.AssignValues": vector(func(v *acp.Vector[int64]) error { return v.AssignValues(make([]int64, 10000)...) }),
		"Vector.All": vector(func(v *acp.Vector[int64]) error {
			for range v.All() {
				break
			}
			return v.Err()
		}),
		"Deque.PushFront": func(ctx context.Context) error { return s.deque.WithContext(ctx).PushFront(7) },
		"ByteVector.PushBack": func(ctx context.Context) error {
			return s.vector2.Bytes().WithContext(ctx).PushBack(acp.Element{GA: must(p.StarterGA(1)), Size: 8})
		},
		"List.PushBack": list(func(l *acp.List[string]) error { return l.PushBack("d", 1) }),
		"List.PopFront": list(func(l *acp.List[string]) error { return last(l.PopFront()) }),
		"List.Len":      list(func(l *acp.List[string]) error { return last(l.Len()) }),
		"List.Reverse":  list(func(l *acp.List[string]) error { return l.Reverse() }),
		"List.Advance":  list(func(l *acp.List[string]) error { return last(l.Advance(l.End(), -2)) }),
		"List.Sort":     list(func(l *acp.List[string]) error { return l.Sort(func(a, b string) int { return 0 }) }),
		"List.Merge":    list(func(l *acp.List[string]) error { return l.Merge(s.list2, func(a, b string) int { return 0 }) }),
		"List.Assign":   list(func(l *acp.List[string]) error { return l.Assign(s.list2) }),
		"List.Swap":     list(func(l *acp.List[string]) error { return l.Swap(s.list2) }),
		"List.Slice":    list(func(l *acp.List[string]) error { return last(l.Slice()) }),
		"ByteList.PushBack": func(ctx context.Context) error {
			return s.list.Bytes().WithContext(ctx).PushBack(acp.Element{GA: must(p.StarterGA(1)), Size: 8}, 1)
		},
		"List.PushBackMany":  list(func(l *acp.List[string]) error { return l.PushBackMany([]string{"e", "f"}, 1) }),
		"List.PopFrontMany":  list(func(l *acp.List[string]) error { return last(l.PopFrontMany(1)) }),
		"Vector.PopBackMany": vector(func(v *acp.Vector[int64]) error { return last(v.PopBackMany(1)) }),
		"Map.StoreMany":      table(func(m *acp.Map[int64, string]) error { return last(m.StoreMany([]int64{1, 9}, []string{"a", "b"})) }),
		"Map.LoadMany": table(func(m *acp.Map[int64, string]) error {
			_, _, err := m.LoadMany([]int64{1, 2})
			return err
		}),
		"Set.RemoveMany":  func(ctx context.Context) error { return last(s.set.WithContext(ctx).RemoveMany([]string{"b", "z"})) },
		"Set.Insert":      func(ctx context.Context) error { return last(s.set.WithContext(ctx).Insert("z")) },
		"Set.Contains":    func(ctx context.Context) error { return last(s.set.WithContext(ctx).Contains("a")) },
		"Multiset.Count":  func(ctx context.Context) error { return last(s.multiset.WithContext(ctx).Count(1)) },
		"Multiset.Remove": func(ctx context.Context) error { return last(s.multiset.WithContext(ctx).Remove(1, 1)) },
		"Map.Insert":      table(func(m *acp.Map[int64, string]) error { return last(m.Insert(9, "x")) }),
		"Map.Store":       table(func(m *acp.Map[int64, string]) error { return last(m.Store(1, string(make([]byte, 100000)))) }),
		"Map.Load": table(func(m *acp.Map[int64, string]) error {
			_, _, err := m.Load(1)
			return err
		}),
		"Map.Remove": table(func(m *acp.Map[int64, string]) error { return last(m.Remove(2)) }),
		"Map.Len":    table(func(m *acp.Map[int64, string]) error { return last(m.Len()) }),
		"Map.Merge":  table(func(m *acp.Map[int64, string]) error { return m.Merge(s.table2) }),
		"Map.Move":   table(func(m *acp.Map[int64, string]) error { return m.Move(s.table2) }),
		"Map.Assign": table(func(m *acp.Map[int64, string]) error { return m.Assign(s.table2) }),
		"Map.Swap":   table(func(m *acp.Map[int64, string]) error { return m.Swap(s.table2) }),
		"Map.Clear":  table(func(m *acp.Map[int64, string]) error { return m.Clear() }),
		"Map.All": table(func(m *acp.Map[int64, string]) error {
			for range m.All() {
				break
			}
			return m.Err()
		}),
		"ByteMap.Begin": func(ctx context.Context) error { return last(s.table.Bytes().WithContext(ctx).Begin()) },
		"ByteMap.Load": func(ctx context.Context) error {
			e := acp.Element{GA: must(p.StarterGA(1)), Size: 8}
			return last(s.table.Bytes().WithContext(ctx).Load(acp.Pair{First: e, Second: e}))
		},
		"Workspace.ReadAt": func(ctx context.Context) error {
			return last(s.workspace.WithContext(ctx).ReadAt(make([]byte, 8000), 0))
		},
		"Workspace.WriteAt": func(ctx context.Context) error {
			return last(s.workspace.WithContext(ctx).WriteAt(make([]byte, 8000), 0))
		},
		"Workspace.Write": func(ctx context.Context) error {
			return s.workspace.WithContext(ctx).Write(must(p.StarterGA(1)), 100, 100)
		},
		"Malloc":    process(func(p *acp.Process) error { return last(p.Malloc(1000, 1)) }),
		"Free":      process(func(p *acp.Process) error { return p.Free(s.block) }),
		"NewVector": process(func(p *acp.Process) error { return last(acp.NewVector[int64](p, 10, 1)) }),
		"NewList":   process(func(p *acp.Process) error { return last(acp.NewList[string](p, 1)) }),
		"NewMap":    process(func(p *acp.Process) error { return last(acp.NewMap[int64, string](p, there, 8, 1)) }),
		"Complete": process(func(p *acp.Process) error {
			return p.Complete(must(p.Copy(must(p.StarterGA(0)), must(p.StarterGA(1)), 8, acp.HandleNull)))
		}),
	}
}

// TestGiveUp: when its context ends, every call that waits for an unresponsive agent returns early. Its
// operation continues: afterwards all structures are intact and no block is lost.
func TestGiveUp(t *testing.T) {
	agents := make(chan *staller, 1)
	cfg := acp.Config{Mode: bridge.ModeTCP, HeapSize: acp.MinHeapSize, StarterSize: 1 << 16}
	run(t, 2, cfg, func(p *member) error {
		var s *onOther
		var err error
		if p.Rank() == 0 {
			s, err = makeOnOther(p.Process)
		}
		if err := errors.Join(err, p.SetWorkspaceParams(1, 4096), p.Sync()); err != nil {
			return err
		}
		w, err := p.NewWorkspace(10000)
		if err != nil {
			return err
		}
		err = whileStalled(p, agents, func() error {
			s.workspace = w
			calls := s.calls(p.Process)
			names := slices.Sorted(maps.Keys(calls))
			rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			for _, name := range append(names, "Vector.Destroy") {
				call := calls[name]
				if call == nil {
					call = func(ctx context.Context) error { return s.vector.WithContext(ctx).Destroy() }
				}
				ctx, cancel := context.WithTimeout(context.Background(), 500*time.Microsecond)
				err := call(ctx)
				cancel()
				if !isOpError(err) || !errors.Is(err, context.DeadlineExceeded) {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			return nil
		})
		if p.Rank() == 0 && err == nil {
			if s.vector.PushBack(1) == nil {
				err = errors.New("a vector is there after Destroy, which was given up")
			}
			err = errors.Join(err, p.Complete(acp.HandleAll), s.destroy())
		}
		return errors.Join(err, w.Destroy(), heapIsWhole(p))
	})
}

// TestGiveUpCollective: a collective function that returned early counts as called. The next call of the same
// function continues to wait for it, and other collective functions follow it.
func TestGiveUpCollective(t *testing.T) {
	forEachMode(t, []int{2, 3}, func(t *testing.T, mode bridge.Mode, n int) {
		late := make(chan struct{}) // a token for each rank that may call now
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			// gaveUp calls f at rank 0 before the other ranks call it.
			gaveUp := func(f func(p *acp.Process) error) error {
				if p.Rank() != 0 {
					<-late
					return nil
				}
				err := f(p.WithContext(endsWhenAsked()))
				for range n - 1 {
					late <- struct{}{}
				}
				return errors.Join(opError(err), expect(context.Canceled, err))
			}
			for range 20 {
				if err := errors.Join(gaveUp((*acp.Process).Sync), p.Process.Sync()); err != nil {
					return err
				}
			}
			create := func(p *acp.Process) error { return last(p.NewWorkspace(1000)) }
			err := gaveUp((*acp.Process).Sync)
			if p.Rank() != 0 {
				err = p.Process.Sync()
			}
			err = errors.Join(err, create(p.Process), gaveUp(create))
			w, failed := p.NewWorkspace(1000)
			if err = errors.Join(err, failed); err != nil {
				return err
			}
			err = errors.Join(
				gaveUp(func(p *acp.Process) error { return w.WithContext(endsWhenAsked()).Destroy() }), w.Destroy(),
				expect(acp.ErrDestroyed, last(w.WriteAt([]byte{1}, 0))),
				gaveUp(func(p *acp.Process) error { return p.Reset(p.Rank()) }), p.Reset(p.Rank()),
			)
			return errors.Join(err, gaveUp((*acp.Process).Finalize)) // run finalizes
		})
	})
}

// opError returns an error if err is no *OpError.
func opError(err error) error {
	if !isOpError(err) {
		return fmt.Errorf("%T: %w", err, err)
	}
	return nil
}

// TestGiveUpBefore: a call whose context has ended begins nothing.
func TestGiveUpBefore(t *testing.T) {
	run(t, 2, acp.Config{}, func(p *member) error {
		ended := p.WithContext(cancelled())
		if p.Rank() == 0 {
			v := must(acp.NewVector[int](p.Process, 1, 0))
			err := errors.Join(
				expect(context.Canceled, ended.Sync()), expect(context.Canceled, last(ended.Malloc(8, 0))),
				expect(context.Canceled, last(acp.NewMap[int, int](ended, []acp.Rank{0}, 1, 0))),
				expect(context.Canceled, v.WithContext(cancelled()).PushBack(1)),
			)
			if n := must(v.Len()); n != 1 {
				err = errors.Join(err, fmt.Errorf("%d elements", n))
			}
			if err := errors.Join(err, v.Destroy()); err != nil {
				return err
			}
		}
		return p.Sync()
	})
}

// TestGiveUpModel carries out random operations, many with a context that ends at once, and applies them to a
// model. Operations that have begun happen as a whole and in order.
func TestGiveUpModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *member) error {
			if p.Rank() == 0 {
				m := newGiveUpModel(p.Process, rand.New(rand.NewPCG(seed, uint64(mode))))
				for range 2000 {
					if err := m.step(); err != nil && !errors.Is(err, context.Canceled) {
						return err
					}
				}
				if err := m.compare(); err != nil {
					return err
				}
			}
			return heapIsWhole(p)
		})
	})
}

// giveUpModel has two structures of each kind, and their expected contents.
type giveUpModel struct {
	p       *acp.Process
	rnd     *rand.Rand
	lists   [2]*acp.List[string]
	vectors [2]*acp.Vector[int64]
	maps    [2]*acp.Map[int64, string]

	inLists   [2][]string
	inVectors [2][]int64
	inMaps    [2]map[int64]string
}

func newGiveUpModel(p *acp.Process, rnd *rand.Rand) *giveUpModel {
	m := &giveUpModel{p: p, rnd: rnd}
	for i := range 2 {
		m.lists[i] = must(acp.NewList[string](p, acp.Rank(i+1)))
		m.vectors[i] = must(acp.NewVector[int64](p, 0, acp.Rank(i+1)))
		m.maps[i] = must(acp.NewMap[int64, string](p, []acp.Rank{1, 2, acp.Rank(i)}, 3, acp.Rank(i+1)))
		m.inMaps[i] = make(map[int64]string)
	}
	return m
}

// step carries out one operation on one structure, perhaps with the other one of its kind.
func (m *giveUpModel) step() error {
	ctx := context.Background()
	if m.rnd.IntN(3) > 0 {
		ctx = endsWhenAsked()
	}
	i := m.rnd.IntN(2)
	switch m.rnd.IntN(3) {
	case 0:
		return m.stepList(m.lists[i].WithContext(ctx), m.lists[1-i], &m.inLists[i], &m.inLists[1-i])
	case 1:
		return m.stepVector(m.vectors[i].WithContext(ctx), m.vectors[1-i], &m.inVectors[i], &m.inVectors[1-i])
	}
	return m.stepMap(m.maps[i].WithContext(ctx), m.maps[1-i], &m.inMaps[i], &m.inMaps[1-i])
}

func (m *giveUpModel) stepList(l, other *acp.List[string], in, inOther *[]string) error {
	x := fmt.Sprint(m.rnd.IntN(9))
	switch op := m.rnd.IntN(9); {
	case op < 3:
		*in = append(*in, x)
		return l.PushBack(x, acp.Rank(m.rnd.IntN(3)))
	case op < 5:
		*in = slices.Insert(*in, 0, x)
		return l.PushFront(x, acp.Rank(m.rnd.IntN(3)))
	case op < 6:
		*in = (*in)[min(1, len(*in)):]
		return l.Bytes().PopFront()
	case op < 7:
		slices.Reverse(*in)
		return l.Reverse()
	case op < 8:
		*in, *inOther = *inOther, *in
		return l.Swap(other)
	}
	*in = slices.DeleteFunc(*in, func(y string) bool { return x == y })
	return last(l.Remove(x))
}

func (m *giveUpModel) stepVector(v, other *acp.Vector[int64], in, inOther *[]int64) error {
	x := m.rnd.Int64()
	switch op := m.rnd.IntN(8); {
	case op < 4:
		*in = append(*in, x, -x)
		return v.PushBack(x, -x)
	case op < 5:
		at := m.rnd.IntN(len(*in) + 1)
		*in = slices.Insert(*in, at, x)
		return v.Insert(at, x)
	case op < 6:
		n := m.rnd.IntN(4)
		*in = (*in)[min(n, len(*in)):]
		return v.Erase(0, n)
	case op < 7:
		*in, *inOther = *inOther, *in
		return v.Swap(other)
	}
	*in = slices.Clone((*inOther)[:min(50, len(*inOther))])
	return v.AssignValues(*in...)
}

func (m *giveUpModel) stepMap(t, other *acp.Map[int64, string], in, inOther *map[int64]string) error {
	key, value := int64(m.rnd.IntN(50)), fmt.Sprint(m.rnd.Int64())
	switch op := m.rnd.IntN(9); {
	case op < 5:
		if m.rnd.IntN(20) == 0 {
			value += string(make([]byte, 100000)) // more than a message holds
		}
		(*in)[key] = value
		return last(t.Store(key, value))
	case op < 6:
		delete(*in, key)
		return last(t.Remove(key))
	case op < 7:
		*in, *inOther = *inOther, *in
		return t.Swap(other)
	case op < 8:
		*in = maps.Clone(*inOther)
		return t.Assign(other)
	}
	for k, v := range *inOther {
		if _, there := (*in)[k]; !there {
			(*in)[k] = v
		}
	}
	clear(*inOther)
	return t.Move(other)
}

// compare compares the structures with the model, and destroys them.
func (m *giveUpModel) compare() error {
	for i := range 2 {
		inList, err1 := m.lists[i].Slice()
		inVector, err2 := m.vectors[i].Slice()
		inMap := maps.Collect(m.maps[i].All())
		if err := errors.Join(err1, err2, m.maps[i].Err()); err != nil {
			return err
		}
		switch {
		case !slices.Equal(inList, m.inLists[i]):
			return fmt.Errorf("list %d is %q, expected %q", i, inList, m.inLists[i])
		case !slices.Equal(inVector, m.inVectors[i]):
			return fmt.Errorf("vector %d is %d, expected %d", i, inVector, m.inVectors[i])
		case !maps.Equal(inMap, m.inMaps[i]):
			return fmt.Errorf("map %d has %d keys, or other values, expected %d", i, len(inMap), len(m.inMaps[i]))
		}
		if err := errors.Join(m.lists[i].Destroy(), m.vectors[i].Destroy(), m.maps[i].Destroy()); err != nil {
			return err
		}
	}
	return nil
}
