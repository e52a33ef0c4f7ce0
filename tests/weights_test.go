package tests

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/netcdf"
	"github.com/goacp/goacp/tests/harness"
)

// writeGrid writes a file with a grid of nx times ny cells of the sphere.
func writeGrid(t *testing.T, sandbox *harness.Sandbox, name string, nx, ny int) {
	t.Helper()
	xs, ys := make([]float64, nx), make([]float64, ny)
	for i := range xs {
		xs[i] = (float64(i) + 0.5) * 360 / float64(nx)
	}
	for i := range ys {
		ys[i] = -90 + (float64(i)+0.5)*180/float64(ny)
	}
	var file bytes.Buffer
	if err := netcdf.Write(&file, []netcdf.Dimension{{Name: "lat", Length: int64(ny)}, {Name: "lon", Length: int64(nx)}}, nil, []netcdf.Content{
		{Name: "lat", Dimensions: []string{"lat"}, Attributes: map[string]string{"units": "degrees_north"}, Values: ys},
		{Name: "lon", Dimensions: []string{"lon"}, Attributes: map[string]string{"units": "degrees_east"}, Values: xs},
	}); err != nil {
		t.Fatal(err)
	}
	sandbox.Write(name, file.String())
}

// TestWeightsByRanks: the ranks of a run make the file that one process makes, on one host and on two. A grid that is not there ends the run
// with a message that names it.
func TestWeightsByRanks(t *testing.T) {
	program := suite.GoExample(t, "makeweights")
	for _, hosts := range []int{1, 2} {
		sandbox := suite.Sandbox(t)
		writeGrid(t, sandbox, "from.nc", 36, 18)
		writeGrid(t, sandbox, "to.nc", 72, 40)
		launch := []string{"acprun", "-np", "3"}
		if hosts > 1 {
			sandbox.Hosts(hosts)
			launch = append(launch, "-nodefile", sandbox.Nodefile(0, 1, 1))
		}
		launch = append(launch, program)
		content := func(name string) []byte {
			b, err := os.ReadFile(filepath.Join(sandbox.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		for _, method := range []string{"conservative", "bilinear", "nearest"} {
			sandbox.Must("acpweights", "-method", method, "from.nc", "to.nc", method+".nc")
			out := sandbox.Must(append(launch, "-method", method, "from.nc", "to.nc", method+"-3.nc")...)
			if !strings.HasSuffix(out, " weights by 3 ranks\n") {
				t.Errorf("%d hosts, %s: printed %q", hosts, method, out)
			}
			if !bytes.Equal(content(method+".nc"), content(method+"-3.nc")) {
				t.Errorf("%d hosts, %s: the files of one process and of three ranks differ", hosts, method)
			}
		}
		r := sandbox.Run("", append(launch, "absent.nc", "to.nc", "x.nc")...)
		if want := "aborted: open absent.nc: no such file or directory"; r.Status == 0 || !strings.Contains(r.Stderr, want) {
			t.Errorf("%d hosts: %v; expected %q", hosts, r, want)
		}
	}
}
