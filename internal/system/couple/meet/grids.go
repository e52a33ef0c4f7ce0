package meet

import (
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// gridComparison compares the grids of ranks that hold points.
type gridComparison struct {
	grids [2]*points.Grid // of each side; nil if no rank has sent one
	whose [2]int          // processes of the models
}

// add adds the grid of a rank, which is nil if the rank has none. It returns the difference from the grid of another
// rank of its side.
func (c *gridComparison) add(link string, sd side.Side, index int, g *points.Grid) Outcome {
	switch first := c.grids[sd]; {
	case g == nil:
	case first == nil:
		c.grids[sd], c.whose[sd] = g, index
	case !g.Same(first):
		return problem(ErrGrids, "%s has a grid of %v at process %d of the model, and one of %v at process %d",
			Partner(link, 1-sd), first, c.whose[sd], g, index)
	}
	return Outcome{}
}

// verdict returns how the grids of both sides differ.
func (c *gridComparison) verdict(link string) Outcome {
	from, to := c.grids[side.Sending], c.grids[side.Receiving]
	if from == nil || to == nil || from.Same(to) {
		return Outcome{}
	}
	return problem(ErrGrids, "%s has a grid of %v, and %s one of %v; fields on different grids need weights, unless same-numbers says that points with the same numbers belong together",
		Partner(link, side.Receiving), from, Partner(link, side.Sending), to)
}
