package together

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/weights"
)

// lattice returns a grid of nx times ny cells with a random mask, in the plane or on the sphere. Cells in the plane are parallelograms.
func lattice(r *rand.Rand, plane bool, nx, ny int) *weights.Grid {
	g := &weights.Grid{Plane: plane, Sizes: []int{ny, nx}, Corners: 4}
	slope := 0.0
	if plane {
		slope = r.Float64()
	}
	at := func(i, j float64) (x, y float64) {
		y = -60 + 120*j/float64(ny)
		return 80*i/float64(nx) + slope*y, y
	}
	for j := range ny {
		for i := range nx {
			x, y := at(float64(i)+0.5, float64(j)+0.5)
			g.X, g.Y = append(g.X, x), append(g.Y, y)
			for _, c := range [4][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 1}} {
				x, y := at(float64(i+c[0]), float64(j+c[1]))
				g.CornerX, g.CornerY = append(g.CornerX, x), append(g.CornerY, y)
			}
			g.Mask = append(g.Mask, r.IntN(4) > 0)
		}
	}
	return g
}

// choices are the options of the tests.
var choices = []weights.Options{
	{Method: weights.Nearest, Neighbours: 3}, {Method: weights.Bilinear, FillNearest: true},
	{Method: weights.Conservative}, {Method: weights.Conservative, Normalization: weights.CellArea},
}

// TestMake: several ranks make the matrix of one.
func TestMake(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		for _, n := range []int{1, 2, 4} {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			from, to := lattice(r, n == 2, 20, 10), lattice(r, n == 2, 60, 30)
			run := func(body func(p *acp.Process, ranks []acp.Rank) error) {
				extensiontest.Run(t, n, acp.Config{Mode: mode}, func(p *acp.Process) error {
					var ranks []acp.Rank
					for rank := range p.Procs() {
						ranks = append(ranks, acp.Rank((rank+1)%p.Procs())) // the first one is not rank 0
					}
					return body(p, ranks)
				})
			}
			run(func(p *acp.Process, ranks []acp.Rank) error {
				for _, o := range choices {
					got, err := Make(t.Context(), p, ranks, from, to, o)
					if err != nil {
						return err
					}
					if (got != nil) != (p.Rank() == ranks[0]) {
						return fmt.Errorf("rank %d has the matrix: %v", p.Rank(), got != nil)
					}
					if got == nil {
						continue
					}
					want, err := weights.Make(from, to, o)
					if err != nil {
						return err
					}
					var a, b bytes.Buffer
					if err := errors.Join(got.WriteNetCDF(&a), want.WriteNetCDF(&b)); err != nil {
						return err
					}
					if !bytes.Equal(a.Bytes(), b.Bytes()) {
						return fmt.Errorf("%v, %v: the files of %d ranks and of one differ", o.Method, o.Normalization, n)
					}
				}
				return nil
			})
			run(func(p *acp.Process, ranks []acp.Rank) error { return failTogether(t, p, ranks, from, to) })
		}
	})
}

// failTogether lets the last rank have another grid, and calls with wrong ranks.
func failTogether(t *testing.T, p *acp.Process, ranks []acp.Rank, from, to *weights.Grid) error {
	last := ranks[len(ranks)-1]
	if p.Rank() == last {
		bad := *from
		bad.Corners, bad.CornerX, bad.CornerY = 0, nil, nil
		from = &bad
	}
	m, err := Make(t.Context(), p, ranks, from, to, weights.Options{Method: weights.Conservative})
	switch {
	case m != nil:
		return fmt.Errorf("rank %d has a matrix", p.Rank())
	case p.Rank() == last && !errors.Is(err, weights.ErrGrid):
		return fmt.Errorf("the rank with a bad grid: %w", err)
	case p.Rank() == ranks[0] && (err == nil || !strings.Contains(err.Error(), "corners")),
		p.Rank() == ranks[0] && p.Rank() != last && !strings.Contains(err.Error(), fmt.Sprintf("rank %d: ", last)):
		return fmt.Errorf("the first rank: %w", err)
	}
	if _, err := Make(t.Context(), p, nil, from, to, weights.Options{}); !errors.Is(err, acp.ErrBadRank) {
		return fmt.Errorf("without ranks: %w", err)
	}
	return nil
}
