package conserve

import "math"

// Of returns the sums of values times the areas of their points, and the sum of the areas. A point has a number of real
// numbers. Without areas, each area is 1.
func Of(values, areas []float64, reals int) []float64 {
	sums := make([]compensated, reals+1)
	for i := 0; i < len(values); i += reals {
		area := 1.0
		if areas != nil {
			area = areas[i/reals]
		}
		for k, x := range values[i : i+reals] {
			sums[k].add(area * x)
		}
		sums[reals].add(area)
	}
	result := make([]float64, reals+1)
	for k := range sums {
		result[k] = sums[k].value()
	}
	return result
}

// compensated is a sum with the rounding errors of its additions, as Neumaier describes it.
type compensated struct{ sum, errors float64 }

func (c *compensated) add(x float64) {
	sum := c.sum + x
	if math.Abs(c.sum) >= math.Abs(x) {
		c.errors += c.sum - sum + x
	} else {
		c.errors += x - sum + c.sum
	}
	c.sum = sum
}

// value returns the sum. If a summand or the sum is infinite or NaN, the errors are meaningless.
func (c *compensated) value() float64 {
	if math.IsInf(c.sum, 0) || math.IsNaN(c.sum) {
		return c.sum
	}
	return c.sum + c.errors
}

// Total returns the sums of both sides, from the parts of all ranks of each side in their order.
func Total(parts [2][][]float64) (s Sums) {
	for sd, all := range parts {
		sums := make([]compensated, len(all[0]))
		for _, part := range all {
			for k, x := range part {
				sums[k].add(x)
			}
		}
		s[sd] = make([]float64, len(sums))
		for k := range sums {
			s[sd][k] = sums[k].value()
		}
	}
	return s
}

// Correct changes values of the receiving side so that their integral over all ranks becomes that of the sending side. If
// the method multiplies and the integral of the receiving side is 0, it adds.
func (s *Sums) Correct(m Method, values []float64) {
	from, to := s[0], s[1]
	reals := len(to) - 1
	for k := range reals {
		factor, offset := 1.0, 0.0
		switch area := to[reals]; {
		case from[k] == to[k]:
			continue
		case m == Multiply && to[k] != 0:
			factor = from[k] / to[k]
		case area != 0:
			offset = (from[k] - to[k]) / area
		}
		for i := k; i < len(values); i += reals {
			values[i] = float64(values[i]*factor) + offset
		}
	}
}
