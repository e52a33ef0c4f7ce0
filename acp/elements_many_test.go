package acp_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// endUser is one rank of TestManyElements, with its structures and their expected contents.
type endUser struct {
	p       *member
	rnd     *rand.Rand
	vector  *acp.Vector[int64]
	deque   *acp.Deque[int64]
	numbers *acp.List[int64]
	texts   *acp.List[string]

	wantVector, wantDeque, wantNumbers []int64
	wantTexts                          []string
}

// TestManyElements pushes and pops many elements at both ends, and compares the contents and the popped
// elements with slices.
func TestManyElements(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	steps := map[bridge.Mode]int{bridge.ModeSHM: 800, bridge.ModeTCP: 200}
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, StarterSize: 1 << 20, HeapSize: acp.MinHeapSize}, func(p *member) error {
			u := &endUser{p: p, rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
			if err := u.play(steps[mode]); err != nil {
				return err
			}
			return heapIsWhole(p)
		})
	})
}

func (u *endUser) rank() acp.Rank { return acp.Rank(u.rnd.IntN(u.p.Procs())) }

func (u *endUser) play(steps int) error {
	p := u.p.Process
	u.vector = must(acp.NewVector[int64](p, 0, u.rank()))
	u.deque = must(acp.NewDeque[int64](p, 10, u.rank()))
	u.numbers = must(acp.NewList[int64](p, u.rank()))
	u.texts = must(acp.NewList[string](p, u.rank()))
	doers := []func() error{u.pushNumbers, u.popNumbers, u.pushTexts, u.popTexts, u.pushBytes, u.popBytes, u.popTextBytes}
	for i := range steps {
		err := doers[u.rnd.IntN(len(doers))]()
		if i%50 == 0 {
			err = errors.Join(err, u.same())
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return errors.Join(u.same(), u.vector.Destroy(), u.deque.Destroy(), u.numbers.Destroy(), u.texts.Destroy())
}

// same compares all structures with their expected contents.
func (u *endUser) same() error {
	a, err := u.vector.Slice()
	b, err2 := u.deque.Slice()
	c, err3 := u.numbers.Slice()
	d, err4 := u.texts.Slice()
	switch {
	case !slices.Equal(a, u.wantVector):
		return fmt.Errorf("vector of %d in place of %d", len(a), len(u.wantVector))
	case !slices.Equal(b, u.wantDeque):
		return fmt.Errorf("deque of %d in place of %d", len(b), len(u.wantDeque))
	case !slices.Equal(c, u.wantNumbers):
		return fmt.Errorf("list of %d numbers in place of %d", len(c), len(u.wantNumbers))
	case !slices.Equal(d, u.wantTexts):
		return fmt.Errorf("list of %d texts in place of %d", len(d), len(u.wantTexts))
	}
	return errors.Join(err, err2, err3, err4)
}

// some returns a number of elements, which sometimes need several messages.
func (u *endUser) some() int {
	if u.rnd.IntN(20) == 0 {
		return u.rnd.IntN(6000)
	}
	return u.rnd.IntN(20)
}

// takeEnd removes n elements, or all if there are fewer, from an end of the expected contents of a structure.
func takeEnd[T any](want *[]T, n int, back bool) (taken []T) {
	n = min(n, len(*want))
	if back {
		at := len(*want) - n
		taken, *want = slices.Clone((*want)[at:]), (*want)[:at:at]
		return taken
	}
	taken, *want = slices.Clone((*want)[:n]), (*want)[n:]
	return taken
}

func (u *endUser) pushNumbers() error {
	xs := make([]int64, u.some())
	for i := range xs {
		xs[i] = u.rnd.Int64()
	}
	switch u.rnd.IntN(3) {
	case 0:
		u.wantNumbers = slices.Concat(u.wantNumbers, xs)
		return u.numbers.PushBackMany(xs, u.rank())
	case 1:
		u.wantNumbers = slices.Concat(xs, u.wantNumbers)
		return u.numbers.PushFrontMany(xs, u.rank())
	}
	u.wantVector, u.wantDeque = slices.Concat(u.wantVector, xs), slices.Concat(xs, u.wantDeque)
	return errors.Join(u.vector.PushBack(xs...), u.deque.PushFront(xs...))
}

func (u *endUser) popNumbers() error {
	n := u.some()
	same := func(got []int64, err error, want *[]int64, back bool) error {
		if taken := takeEnd(want, n, back); err != nil || !slices.Equal(got, taken) {
			return fmt.Errorf("%d numbers, back %v: got %d, expected %d: %w", n, back, len(got), len(taken), err)
		}
		return nil
	}
	switch u.rnd.IntN(5) {
	case 0:
		got, err := u.vector.PopBackMany(n)
		return same(got, err, &u.wantVector, true)
	case 1:
		got, err := u.deque.PopBackMany(n)
		return same(got, err, &u.wantDeque, true)
	case 2:
		got, err := u.deque.PopFrontMany(n)
		return same(got, err, &u.wantDeque, false)
	case 3:
		got, err := u.numbers.PopBackMany(n)
		return same(got, err, &u.wantNumbers, true)
	}
	got, err := u.numbers.PopFrontMany(n)
	return same(got, err, &u.wantNumbers, false)
}

// newTexts returns texts, some empty and a few longer than messages.
func (u *endUser) newTexts() []string {
	texts := make([]string, u.rnd.IntN(40))
	for i := range texts {
		n := u.rnd.IntN(100)
		if u.rnd.IntN(200) == 0 {
			n = u.rnd.IntN(50 << 10)
		}
		texts[i] = strings.Repeat(string(rune('a'+u.rnd.IntN(26))), n)
	}
	return texts
}

func (u *endUser) pushTexts() error {
	texts := u.newTexts()
	if u.rnd.IntN(2) == 0 {
		u.wantTexts = slices.Concat(u.wantTexts, texts)
		return u.texts.PushBackMany(texts, u.rank())
	}
	u.wantTexts = slices.Concat(texts, u.wantTexts)
	return u.texts.PushFrontMany(texts, u.rank())
}

func (u *endUser) popTexts() error {
	n, back := u.rnd.IntN(60), u.rnd.IntN(2) == 0
	pop := u.texts.PopFrontMany
	if back {
		pop = u.texts.PopBackMany
	}
	got, err := pop(n)
	if want := takeEnd(&u.wantTexts, n, back); err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("%d texts, back %v: got %d, expected %d: %w", n, back, len(got), len(want), err)
	}
	return nil
}

// elements returns elements of n numbers each, in own starter memory or in that of another rank, and the
// numbers of all of them. Each rank has a part of the starter memory of all ranks.
func (u *endUser) elements(fill bool) (es []acp.Element, xs []int64) {
	at := int(u.p.Rank()) * (128 << 10)
	for range u.rnd.IntN(20) {
		n := u.rnd.IntN(10)
		own := must(u.p.StarterGA(u.p.Rank())) + acp.GA(at)
		to := must(u.p.StarterGA(u.rank())) + acp.GA(at)
		es = append(es, acp.Element{GA: to, Size: uint64(8 * n)})
		for i := range n {
			x := u.rnd.Int64()
			for b := range 8 {
				u.p.Starter()[at+8*i+b] = byte(x >> (8 * b))
			}
			xs = append(xs, x)
		}
		if fill && n > 0 {
			must(0, u.p.Complete(must(u.p.Copy(to, own, uint64(8*n), acp.HandleNull))))
		}
		at += 8 * n
	}
	return es, xs
}

// read returns the numbers of elements.
func (u *endUser) read(es []acp.Element, n uint64) (xs []int64) {
	scratch := 900<<10 + int(u.p.Rank())*1024
	own := must(u.p.StarterGA(u.p.Rank())) + acp.GA(scratch)
	for _, e := range es {
		size := min(e.Size, n)
		if n -= size; size == 0 {
			continue
		}
		must(0, u.p.Complete(must(u.p.Copy(own, e.GA, size, acp.HandleNull))))
		for i := 0; i < int(size); i += 8 {
			var x int64
			for b := range 8 {
				x |= int64(u.p.Starter()[scratch+i+b]) << (8 * b)
			}
			xs = append(xs, x)
		}
	}
	return xs
}

func (u *endUser) pushBytes() error {
	es, xs := u.elements(true)
	switch u.rnd.IntN(3) {
	case 0:
		u.wantVector = slices.Concat(u.wantVector, xs)
		return u.vector.Bytes().PushBackMany(es)
	case 1:
		u.wantDeque = slices.Concat(u.wantDeque, xs)
		return u.deque.Bytes().PushBackMany(es)
	}
	u.wantDeque = slices.Concat(xs, u.wantDeque)
	return u.deque.Bytes().PushFrontMany(es)
}

func (u *endUser) popBytes() error {
	es, xs := u.elements(false)
	var got uint64
	var err error
	var want []int64
	switch u.rnd.IntN(3) {
	case 0:
		got, err = u.vector.Bytes().PopBackMany(es)
		want = takeEnd(&u.wantVector, len(xs), true)
	case 1:
		got, err = u.deque.Bytes().PopBackMany(es)
		want = takeEnd(&u.wantDeque, len(xs), true)
	default:
		got, err = u.deque.Bytes().PopFrontMany(es)
		want = takeEnd(&u.wantDeque, len(xs), false)
	}
	if taken := u.read(es, got); err != nil || !slices.Equal(taken, want) {
		return fmt.Errorf("%d bytes in place of %d numbers: %w", got, len(want), err)
	}
	return nil
}

// popTextBytes pops texts and copies as much of each as its element has room for.
func (u *endUser) popTextBytes() error {
	es, _ := u.elements(false)
	back := u.rnd.IntN(2) == 0
	l := u.texts.Bytes()
	pop := l.PopFrontMany
	if back {
		pop = l.PopBackMany
	}
	sizes, err := pop(es)
	want := takeEnd(&u.wantTexts, len(es), back)
	if err != nil || len(sizes) != len(want) {
		return fmt.Errorf("%d texts in place of %d: %w", len(sizes), len(want), err)
	}
	for i, text := range want {
		if sizes[i] != uint64(len(text)) {
			return fmt.Errorf("text %d has %d bytes in place of %d", i, sizes[i], len(text))
		}
		n := min(len(text), int(es[i].Size)) &^ 7
		part := u.read([]acp.Element{{GA: es[i].GA, Size: uint64(n)}}, uint64(n))
		for k, x := range part {
			if byte(x) != text[8*k] || byte(x>>56) != text[8*k+7] {
				return fmt.Errorf("text %d: byte %d is wrong", i, 8*k)
			}
		}
	}
	return nil
}

// TestManyElementsFail: calls that cannot succeed return the reason and change nothing.
func TestManyElementsFail(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *member) error {
			if p.Rank() != 0 {
				return p.Sync()
			}
			v := must(acp.NewVector[int64](p.Process, 2, 1))
			d := must(acp.NewDeque[int64](p.Process, 2, 1))
			l := must(acp.NewList[int64](p.Process, 1))
			good := acp.Element{GA: must(p.StarterGA(0)), Size: 8}
			bad := []acp.Element{good, {GA: 5, Size: 8}, good, {GA: good.GA, Size: 1 << 40}}
			var many *acp.ManyError
			err := v.Bytes().PushBackMany(bad)
			if !errors.Is(err, acp.ErrBadAddress) || !errors.As(err, &many) || !slices.Equal(many.Failed, []int{1, 3}) || many.Of != 4 {
				return fmt.Errorf("vector: %v", err)
			}
			err = d.Bytes().PushFrontMany(bad)
			failed := []error{
				expect(acp.ErrBadAddress, err),
				expect(acp.ErrBadAddress, l.Bytes().PushBackMany(bad, 1)),
				expect(acp.ErrBadAddress, last(v.Bytes().PopBackMany(bad[:2]))),
				expect(acp.ErrBadAddress, last(l.Bytes().PopFrontMany(bad[:2]))),
				expect(acp.ErrBadSize, last(v.PopBackMany(-1))), expect(acp.ErrBadSize, last(d.PopFrontMany(-1))),
				expect(acp.ErrBadSize, last(l.PopBackMany(-1))),
				expect(acp.ErrBadRank, l.PushBackMany([]int64{1}, 2)), expect(acp.ErrBadRank, l.PushFrontMany([]int64{1}, -1)),
			}
			text := must(acp.ListAt[string](p.Process, l.Address()))
			failed = append(failed, expect(acp.ErrHeapFull,
				text.PushBackMany(slices.Repeat([]string{strings.Repeat("x", 4096)}, acp.MinHeapSize/4096), 1)))
			if n, err := v.Len(); n != 2 || err != nil {
				failed = append(failed, fmt.Errorf("the vector has %d elements: %w", n, err))
			}
			if n, err := l.Len(); n != 0 || err != nil {
				failed = append(failed, fmt.Errorf("the list has %d elements: %w", n, err))
			}
			failed = append(failed, text.PushBackMany([]string{"12345678", "1234567", "abcdefgh"}, 0))
			got, err := l.PopBackMany(3)
			if left := must(l.Len()); len(got) != 1 || err == nil || left != 2 {
				failed = append(failed, fmt.Errorf("%d numbers, %d elements are left: %v", len(got), left, err))
			}
			failed = append(failed, v.Destroy(), d.Destroy(), l.Destroy())
			for what, err := range map[string]error{
				"vector": last(v.PopBackMany(0)), "deque": last(d.PopFrontMany(3)), "list": last(l.PopBackMany(0)),
				"bytes": v.Bytes().PushBackMany(nil), "elements": l.PushBackMany(nil, 1),
			} {
				if !errors.Is(err, acp.ErrBadAddress) {
					failed = append(failed, fmt.Errorf("%s that is gone: %v", what, err))
				}
			}
			return errors.Join(errors.Join(failed...), p.Sync())
		})
	})
}
