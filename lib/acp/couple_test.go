//go:build cgo

package libacp

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/goacp/goacp/internal/acptest/machine"
	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/ground/netcdf"
	"github.com/goacp/goacp/weights"
)

// TestEveryCouplingFunction: a program that calls every function of acp_couple.h compiles without a warning in
// every language that the header supports, and works.
func TestEveryCouplingFunction(t *testing.T) {
	weights := map[string]string{"shm": weightFile(t)}
	weights["tcp"] = inNetCDF4(t, weights["shm"])
	for _, l := range languages {
		t.Run(l.standard, func(t *testing.T) {
			want := symbols(t, "couple_symbols")
			path, called := l.program(t, "couple_every", "couple_every_weights", "couple_every_grid", "couple_every_time", "couple_every_watch", "couple_every_inspect", "couple_every_implicit")
			maps.DeleteFunc(called, func(name string, _ bool) bool { return !want[name] })
			if !reflect.DeepEqual(called, want) {
				t.Errorf("it calls %v, expected %v", names(called), names(want))
			}
			for _, net := range []string{"shm", "tcp"} {
				t.Run(net, func(t *testing.T) {
					allWell(t, together(t, 2, []string{"ACP_NET=" + net, "ACP_COUPLE=" + everyLink, "WEIGHTS=" + weights[net], "STATE_FOLDER=" + t.TempDir()}, path), "")
				})
			}
		})
	}
}

// weightFile returns a netCDF file with the matrix of testdata/couple_every_weights.c.
func weightFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "weights.nc")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	entries := []string{"n_s"}
	err = netcdf.Write(file, []netcdf.Dimension{{Name: "n_a", Length: 3}, {Name: "n_b", Length: 2}, {Name: "n_s", Length: 4}}, nil, []netcdf.Content{
		{Name: "row", Dimensions: entries, Values: []int32{2, 1, 2, 1}},
		{Name: "col", Dimensions: entries, Values: []int32{3, 1, 3, 2}},
		{Name: "S", Dimensions: entries, Values: []float64{1, 0.5, 1, 0.25}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// inNetCDF4 returns a file in netCDF-4 with the contents of another one, or that one if nccopy is not there.
func inNetCDF4(t *testing.T, path string) string {
	t.Helper()
	if _, err := exec.LookPath("nccopy"); err != nil {
		t.Log("no nccopy, so all files are classic ones")
		return path
	}
	to := path + "4"
	if err := command("nccopy", "-k", "nc4", "-d", "1", path, to); err != nil {
		t.Fatal(err)
	}
	return to
}

// everyLink is the description of the run of testdata/couple_every_watch.c and testdata/fortran/couple.f90.
const everyLink = "west.out:east.in,every=2,weights=testdata/three.mtx east.view:west.picture,watch"

// TestCouplingTypes sends fields of every type.
func TestCouplingTypes(t *testing.T) {
	path := program(t, "couple_types")
	for _, net := range []string{"shm", "tcp"} {
		for _, n := range []int{2, 3, 5} {
			t.Run(fmt.Sprintf("%s/%d", net, n), func(t *testing.T) {
				allWell(t, together(t, n, []string{"ACP_NET=" + net}, path), "")
			})
		}
	}
}

// TestCouplingAtRandom opens 10^4 links between random parts of random points, and compares what arrives.
func TestCouplingAtRandom(t *testing.T) {
	path := program(t, "couple_random")
	for _, run := range []struct {
		net          string
		ranks, cases int
	}{{"shm", 1, 2000}, {"shm", 2, 4400}, {"shm", 3, 2300}, {"shm", 5, 600}, {"shm", 7, 100}, {"tcp", 2, 400}, {"tcp", 3, 200}} {
		t.Run(fmt.Sprintf("%s/%d", run.net, run.ranks), func(t *testing.T) {
			allWell(t, together(t, run.ranks, []string{"ACP_NET=" + run.net}, path, "0", strconv.Itoa(run.cases)), "")
		})
	}
}

// TestNearCouplingInC: steps of a link between ranks that share memory do not enter Go, except for what is wrong.
func TestNearCouplingInC(t *testing.T) {
	path := program(t, "couple_near", "-Wl,--wrap=goacp_send_link", "-Wl,--wrap=goacp_receive_link")
	allWell(t, together(t, 1, nil, path), "")
}

// TestLocalZeroCopyCoupling: the last sender of a step copies its values without packing into the array of the receiver, if the array is in
// memory that it maps. If a sender ends before the step, the array is as before. If one is killed before it copies, the others end.
func TestLocalZeroCopyCoupling(t *testing.T) {
	path := program(t, "couple_zerocopy")
	for _, how := range []string{"mapped", "few", "plain", "end"} {
		t.Run(how, func(t *testing.T) {
			allWell(t, together(t, 3, []string{"ACP_NET=shm"}, path, how), "")
		})
	}
	t.Run("die", func(t *testing.T) {
		for rank, e := range together(t, 3, []string{"ACP_NET=shm"}, path, "die") {
			want := ended{status: 1}
			if rank == 1 {
				want.status = -int(syscall.SIGKILL)
			}
			if e != want {
				t.Errorf("rank %d: %v, expected %v", rank, e, want)
			}
		}
	})
}

// TestRemoteZeroCopyCoupling: large messages of C programs on different hosts arrive whole. If a rank is killed while they are on the way, the
// other one ends.
func TestRemoteZeroCopyCoupling(t *testing.T) {
	path := program(t, "couple_remote")
	net := []string{"ACP_NET=tcp"}
	allWell(t, together(t, 2, net, path, "all"), "")
	for dying := range 2 {
		for rank, e := range together(t, 2, net, path, "die", strconv.Itoa(dying)) {
			want := ended{status: 1}
			if rank == dying {
				want.status = -int(syscall.SIGKILL)
			}
			if e != want {
				t.Errorf("rank %d dies: rank %d: %v, expected %v", dying, rank, e, want)
			}
		}
	}
}

// TestClosingInC: models close links in any order, or leave it to acp_finalize. A partner gets all that was sent, and then EPIPE.
func TestClosingInC(t *testing.T) {
	path, seed := program(t, "couple_close"), strconv.FormatUint(rand.Uint64(), 10)
	t.Log("seed ", seed)
	for _, net := range []string{"shm", "tcp"} {
		for _, how := range []string{"same", "opposite", "random", "finalize", "alone"} {
			t.Run(net+"/"+how, func(t *testing.T) {
				n := 2
				if how == "alone" {
					n = 1
				}
				allWell(t, together(t, n, []string{"ACP_NET=" + net}, path, how, seed), "")
			})
		}
	}
}

// TestCouplingReports: ACP_ON_ERROR lets a function write a line about its failure.
func TestCouplingReports(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	write(t, path+".c", `#include <acp_couple.h>
int main(int argc, char **argv) {
  acp_init(&argc, &argv);
  acp_create_model("a.b", NULL, 0);
  acp_send_link(ACP_LINK_NULL, 7);
  return acp_finalize();
}
`)
	if err := command(machine.CC(), "-I.", path+".c", needArchive(t), "-o", path); err != nil {
		t.Fatal(err)
	}
	e := alone(t, []string{"ACP_ON_ERROR=report"}, path)
	want := regexp.MustCompile(`^acp: acp_create_model\(name=0x[0-9a-f]+, ranks=0x0, count=0\) by rank 0: bad model: .*
acp: acp_send_link\(link=0x0, step=7\) by rank 0: link 0x0: there is none with this handle, or not any more
$`)
	if e.status != 0 || !want.MatchString(e.stderr) {
		t.Errorf("%v, expected %v", e, want)
	}
}

// TestCouplingConstants: the types of values have the numbers that they have in Go.
func TestCouplingConstants(t *testing.T) {
	header := readHeader(t, "acp_couple.h")
	inGo := map[string]string{
		"float": "float32", "double": "float64", "float_complex": "complex64", "double_complex": "complex128",
	}
	_, types, _ := strings.Cut(header, "/* Types of values. */\n")
	types, _, _ = strings.Cut(types, "\n\n")
	found := regexp.MustCompile(`#define ACP_(\w+)\s+(\d+)`).FindAllStringSubmatch(types, -1)
	for i, m := range found {
		name := strings.ToLower(m[1])
		if other, ok := inGo[name]; ok {
			name = other
		}
		n, err := strconv.Atoi(m[2])
		if err != nil || n != i+1 || datatype.Kind(n).String() != name {
			t.Errorf("%s is %s in C, and %v in Go", m[1], m[2], datatype.Kind(n))
		}
	}
	if len(found) != int(datatype.Complex128) {
		t.Errorf("C has %d types, and Go %d", len(found), datatype.Complex128)
	}
	for flag, value := range map[string]int{"ACP_ORDER_FORTRAN": flagFortran, "ACP_FILL_HALO": flagFillHalo, "ACP_SAME_NUMBERS": flagSameNumbers,
		"ACP_PLANE": flagPlane, "ACP_REGRID_NEAREST": int(weights.Nearest), "ACP_REGRID_BILINEAR": int(weights.Bilinear), "ACP_REGRID_CONSERVATIVE": int(weights.Conservative)} {
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^#define %s +%d$`, flag, value)).MatchString(header) {
			t.Errorf("%s is not %d", flag, value)
		}
	}
}
