package timing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestSender compares the messages of random senders with sums, averages and extrema over the values of the steps, also after a
// state has been saved and restored at random steps.
func TestSender(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		p := Plan{Every: 1 + r.Int64N(5), Lag: r.Int64N(12), Reduction: Reduction(r.IntN(int(reductions)))}
		n, first := r.IntN(3), r.Int64N(20)
		initial := make([]float64, n)
		s := NewSender(p, n)
		next := (first + p.Every - 1) / p.Every
		for _, m := range s.Begin(first, initial) {
			if m.Number != next || !slices.Equal(m.Values, initial) {
				t.Fatalf("%v first %d: initial message %+v, expected number %d", p, first, m, next)
			}
			next++
		}
		if next*p.Every < first+p.Lag || (next-1)*p.Every >= first+p.Lag && next > (first+p.Every-1)/p.Every {
			t.Fatalf("%v first %d: initial messages before %d", p, first, next)
		}
		var window [][]float64
		for step := first; step < first+30; step++ {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(r.IntN(1000))
			}
			window = append(window, slices.Clone(values))
			number, due := p.Due(step)
			if due != ((step+p.Lag)%p.Every == 0) {
				t.Fatalf("%v: step %d has message %d: %v", p, step, number, due)
			}
			if !due {
				s.Add(step, values)
			} else {
				want := model(p.Reduction, window)
				if got := s.Take(step, values); !slices.Equal(got, want) || number != next {
					t.Fatalf("%v: step %d: message %d %v, expected %d %v", p, step, number, got, next, want)
				}
				next, window = next+1, nil
			}
			if r.IntN(4) == 0 {
				s = restored(t, s, n)
			}
			for i, m := range s.State().Messages {
				if want := next - int64(len(s.State().Messages)-i); m.Number != want || m.Number*p.Every <= step {
					t.Fatalf("%v: after step %d message %d is kept", p, step, m.Number)
				}
			}
			if kept, want := int64(len(s.State().Messages)), next-(step+p.Every)/p.Every; kept != max(0, want) {
				t.Fatalf("%v: after step %d %d messages are kept, expected %d", p, step, kept, want)
			}
		}
	}
}

// restored returns a sender with the state of another one, which has been in a file.
func restored(t *testing.T, s *Sender, n int) *Sender {
	t.Helper()
	f := aFile()
	f.Plan, f.Grid.Points, f.Element.Kind, f.State = s.Plan, int64(n), 10, s.State()
	read, err := Decode(f.Encode())
	if err != nil {
		t.Fatal(err)
	}
	again := NewSender(s.Plan, n)
	if kept, err := again.Restore(&read.State); err != nil || !reflect.DeepEqual(kept, s.kept) && len(s.kept) > 0 {
		t.Fatalf("%v kept, expected %v: %v", kept, s.kept, err)
	}
	return again
}

// model reduces the values of some steps.
func model(r Reduction, window [][]float64) []float64 {
	result := slices.Clone(window[len(window)-1])
	for i := range result {
		sum, least, greatest := 0.0, math.Inf(1), math.Inf(-1)
		for _, values := range window {
			sum, least, greatest = sum+values[i], min(least, values[i]), max(greatest, values[i])
		}
		switch r {
		case Sum:
			result[i] = sum
		case Average:
			result[i] = sum / float64(len(window))
		case Minimum:
			result[i] = least
		case Maximum:
			result[i] = greatest
		}
	}
	return result
}

// TestReceiver compares random receivers with straight lines between the messages.
func TestReceiver(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	value := func(number int64) float64 { return float64(number*number%17) * 8 }
	for range 2000 {
		p := Plan{Every: 1 << r.IntN(4), Interpolate: r.IntN(2) == 0}
		x, first := NewReceiver(p), r.Int64N(20)
		got, next := []float64{math.NaN()}, int64(-1)
		for step := first; step < first+40; step += 1 + r.Int64N(2) {
			for {
				number, needs := x.Needs(step)
				if !needs {
					break
				}
				if next >= 0 && number != next && p.Interpolate {
					t.Fatalf("%v: step %d needs message %d, expected %d", p, step, number, next)
				}
				got[0], next = value(number), number+1
				x.Put(number, got)
			}
			changed := x.Reach(step)
			if changed != (p.Interpolate || step%p.Every == 0) {
				t.Fatalf("%v: step %d changes the values: %v", p, step, changed)
			}
			if !changed {
				continue
			}
			want := value(step / p.Every)
			if p.Interpolate {
				x.At(step, got)
				want += (value(step/p.Every+1) - want) * float64(step%p.Every) / float64(p.Every)
			}
			if got[0] != want {
				t.Fatalf("%v: step %d: %v, expected %v", p, step, got, want)
			}
			if r.IntN(4) == 0 {
				again, state := NewReceiver(p), x.State()
				state.Messages = slices.Clone(state.Messages)
				for i, m := range state.Messages {
					state.Messages[i].Values = slices.Clone(m.Values)
				}
				if err := again.Restore(&state); err != nil || !again.Repeats(next-1) || again.Repeats(next) || again.Step() != step {
					t.Fatalf("%v: step %d: %+v: %v", p, step, state, err)
				}
				x = again
			}
		}
	}
}

// TestLoadedStep: a receiver that continues from a file does not have the values of the step of the file, and so changes none.
func TestLoadedStep(t *testing.T) {
	x := NewReceiver(Plan{Every: 2})
	if err := x.Restore(&State{Step: 6, Next: 4}); err != nil {
		t.Fatal(err)
	}
	if number, needs := x.Needs(6); needs || x.Reach(6) {
		t.Errorf("step 6 needs message %d: %v, or changes values", number, needs)
	}
	if number, needs := x.Needs(8); !needs || number != 4 {
		t.Errorf("step 8 needs message %d: %v", number, needs)
	}
	if x.Put(4, []float64{1}); !x.Reach(8) {
		t.Error("step 8 changes no values")
	}
}

// TestStateWithoutPoints: a receiver that interpolates and has no values continues from its own state.
func TestStateWithoutPoints(t *testing.T) {
	for messages := range 4 {
		x := NewReceiver(Plan{Every: 4, Interpolate: true})
		for number := range messages {
			x.Put(int64(number), nil)
		}
		state := x.State()
		if len(state.Messages) != min(messages, 2) {
			t.Errorf("after %d messages the state has %d", messages, len(state.Messages))
		}
		if err := NewReceiver(x.Plan).Restore(&state); err != nil {
			t.Errorf("after %d messages: %v", messages, err)
		}
	}
}

// TestStatesOfOthers: states that no sender or receiver has are refused.
func TestStatesOfOthers(t *testing.T) {
	message := Message{3, []float64{1}}
	for _, state := range []State{{Messages: []Message{message, message}}, {Steps: 1, Totals: []float64{1, 2}}} {
		if _, err := NewSender(Plan{Every: 2, Lag: 1, Reduction: Sum}, 1).Restore(&state); err == nil {
			t.Errorf("a sender takes %+v", state)
		}
	}
	for _, state := range []State{{Next: 3, Messages: []Message{message}}, {Next: 4, Messages: []Message{message, message, message}}} {
		if err := NewReceiver(Plan{Every: 2, Interpolate: true}).Restore(&state); err == nil {
			t.Errorf("a receiver takes %+v", state)
		}
	}
	if err := NewReceiver(Plan{Every: 2, Interpolate: true}).Restore(&State{Step: 6, Next: 4}); err == nil {
		t.Error("a receiver that interpolates takes a state without messages")
	}
	if err := NewReceiver(Plan{Every: 2}).Restore(&State{Next: 4, Messages: []Message{message}}); err == nil {
		t.Error("a receiver that does not interpolate takes a message")
	}
}

func TestReductions(t *testing.T) {
	for _, name := range Names() {
		if r, ok := ReductionOf(name); !ok || r.String() != name || !r.Valid() {
			t.Errorf("%s is %v", name, r)
		}
	}
	if r, ok := ReductionOf("median"); ok {
		t.Errorf("median is %v", r)
	}
	if r := reductions; r.Valid() || r.String() != fmt.Sprintf("reduction %d", reductions) {
		t.Error(r.String())
	}
}
