package meet

import (
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/system/couple/conserve"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// TestTotals: parts of several messages in any order are answered when all ranks have sent theirs, with the same bits.
func TestTotals(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	members := [2][]int{{4, 2, 7}, {1, 4}}
	part := func(number int64, sd side.Side, index int) *conserve.Part {
		return &conserve.Part{Number: number, Side: sd, Index: index, Sums: []float64{0.1 * float64(1+index), 1}}
	}
	var whole [2][][]float64
	type key struct {
		number int64
		sd     side.Side
		index  int
	}
	var all []key
	for number := range int64(5) {
		for sd := range members {
			for index := range members[sd] {
				all = append(all, key{number, side.Side(sd), index})
				if number == 0 {
					whole[sd] = append(whole[sd], part(0, side.Side(sd), index).Sums)
				}
			}
		}
	}
	sums := conserve.Total(whole)
	want := string(sums.Encode())
	for range 100 {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		totals, come := NewTotals(members, 1), make(map[int64]int)
		for _, k := range all {
			come[k.number]++
			answers := totals.Add(part(k.number, k.sd, k.index), members[k.sd][k.index], k)
			if done := come[k.number] == 5; len(answers) != map[bool]int{true: 5}[done] {
				t.Fatalf("%d answers after %d parts", len(answers), come[k.number])
			}
			for _, a := range answers {
				if string(a.Body) != want || a.Err != nil || a.To.(key).number != k.number {
					t.Fatalf("%+v", a)
				}
			}
		}
	}
}

// TestTotalsWithoutNeed: parts that no receiver needs, and parts of a link that ends, get empty answers. Parts that no correct
// rank sends are refused.
func TestTotalsWithoutNeed(t *testing.T) {
	totals := NewTotals([2][]int{{0}, {1, 2}}, 1)
	add := func(number int64, sd side.Side, index, from, numbers int) []Answer {
		return totals.Add(&conserve.Part{Number: number, Side: sd, Index: index, Sums: make([]float64, numbers)}, from, number)
	}
	empty := func(answers []Answer, want int) {
		t.Helper()
		if len(answers) != want {
			t.Fatalf("%d answers, expected %d", len(answers), want)
		}
		for _, a := range answers {
			if a.Err != nil || a.Body != nil {
				t.Errorf("%+v, expected an empty answer", a)
			}
		}
	}
	refused := func(answers []Answer) {
		t.Helper()
		if len(answers) != 1 || answers[0].Err == nil {
			t.Errorf("%+v, expected a refusal", answers)
		}
	}
	empty(add(3, side.Sending, 0, 0, 2), 0)
	refused(add(3, side.Sending, 0, 0, 2))
	refused(add(3, side.Receiving, 0, 2, 2))
	refused(add(3, side.Receiving, 2, 2, 2))
	refused(add(3, side.Receiving, 1, 2, 3))
	empty(add(5, side.Sending, 0, 0, 2), 0)
	empty(totals.Drop(5), 1)
	empty(add(4, side.Sending, 0, 0, 2), 1)
	empty(totals.Gone(7), 0)
	empty(totals.Gone(2), 1)
	empty(add(9, side.Receiving, 0, 1, 2), 1)
}
