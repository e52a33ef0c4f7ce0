package couple_test

import (
	"bytes"
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
	"github.com/goacp/goacp/internal/ground/netcdf"
)

// describedWeights is a random matrix between the fields of two models, which the description of the run names.
type describedWeights struct {
	kind          string // of the file: "mtx", "scrip", "esmf" or "yac"
	rows, columns int
	entries       []couple.Weight
	masks         [2][]int32 // of rows and columns, in files of SCRIP and ESMF: entries with a 0 are left out
	more          int        // further weights of each entry, in files of SCRIP
	atSender      bool
}

var fileKinds = []string{"mtx", "scrip", "esmf", "yac"}

func newDescribedWeights(seed uint64) *describedWeights {
	r := rand.New(rand.NewPCG(seed, 7))
	d := &describedWeights{rows: 1 + r.IntN(20), columns: 1 + r.IntN(20), atSender: r.IntN(2) == 0}
	for range 1 + r.IntN(60) {
		d.entries = append(d.entries, couple.Weight{Row: r.IntN(d.rows), Column: r.IntN(d.columns), Value: float64(r.IntN(9) - 4)})
	}
	d.kind, d.more = fileKinds[seed%uint64(len(fileKinds))], 2*r.IntN(2)
	for i, n := range []int{d.rows, d.columns} {
		for range n {
			d.masks[i] = append(d.masks[i], int32(min(r.IntN(6), 1)))
		}
	}
	return d
}

// masked reports whether the file says that an entry is left out.
func (d *describedWeights) masked(w couple.Weight) bool {
	return (d.kind == "scrip" || d.kind == "esmf") && d.masks[0][w.Row]*d.masks[1][w.Column] == 0
}

// netCDF returns the matrix in a format of netCDF.
func (d *describedWeights) netCDF() ([]byte, error) {
	var rows, columns []int32
	var values []float64
	for _, w := range d.entries {
		rows, columns, values = append(rows, int32(w.Row+1)), append(columns, int32(w.Column+1)), append(values, w.Value)
	}
	n := int64(len(values))
	dimensions := []netcdf.Dimension{{Name: "n_s", Length: n}, {Name: "n_b", Length: int64(d.rows)}, {Name: "n_a", Length: int64(d.columns)}}
	attributes := map[string]string{}
	variables := []netcdf.Content{
		{Name: "row", Dimensions: []string{"n_s"}, Values: rows}, {Name: "col", Dimensions: []string{"n_s"}, Values: columns},
		{Name: "S", Dimensions: []string{"n_s"}, Values: values},
		{Name: "mask_b", Dimensions: []string{"n_b"}, Values: d.masks[0]}, {Name: "mask_a", Dimensions: []string{"n_a"}, Values: d.masks[1]},
	}
	if d.kind != "esmf" {
		dimensions[1].Name, dimensions[2].Name = "dst_grid_size", "src_grid_size"
		dimensions = append(dimensions, netcdf.Dimension{Name: "num_wgts", Length: int64(1 + d.more)})
		var all []float64
		for _, x := range values {
			all = append(all, x)
			for range d.more {
				all = append(all, 99)
			}
		}
		variables[0].Name, variables[1].Name = "dst_address", "src_address"
		variables[2] = netcdf.Content{Name: "remap_matrix", Dimensions: []string{"n_s", "num_wgts"}, Values: all}
		variables[3].Name, variables[3].Dimensions = "dst_grid_imask", []string{"dst_grid_size"}
		variables[4].Name, variables[4].Dimensions = "src_grid_imask", []string{"src_grid_size"}
	}
	if d.kind == "yac" {
		attributes["version"], attributes["contains_links"] = "yac weight file 1.0", "TRUE"
		variables = variables[:3]
	}
	var b bytes.Buffer
	err := netcdf.Write(&b, dimensions, attributes, variables)
	return b.Bytes(), err
}

// write writes the matrix to a file, and returns the description of the link.
func (d *describedWeights) write(file string) (string, error) {
	description := "from.f:to.f,weights=" + file
	if d.atSender {
		description += ",weights-at=sender"
	}
	if d.kind != "mtx" {
		b, err := d.netCDF()
		return description, errors.Join(err, os.WriteFile(file, b, 0o600))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", d.rows, d.columns, len(d.entries))
	for _, w := range d.entries {
		fmt.Fprintf(&text, "%d %d %g\n", w.Row+1, w.Column+1, w.Value)
	}
	return description, os.WriteFile(file, []byte(text.String()), 0o600)
}

// want returns the expected value of a point in a step. A point without a row keeps its value.
func (d *describedWeights) want(row, step int, before float64) float64 {
	sum, any := 0.0, false
	for _, w := range d.entries {
		if w.Row == row && !d.masked(w) {
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

// TestDescribedWeights: the description of the run has the weights of a link in a file of any kind, of which each rank takes its part.
// Random matrices and masks are compared with a serial product.
func TestDescribedWeights(t *testing.T) {
	first := rand.Uint64() &^ 3
	t.Logf("seed %d", first)
	for i := range uint64(8) {
		d := newDescribedWeights(first + i)
		description, err := d.write(filepath.Join(t.TempDir(), "w."+d.kind))
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
