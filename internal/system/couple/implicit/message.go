package implicit

import "fmt"

// DecisionLen returns how many numbers a decision has.
func (p *Plan) DecisionLen() int { return 5 + 2*p.columns() }

// Encode returns the decision as numbers, the first two of which the other side needs: the verdict and the iteration.
func (d *Decision) Encode(p *Plan) []float64 {
	numbers := []float64{float64(d.Verdict), float64(d.Iteration), 0, d.Relaxation, float64(len(d.Coefficients))}
	if d.Relaxes {
		numbers[2] = 1
	}
	numbers = append(numbers, d.Coefficients...)
	for _, dropped := range d.Dropped {
		x := 0.0
		if dropped {
			x = 1
		}
		numbers = append(numbers, x)
	}
	return append(numbers, make([]float64, p.DecisionLen()-len(numbers))...)
}

// DecodeDecision is the reverse of Encode. Fails with ErrPart.
func DecodeDecision(numbers []float64, p *Plan) (*Decision, error) {
	if len(numbers) != p.DecisionLen() {
		return nil, fmt.Errorf("%w: a decision of %d numbers; expected %d", ErrPart, len(numbers), p.DecisionLen())
	}
	d := &Decision{Verdict: Verdict(numbers[0]), Iteration: int(numbers[1]), Relaxes: numbers[2] != 0, Relaxation: numbers[3]}
	k := int(numbers[4])
	if k < 0 || k > p.columns() || d.Verdict < Again || d.Verdict > Diverged {
		return nil, fmt.Errorf("%w: a decision with %d columns and verdict %d", ErrPart, k, int(d.Verdict))
	}
	d.Coefficients = numbers[5 : 5+k]
	for _, x := range numbers[5+k : 5+2*k] {
		d.Dropped = append(d.Dropped, x != 0)
	}
	return d, nil
}
