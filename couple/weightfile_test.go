package couple_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// describedWeights is a random matrix between the fields of two models, which the description of the run names.
type describedWeights struct {
	rows, columns int
	entries       []couple.Weight
	atSender      bool
}

func newDescribedWeights(seed uint64) *describedWeights {
	r := rand.New(rand.NewPCG(seed, 7))
	d := &describedWeights{rows: 1 + r.IntN(20), columns: 1 + r.IntN(20), atSender: r.IntN(2) == 0}
	for range r.IntN(60) {
		d.entries = append(d.entries, couple.Weight{Row: r.IntN(d.rows), Column: r.IntN(d.columns), Value: float64(r.IntN(9) - 4)})
	}
	return d
}

// write writes the matrix to a file, and returns the description of the link.
func (d *describedWeights) write(file string) (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", d.rows, d.columns, len(d.entries))
	for _, w := range d.entries {
		fmt.Fprintf(&text, "%d %d %g\n", w.Row+1, w.Column+1, w.Value)
	}
	description := "from.f:to.f,weights=" + file
	if d.atSender {
		description += ",weights-at=sender"
	}
	return description, os.WriteFile(file, []byte(text.String()), 0o600)
}

// want returns the expected value of a point in a step. A point without a row keeps its value.
func (d *describedWeights) want(row, step int, before float64) float64 {
	sum, any := 0.0, false
	for _, w := range d.entries {
		if w.Row == row {
			sum, any = sum+w.Value*float64(step+w.Column), true
		}
	}
	if !any {
		return before
	}
	return sum
}

// play opens the links of the description and moves some steps. Even ranks send, and odd ranks receive.
func (d *describedWeights) play(ctx context.Context, p *acp.Process) error {
	side, n := int(p.Rank())%2, d.columns
	if side == 1 {
		n = d.rows
	}
	var ranks []acp.Rank
	for r := side; r < p.Procs(); r += 2 {
		ranks = append(ranks, acp.Rank(r))
	}
	var own couple.List
	for point := int(p.Rank()) / 2; point < n; point += len(ranks) {
		own = append(own, point)
	}
	data := make([]float64, len(own))
	m, err := couple.NewModel(p, [2]string{"from", "to"}[side], ranks)
	if err != nil {
		return err
	}
	if _, err := couple.NewField(m, "f", data, own, 1); err != nil {
		return err
	}
	links, err := m.Open(ctx)
	if err != nil {
		return err
	}
	for step := range 3 {
		for i, point := range own {
			data[i] = float64(step + point)
		}
		if err := errors.Join(links.Send(ctx, step), links.Receive(ctx, step)); err != nil {
			return err
		}
		for i, point := range own {
			if want := d.want(point, step, float64(step+point)); side == 1 && data[i] != want {
				return fmt.Errorf("point %d gets %g in step %d, want %g (%+v)", point, data[i], step, want, d)
			}
		}
	}
	return links.Close(ctx)
}

// TestDescribedWeights: the description of the run has the weights of a link in a file, of which each rank takes its
// part.
func TestDescribedWeights(t *testing.T) {
	for seed := range uint64(6) {
		d := newDescribedWeights(seed)
		description, err := d.write(filepath.Join(t.TempDir(), "w.mtx"))
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("ACP_COUPLE", description)
		forEach(t, []int{2, 5}, d.play)
	}
}

// TestDescribedWeightMistakes: a rank that cannot read the file gets an error, and the other ranks get the reason.
func TestDescribedWeightMistakes(t *testing.T) {
	const head = "%%MatrixMarket matrix coordinate real general\n"
	file := filepath.Join(t.TempDir(), "w.mtx")
	for _, c := range []struct {
		text, at string
		texts    [2]string // to the sender, to the receiver
	}{
		{head + "1 1 1\n1 1 NaN\n", "", [2]string{"process 0 of the receiving side: field to.f: bad weights: " + file + ": line 3", "bad weights: " + file + ": line 3"}},
		{head + "1 1 2\n1 1 1\n", ",weights-at=sender", [2]string{"the file ends after 1 of 2 entries", "process 0 of the sending side: field from.f: bad weights: " + file}},
		{head + "1 7 1\n1 7 1\n", "", [2]string{"no rank holds point 6 of from.f, which to.f wants", "no rank holds point 6 of from.f"}},
		{head + "1 7 2\n1 1 1\n1 7 1\n", ",weights-at=sender", [2]string{"1 of the 2 entries of the file have columns that no rank of the sending side holds", "1 of the 2 entries"}},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("ACP_COUPLE", "from.f:to.f,weights="+file+c.at)
		forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
			d := &describedWeights{rows: 2, columns: 2}
			err := d.play(ctx, p)
			if text := c.texts[p.Rank()]; err == nil || !strings.Contains(err.Error(), text) {
				return fmt.Errorf("%v, want %s", err, text)
			}
			return p.Sync()
		})
	}
	t.Setenv("ACP_COUPLE", "from.f:to.f,weights="+file+".absent")
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		err := (&describedWeights{rows: 2, columns: 2}).play(ctx, p)
		if p.Rank() == 1 {
			return errors.Join(refused(err, couple.ErrWeights, "open "+file+".absent: no such file"), p.Sync())
		}
		return errors.Join(refused(err, couple.ErrPartner, "no such file"), p.Sync())
	})
}
