package named_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/structure/named"
)

// run is a run whose ranks have named values.
type run struct {
	*globaltest.World
	values []*named.Values // by member
}

func newRun(t *testing.T, size int, mode bridge.Mode) *run {
	r := new(run)
	r.World = globaltest.New(t, globaltest.Config{Size: size, Mode: mode, Operations: func(*globaltest.Rank) []am.Operation {
		v := new(named.Values)
		r.values = append(r.values, v)
		return v.Operations()
	}})
	return r
}

// eachMode runs f as a subtest over shared memory and over sockets.
func eachMode(t *testing.T, f func(t *testing.T, mode bridge.Mode)) {
	for _, mode := range []bridge.Mode{bridge.ModeSHM, bridge.ModeTCP} {
		t.Run(mode.String(), func(t *testing.T) { f(t, mode) })
	}
}

// seen records the values that the goroutines of a test have put and read.
type seen struct {
	mu     sync.Mutex
	put    map[string]map[uint64][]byte // by name and version
	others []observation
}

// observation is a value that a get or a wait has returned.
type observation struct {
	name    string
	version uint64
	value   []byte
}

func (s *seen) puts(name string, version uint64, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, twice := s.put[name][version]; twice {
		return fmt.Errorf("two puts of %q have version %d", name, version)
	}
	if s.put[name] == nil {
		s.put[name] = make(map[uint64][]byte)
	}
	s.put[name][version] = value
	return nil
}

func (s *seen) gets(name string, version uint64, value []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.others = append(s.others, observation{name, version, value})
}

// check compares all values read with the puts, which have versions from 1 on.
func (s *seen) check() error {
	for name, puts := range s.put {
		for v := range uint64(len(puts)) {
			if _, found := puts[v+1]; !found {
				return fmt.Errorf("%d puts of %q, but none has version %d", len(puts), name, v+1)
			}
		}
	}
	for _, o := range s.others {
		want, found := s.put[o.name][o.version]
		if o.version == 0 && len(o.value) == 0 {
			continue
		}
		if !found || !bytes.Equal(o.value, want) {
			return fmt.Errorf("version %d of %q is %d bytes, and %d bytes were put (%v)", o.version, o.name, len(o.value), len(want), found)
		}
	}
	return nil
}

const (
	putsOfEach = 60 // of each rank
	modelNames = 5
)

// sizes of values: none, within the first answer, at its edge, longer, the longest.
var sizes = []int{0, 1, 8, 511, 512, 513, 5000, named.MaxValue}

// TestModel: ranks put, get and wait at random. Each value that a rank reads is the one that was put with its
// version. A rank never reads an older version than before, and the last put stays.
func TestModel(t *testing.T) {
	eachMode(t, func(t *testing.T, mode bridge.Mode) {
		const size = 3
		r := newRun(t, size, mode)
		all := &seen{put: make(map[string]map[uint64][]byte)}
		// Each name gets at least as many puts as the highest version that a wait asks for.
		var each sync.WaitGroup
		errs := make(chan error, 3*size)
		for m := range size {
			each.Go(func() { errs <- r.change(m, all) })
			for w := range 2 {
				each.Go(func() { errs <- r.watch(m, w, all) })
			}
		}
		each.Wait()
		close(errs)
		for err := range errs {
			if err != nil {
				t.Error(err)
			}
		}
		if err := all.check(); err != nil {
			t.Error(err)
		}
		for name, puts := range all.put {
			value, version, err := r.values[0].Get(r.Ranks[0].Mem, name)
			if last := uint64(len(puts)); err != nil || version != last || !bytes.Equal(value, puts[last]) {
				t.Errorf("%q ends with version %d of %d, %v", name, version, last, err)
			}
		}
	})
}

func nameOf(i int) string { return fmt.Sprintf("name %d", i%modelNames) }

// change puts values, and gets them at random.
func (r *run) change(m int, all *seen) error {
	rnd := rand.New(rand.NewPCG(uint64(m), 1))
	last := make(map[string]uint64)
	for i := range putsOfEach {
		name, value := nameOf(i), make([]byte, sizes[rnd.IntN(len(sizes))])
		for k := range value {
			value[k] = byte(rnd.Uint32())
		}
		version, err := r.values[m].Put(r.Ranks[m].Mem, name, value)
		if err == nil {
			err = all.puts(name, version, value)
		}
		if err != nil || version <= last[name] {
			return fmt.Errorf("put %d behind %d: %w", version, last[name], err)
		}
		last[name] = version
		name = nameOf(rnd.IntN(modelNames))
		got, version, err := r.values[m].Get(r.Ranks[m].Mem, name)
		if err != nil || version < last[name] {
			return fmt.Errorf("get of version %d behind %d: %w", version, last[name], err)
		}
		last[name] = version
		all.gets(name, version, got)
	}
	return nil
}

// watch waits for versions of one name, until it has seen the last one.
func (r *run) watch(m, which int, all *seen) error {
	rnd := rand.New(rand.NewPCG(uint64(m), uint64(which)+7))
	name, total := nameOf(m+2*which), uint64(len(r.Ranks)*putsOfEach/modelNames)
	for version := uint64(0); version < total; {
		ask := min(version+rnd.Uint64N(5), total)
		value, got, err := r.values[m].Wait(context.Background(), r.Ranks[m].Mem, name, ask)
		if err != nil || got < ask || got < version {
			return fmt.Errorf("wait for version %d behind %d: %d, %w", ask, version, got, err)
		}
		all.gets(name, got, value)
		version = got
	}
	return nil
}

// TestAbsent: a name without a value.
func TestAbsent(t *testing.T) {
	r := newRun(t, 2, bridge.ModeTCP)
	for i := range 20 {
		value, version, err := r.values[0].Get(r.Ranks[0].Mem, nameOf(i))
		if len(value) != 0 || version != 0 || err != nil {
			t.Errorf("%q, version %d, %v", value, version, err)
		}
	}
}

// TestWrongValues: names and values that are too long or empty.
func TestWrongValues(t *testing.T) {
	r := newRun(t, 1, bridge.ModeSHM)
	v, m := r.values[0], r.Ranks[0].Mem
	long := string(make([]byte, named.MaxName+1))
	for _, name := range []string{"", long} {
		_, err := v.Put(m, name, nil)
		_, _, err2 := v.Get(m, name)
		_, _, err3 := v.Wait(t.Context(), m, name, 1)
		for _, err := range []error{err, err2, err3} {
			if !errors.Is(err, global.ErrBadSize) {
				t.Errorf("name of %d bytes: %v", len(name), err)
			}
		}
	}
	if _, err := v.Put(m, "n", make([]byte, named.MaxValue+1)); !errors.Is(err, global.ErrBadSize) {
		t.Errorf("a long value: %v", err)
	}
	if version, err := v.Put(m, long[1:], make([]byte, named.MaxValue)); version != 1 || err != nil {
		t.Errorf("the longest: version %d, %v", version, err)
	}
}

// TestGiveUp: a wait ends with its context, and the owner drops its request.
func TestGiveUp(t *testing.T) {
	eachMode(t, func(t *testing.T, mode bridge.Mode) {
		const size = 3
		r := newRun(t, size, mode)
		var all sync.WaitGroup
		for m := range size {
			for i := range 3 * modelNames {
				all.Go(func() {
					ctx, cancel := context.WithCancel(t.Context())
					ended := make(chan error)
					go func() {
						_, _, err := r.values[m].Wait(ctx, r.Ranks[m].Mem, nameOf(i), 1)
						ended <- err
					}()
					cancel()
					if err := <-ended; !errors.Is(err, context.Canceled) {
						t.Errorf("a wait that was given up: %v", err)
					}
				})
			}
		}
		all.Wait()
		for m := range size {
			// Later requests reach the owner after the end of the waits.
			for i := range modelNames {
				if _, _, err := r.values[m].Get(r.Ranks[m].Mem, nameOf(i)); err != nil {
					t.Error(err)
				}
			}
		}
		for m, v := range r.values {
			if n := named.Waiting(v); n != 0 {
				t.Errorf("%d wait at member %d", n, m)
			}
		}
	})
}

// TestForget: Forget drops the values and ends waiting.
func TestForget(t *testing.T) {
	r := newRun(t, 2, bridge.ModeTCP)
	ended := make(chan error)
	for m := range r.values {
		for i := range modelNames {
			if i%2 == 0 {
				if _, err := r.values[m].Put(r.Ranks[m].Mem, nameOf(i), []byte("x")); err != nil {
					t.Fatal(err)
				}
			}
			go func() {
				_, _, err := r.values[m].Wait(t.Context(), r.Ranks[m].Mem, nameOf(i), 100)
				ended <- err
			}()
		}
	}
	for named.Waiting(r.values[0])+named.Waiting(r.values[1]) < 2*modelNames {
		runtime.Gosched()
	}
	for _, v := range r.values {
		v.Forget()
	}
	for range 2 * modelNames {
		if err := <-ended; !errors.Is(err, global.ErrDestroyed) {
			t.Errorf("a wait for what is forgotten: %v", err)
		}
	}
	for i := range modelNames {
		if version, err := r.values[1].Put(r.Ranks[1].Mem, nameOf(i), nil); version != 1 || err != nil {
			t.Errorf("version %d after Forget, %v", version, err)
		}
	}
}

// TestOver: the end of the run ends waiting.
func TestOver(t *testing.T) {
	r := newRun(t, 2, bridge.ModeTCP)
	over, ended := errors.New("over"), make(chan error)
	for m := range r.values {
		go func() {
			_, _, err := r.values[m].Wait(t.Context(), r.Ranks[m].Mem, "never", 1)
			ended <- err
		}()
	}
	r.End(over)
	for range r.values {
		if err := <-ended; !errors.Is(err, over) {
			t.Errorf("%v", err)
		}
	}
}

// TestOwnersDiffer: names are spread over the ranks.
func TestOwnersDiffer(t *testing.T) {
	r := newRun(t, 4, bridge.ModeSHM)
	for i := range 400 {
		if _, err := r.values[0].Put(r.Ranks[0].Mem, fmt.Sprintf("value %d", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	counts := make(map[int]int)
	for m, v := range r.values {
		counts[m] = named.Count(v)
	}
	for m, n := range maps.All(counts) {
		if n < 50 || n > 200 {
			t.Errorf("member %d has %d of 400 values", m, n)
		}
	}
}
