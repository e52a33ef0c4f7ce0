package tests

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// meshRun is a run of the lake, the air and a third program, which gets the fields in a description of links.
type meshRun struct {
	lakes, airs int
	links       string
	third       string
}

// out runs the programs under both MPIs and returns their output.
func (r *meshRun) out(t *testing.T) string {
	t.Helper()
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	sandbox := suite.Sandbox(t)
	text := fmt.Sprintf("couple:\n%sjobs:\n  - {launcher: %s, np: %d, command: %s}\n  - {launcher: %s, np: %d, command: %s}\n  - {launcher: acprun, np: 1, command: %s}\n",
		r.links, openmpi.Mpirun, r.lakes, suite.ExampleMPI(t, "mesh/lake", openmpi), mpich.Mpirun, r.airs, suite.ExampleMPI(t, "mesh/air", mpich), r.third)
	return sandbox.Must("macprun", sandbox.Write("run.yaml", text))
}

// TestMeshModels couples triangles with the cells of a grid, in several decompositions. The keeper fails if heat is lost.
func TestMeshModels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lakes, airs int }{{1, 1}, {2, 3}} {
		t.Run(fmt.Sprintf("%d+%d", c.lakes, c.airs), func(t *testing.T) {
			run := meshRun{c.lakes, c.airs,
				"  - {from: lake.heat, to: keeper.lake, every: 100}\n  - {from: air.heat, to: keeper.air, every: 100}\n",
				suite.GoExample(t, "mesh/keeper") + " -every 100"}
			if out := run.out(t); strings.Count(out, "keeper: step") != 5 || !strings.Contains(out, "keeper: in 400 steps") {
				t.Errorf("the keeper says\n%s", out)
			}
		})
	}
}

// TestMeshPictures attaches a painter to the same programs. The west of the lake is cold in the first picture, and
// warm in the last.
func TestMeshPictures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := meshRun{2, 2,
		"  - {from: lake.corners, to: painter.corners, every: 1000000}\n" +
			"  - {from: lake.temperature, to: painter.lake, every: 200}\n  - {from: air.temperature, to: painter.air, every: 200}\n",
		suite.GoExample(t, "mesh/painter") + " -every 200 -to " + dir}
	if out := run.out(t); !strings.Contains(out, "painter: 3 pictures, the last one is "+filepath.Join(dir, "picture-0400.png")) {
		t.Errorf("the painter says\n%s", out)
	}
	first, last := readPicture(t, filepath.Join(dir, "picture-0000.png")), readPicture(t, filepath.Join(dir, "picture-0400.png"))
	west := func(p image.Image) (red uint32) {
		red, _, _, _ = p.At(20, 120).RGBA()
		return red
	}
	if west(first) >= west(last) {
		t.Errorf("in the west of the lake red goes from %d to %d", west(first), west(last))
	}
}

// readPicture returns the picture in a file.
func readPicture(t *testing.T, name string) image.Image {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := png.Decode(f)
	if err != nil || p.Bounds().Dx() != 488 || p.Bounds().Dy() != 240 {
		t.Fatalf("%s: %v, %v", name, p, err)
	}
	return p
}
