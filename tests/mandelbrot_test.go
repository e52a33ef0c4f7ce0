package tests

import (
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// TestMandelbrot lets two jobs, in Go and in C with MPI, work through one queue. The program checks
// the picture.
func TestMandelbrot(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			sandbox := suite.Sandbox(t)
			picture := filepath.Join(sandbox.Dir, "picture.png")
			out := sandbox.MustRead(jobs(
				job{"acprun", 2, suite.GoExample(t, "mandelbrot") + " -width 210 -height 140 -limit 2000 -rows 3 -o " + picture},
				job{mpi.Mpirun, 3, suite.ExampleMPI(t, "mandelbrot_macp", mpi)},
			), "macprun")
			lines(t, out,
				`rank 0, in Go: \d+ rows$`, `rank 1, in Go: \d+ rows$`, `rank 2, in C with MPI: \d+ rows$`,
				`rank 3, in C with MPI: \d+ rows$`, `rank 4, in C with MPI: \d+ rows$`,
				`210 x 140 points by 5 ranks, the same as by one: `+regexp.QuoteMeta(picture)+`$`)
			sum := 0
			for _, m := range regexp.MustCompile(`: (\d+) rows`).FindAllStringSubmatch(out, -1) {
				n, _ := strconv.Atoi(m[1])
				sum += n
			}
			if sum != 140 {
				t.Errorf("%d rows were computed, expected 140", sum)
			}
			f, err := os.Open(picture)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			m, err := png.Decode(f)
			if err != nil || m.Bounds().Dx() != 210 || m.Bounds().Dy() != 140 {
				t.Errorf("the picture is %v, %v", m, err)
			}
		})
	}
}
