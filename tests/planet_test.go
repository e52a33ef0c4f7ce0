package tests

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// planet is a folder with the grids of examples/planet, and the programs of its description.
type planet struct {
	sandbox *harness.Sandbox
	text    string // of the description
}

// newPlanet makes the grids and the weights.
func newPlanet(t *testing.T, text string) *planet {
	t.Helper()
	p := &planet{suite.Sandbox(t), text}
	p.sandbox.Must(suite.GoAt(t, "examples/planet", "grids"), ".")
	return p
}

// run runs some steps of the ocean, and returns the lines of the models in order.
func (p *planet) run(t *testing.T, oceanSteps int, more string) (ocean, air, painter string) {
	t.Helper()
	steps := strconv.Itoa(4*oceanSteps) + " ." + more
	description := strings.NewReplacer(" 48 .", " "+steps, " 12 . planet.png", " "+strconv.Itoa(oceanSteps)+" . planet.png").Replace(p.text)
	for line := range strings.Lines(p.sandbox.Must("macprun", p.sandbox.Write("planet.yaml", description))) {
		for name, to := range map[string]*string{"ocean: ": &ocean, "air: ": &air, "painter: ": &painter} {
			if strings.HasPrefix(line, name) {
				*to = strings.TrimSpace(line)
			}
		}
	}
	return ocean, air, painter
}

// file returns the content of a file.
func (p *planet) file(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.sandbox.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// got returns the heat that a line says the ocean has got.
func got(t *testing.T, line string) float64 {
	t.Helper()
	m := regexp.MustCompile(`has got +(\S+),`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("no heat in %q", line)
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestPlanetExample runs the ocean in Fortran under Open MPI, the atmosphere in C under MPICH and the painter: the ocean gets the heat that
// the atmosphere gives, and a run in two parts has the bits of one in one part.
func TestPlanetExample(t *testing.T) {
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	text, err := os.ReadFile(suite.Source("examples", "planet", "planet.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	description := strings.NewReplacer(
		"./ocean", suite.FortranMPI(t, openmpi, "examples/planet/ocean"), "./air", suite.CAtMPI(t, "examples/planet/air", mpich, "-lm"),
		"./painter", suite.GoAt(t, "examples/planet", "painter"), "mpirun.openmpi", openmpi.Mpirun, "mpirun.mpich", mpich.Mpirun,
	).Replace(string(text))
	whole, parts := newPlanet(t, description), newPlanet(t, description)
	ocean, air, painter := whole.run(t, 12, "")
	if a, b := got(t, ocean), got(t, air); math.Abs(a-b) > 1e-11*math.Abs(b) || a == 0 {
		t.Errorf("the ocean has got %v, and the atmosphere has given %v", a, b)
	}
	if first, _, _ := parts.run(t, 6, ""); first == ocean {
		t.Errorf("half of the steps print %q, too", first)
	}
	again, airAgain, painterAgain := parts.run(t, 6, " continue")
	if again != ocean || airAgain != air || painterAgain != painter {
		t.Errorf("in two parts: %q, %q, %q; expected %q, %q, %q", again, airAgain, painterAgain, ocean, air, painter)
	}
	for _, name := range []string{"ocean.0", "ocean.1", "air.0", "air.1", "air.2", "planet.png"} {
		if a, b := whole.file(t, name), parts.file(t, name); !bytes.Equal(a, b) || len(a) < 100 {
			t.Errorf("%s has %d bytes, and %d others in two parts", name, len(a), len(b))
		}
	}
}
