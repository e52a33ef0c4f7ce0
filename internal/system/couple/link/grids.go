package link

import "github.com/goacp/goacp/internal/system/couple/points"

// gridComparison compares the grids of ranks that hold points.
type gridComparison struct {
	grids [2]*points.Grid // of each side; nil if no rank has told one
	whose [2]int          // processes of the models
}

// add adds the grid of a rank, which is nil if the rank has none. It returns how it differs from that of another rank of its side.
func (c *gridComparison) add(link string, sd side, index int, g *points.Grid) outcome {
	switch first := c.grids[sd]; {
	case g == nil:
	case first == nil:
		c.grids[sd], c.whose[sd] = g, index
	case !g.Same(first):
		return problem(ErrGrids, "%s has a grid of %v at process %d of the model, and one of %v at process %d",
			partnerOf(link, 1-sd), first, c.whose[sd], g, index)
	}
	return outcome{}
}

// verdict returns how the grids of both sides differ.
func (c *gridComparison) verdict(link string) outcome {
	from, to := c.grids[sending], c.grids[receiving]
	if from == nil || to == nil || from.Same(to) {
		return outcome{}
	}
	return problem(ErrGrids, "%s has a grid of %v, and %s one of %v; fields on different grids need weights, unless same-numbers says that points with the same numbers belong together",
		partnerOf(link, receiving), from, partnerOf(link, sending), to)
}
