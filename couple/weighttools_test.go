package couple_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/internal/ground/netcdf"
	"github.com/goacp/goacp/weights"
)

// tool returns a function that runs a program in a folder of the test. The test is skipped without the program.
func tool(t *testing.T, name, pkg string) func(env string, arguments ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s, of the package %s", name, pkg)
	}
	return func(env string, arguments ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, arguments...)
		cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
		if env != "" {
			cmd.Env = append(cmd.Env, env)
		}
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, arguments, err, output)
		}
	}
}

// valuesOf reads all values of a variable.
func valuesOf(t *testing.T, file, variable string) []float64 {
	t.Helper()
	f, err := netcdf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v := f.Variable(variable)
	if v == nil {
		t.Fatalf("%s has no variable %s", file, variable)
	}
	all := make([]float64, v.Len())
	if err := f.Reals(v, 0, all); err != nil {
		t.Fatal(err)
	}
	return all
}

// remapping is a file with weights, the values of the sending field, and what the program that has made the file makes of
// them.
type remapping struct {
	file      string
	from, to  []float64
	missing   float64 // the value in to of points without a row
	atSender  bool
	tolerance float64 // of the greatest value
}

// unset is what the receiving field has at first.
const unset = -12345.0

// play opens the link with the file, and compares what arrives. Even ranks send, and odd ranks receive. Each rank has each n-th
// point.
func (m *remapping) play(ctx context.Context, p *acp.Process) error {
	side := int(p.Rank()) % 2
	all := [2][]float64{m.from, m.to}[side]
	var ranks []acp.Rank
	for r := side; r < p.Procs(); r += 2 {
		ranks = append(ranks, acp.Rank(r))
	}
	var own couple.List
	var data []float64
	for point := int(p.Rank()) / 2; point < len(all); point += len(ranks) {
		own = append(own, point)
		data = append(data, [2]float64{m.from[point%len(m.from)], unset}[side])
	}
	model, err := couple.NewModel(p, [2]string{"from", "to"}[side], ranks)
	if err != nil {
		return err
	}
	f, err := couple.NewField(model, "f", data, own, 1)
	if err != nil {
		return err
	}
	if side == 0 {
		open := f.SendTo
		if m.atSender {
			open = func(ctx context.Context, field string, o couple.Options) (*couple.Sender, error) {
				return f.SendByFile(ctx, field, m.file, o)
			}
		}
		s, err := open(ctx, "to.f", couple.Options{})
		if err != nil {
			return err
		}
		return errors.Join(s.Send(ctx, 0), s.Close(ctx))
	}
	links := couple.Begin(ctx)
	var r *couple.Receiver
	if m.atSender {
		r = links.ReceiveFrom(f, "from.f", couple.Options{})
	} else {
		r = links.ReceiveByFile(f, "from.f", m.file, couple.Options{})
	}
	if err := links.Wait(); err != nil {
		return err
	}
	if err := r.Receive(ctx, 0); err != nil {
		return err
	}
	return errors.Join(m.compare(own, data), r.Close(ctx))
}

// compare compares the values of some points.
func (m *remapping) compare(own couple.List, data []float64) error {
	most := 0.0
	for _, x := range m.from {
		most = max(most, math.Abs(x))
	}
	for i, point := range own {
		want := m.to[point]
		if want == m.missing {
			want = unset
		}
		if !(math.Abs(data[i]-want) <= m.tolerance*most) {
			return fmt.Errorf("point %d gets %.17g, want %.17g", point, data[i], want)
		}
	}
	return nil
}

// missing is the value of points without values in the files that cdo makes here.
const missing = -9e33

// TestWeightsOfCDO opens links with the weights of cdo, in all formats that it writes, and compares the values with those that
// cdo computes in one process.
func TestWeightsOfCDO(t *testing.T) {
	cdo := tool(t, "cdo", "cdo")
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name+".nc") }
	to := "r12x8"
	for name, field := range map[string]string{"whole": "-topo,r36x18", "coast": "-setrtomiss,-20000,0 -topo,r36x18"} {
		cdo("", append([]string{"-s", "-f", "nc", "-b", "F64", "-setmissval,-9e33"}, append(strings.Fields(field), path(name))...)...)
	}
	for _, c := range []struct{ method, field, format, env string }{
		{"gencon", "whole", "nc1", ""}, {"gencon", "coast", "nc2", ""}, {"gencon", "coast", "nc4", "CDO_REMAP_NORM=destarea"},
		{"gencon", "coast", "nc5", "CDO_REMAP_NORM=none"}, {"genbil", "whole", "nc4c", ""}, {"gennn", "coast", "nc2", ""}, {"gendis", "coast", "nc4", ""},
		{"genlaf", "coast", "nc5", ""},
	} {
		t.Run(strings.Join([]string{c.method, c.field, c.format, c.env}, " "), func(t *testing.T) {
			file, result := path(c.method+c.field+c.format+c.env), path("result")
			cdo(c.env, "-s", "-f", c.format, c.method+","+to, path(c.field), file)
			cdo(c.env, "-s", "-O", "-f", "nc", "-b", "F64", "remap,"+to+","+file, path(c.field), result)
			m := &remapping{file: file, from: valuesOf(t, path(c.field), "topo"), to: valuesOf(t, result, "topo"), missing: missing, tolerance: 1e-14}
			for _, m.atSender = range []bool{false, true} {
				forEach(t, []int{2, 5}, m.play)
			}
		})
	}
}

// TestWeightsOfNCO does the same with files of ncremap, which have the format of ESMF_RegridWeightGen with records, and with
// files of package weights, which ncremap reads.
func TestWeightsOfNCO(t *testing.T) {
	cdo, ncks, ncremap := tool(t, "cdo", "cdo"), tool(t, "ncks", "nco"), tool(t, "ncremap", "nco")
	t.Chdir(t.TempDir())
	for _, x := range [][2]string{{"s", "r18x9"}, {"d", "n4"}} {
		cdo("", "-s", "-f", "nc", "-b", "F64", "topo,"+x[1], x[0]+".nc")
		ncks("", "-O", "--rgr", "infer", "--rgr", "scrip="+x[0]+"_grid.nc", x[0]+".nc", "unused.nc")
	}
	ncremap("", "-a", "nco_con", "-s", "s_grid.nc", "-g", "d_grid.nc", "-m", "map.nc")
	made(t, "conservative.nc", weights.Options{Method: weights.Conservative})
	made(t, "nearest.nc", weights.Options{Method: weights.Nearest, Neighbours: 3})
	for _, file := range []string{"map.nc", "conservative.nc", "nearest.nc"} {
		ncremap("", "-m", file, "s.nc", "result.nc")
		m := &remapping{file: file, from: valuesOf(t, "s.nc", "topo"), to: valuesOf(t, "result.nc", "topo"), missing: missing, tolerance: 1e-14}
		for _, m.atSender = range []bool{false, true} {
			t.Run(fmt.Sprint(file, m.atSender), func(t *testing.T) { forEach(t, []int{3}, m.play) })
		}
	}
}

// made makes a file with weights between the grids of two files.
func made(t *testing.T, name string, o weights.Options) {
	t.Helper()
	from, err := weights.ReadGrid("s_grid.nc", "")
	if err != nil {
		t.Fatal(err)
	}
	to, err := weights.ReadGrid("d_grid.nc", "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := weights.Make(from, to, o)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.WriteNetCDF(file), file.Close()); err != nil {
		t.Fatal(err)
	}
}
