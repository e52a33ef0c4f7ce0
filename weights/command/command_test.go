package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/netcdf"
	"github.com/goacp/goacp/internal/system/couple/weightfile"
)

// grid writes a file with a grid of nx times ny cells on the sphere.
func grid(t *testing.T, folder, name string, nx, ny int) {
	t.Helper()
	var xs, ys []float64
	for i := range nx {
		xs = append(xs, (float64(i)+0.5)*360/float64(nx))
	}
	for i := range ny {
		ys = append(ys, -90+(float64(i)+0.5)*180/float64(ny))
	}
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := netcdf.Write(file, []netcdf.Dimension{{Name: "lat", Length: int64(ny)}, {Name: "lon", Length: int64(nx)}}, nil, []netcdf.Content{
		{Name: "lat", Dimensions: []string{"lat"}, Attributes: map[string]string{"units": "degrees_north"}, Values: ys},
		{Name: "lon", Dimensions: []string{"lon"}, Attributes: map[string]string{"units": "degrees_east"}, Values: xs},
	}); err != nil {
		t.Fatal(err)
	}
}

// TestRun makes files with weights in both formats.
func TestRun(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	grid(t, folder, "from.nc", 8, 4)
	grid(t, folder, "to.nc", 4, 2)
	for _, c := range []struct {
		options, output string
		entries         int64
		value           float64 // of each entry
	}{
		{"", "c.nc", 32, 0}, {"-method conservative -norm=destarea", "c.mtx", 32, 0},
		{"--method=nearest", "n.nc", 8, 1}, {"-method nearest -neighbours 4", "n.mtx", 32, 0.25},
		{"-method bilinear -fill", "b.nc", 32, 0.25},
	} {
		var out, errs bytes.Buffer
		args := append(strings.Fields(c.options), "from.nc", "to.nc", c.output)
		if status := Run(args, &out, &errs); status != 0 || errs.Len() > 0 || !strings.Contains(out.String(), c.output+": ") || !strings.HasSuffix(out.String(), "; 8 of 8 points have some\n") {
			t.Errorf("%v: status %d, %q, %q", args, status, out.String(), errs.String())
			continue
		}
		sums := make(map[int64]float64)
		got, err := weightfile.Read(c.output, func(row, _ int64, value float64) error {
			sums[row] += value
			if c.value != 0 && (value < c.value-0.03 || value > c.value+0.03) {
				t.Errorf("%v: a weight %g, want about %g", args, value, c.value)
			}
			return nil
		})
		if err != nil || got.Entries != c.entries || len(sums) != 8 {
			t.Errorf("%v: %v, %v, %d rows", args, got, err, len(sums))
		}
		for row, sum := range sums {
			if sum < 1-1e-12 || sum > 1+1e-12 {
				t.Errorf("%v: row %d has the sum %.17g", args, row, sum)
			}
		}
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) != 7 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestMistakes: what is wrong, and what was expected. No file is left.
func TestMistakes(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	grid(t, folder, "g.nc", 4, 2)
	for args, want := range map[string]string{
		"":                                "2 acpweights: 0 files; expected FROM, TO and OUTPUT",
		"g.nc g.nc":                       "2 acpweights: 2 files; expected FROM, TO and OUTPUT",
		"-methods x":                      "2 acpweights: there is no option -methods; acpweights -help lists the options",
		"-method best g.nc g.nc x.nc":     `2 acpweights: option -method: "best"; expected nearest, bilinear, conservative`,
		"-norm none g.nc g.nc x.nc":       `2 acpweights: option -norm: "none"; expected fracarea, destarea`,
		"-neighbours 0 g.nc g.nc x.nc":    `2 acpweights: option -neighbours: "0"; expected a number from 1 on`,
		"g.nc g.nc x.nc -method":          "2 acpweights: option -method needs a value, METHOD",
		"-fill=yes g.nc g.nc x.nc":        "2 acpweights: option -fill has no value",
		"absent.nc g.nc x.nc":             "1 acpweights: open absent.nc: no such file or directory",
		"g.nc g.nc ./g.nc":                "1 acpweights: ./g.nc is both a grid and OUTPUT; expected another name for OUTPUT",
		"g.nc g.nc .":                     "1 acpweights: . is no file, but d---------; expected the name of a file",
		"g.nc g.nc none/x.nc":             "1 acpweights: open none/.x.nc.",
		"-from-variable v g.nc g.nc x.nc": "1 acpweights: g.nc: bad grid: it has no variable v",
		"-to-variable v g.nc g.nc x.nc":   "1 acpweights: g.nc: bad grid: it has no variable v",
	} {
		var out, errs bytes.Buffer
		status := Run(strings.Fields(args), &out, &errs)
		if got := string(rune('0'+status)) + " " + errs.String(); !strings.HasPrefix(got, want) || out.Len() > 0 {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	for args, want := range map[string]string{"-h": "usage: acpweights [options] FROM TO OUTPUT\n", "--version": "acpweights "} {
		var out, errs bytes.Buffer
		if status := Run([]string{args}, &out, &errs); status != 0 || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s: %d, %q", args, status, out.String())
		}
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}
