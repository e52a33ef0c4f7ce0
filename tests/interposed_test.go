package tests

import (
	"os/exec"
	"regexp"
	"slices"
	"testing"
)

// interposed are functions of MPI and UCX in the output of nm.
var interposed = regexp.MustCompile(`(?m) T ((?:MPI|ucp)_\w+)(?:@@\S+)?$`)

// TestInterposedFunctionsAreShown: libmacp.so exports every function of MPI and UCX that libmacp.a
// defines. If the version script hid one, MPI would call its own function instead.
func TestInterposedFunctionsAreShown(t *testing.T) {
	for name, some := range map[string]string{"openmpi": "MPI_Init", "mpich": "ucp_disconnect_nb"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			functions := func(options ...string) (names []string) {
				out, err := exec.Command("nm", options...).Output()
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range interposed.FindAllStringSubmatch(string(out), -1) {
					names = append(names, m[1])
				}
				slices.Sort(names)
				return names
			}
			defined := functions(suite.Library(mpi, "libmacp.a"))
			shown := functions("-D", suite.Library(mpi, "libmacp.so"))
			if !slices.Contains(defined, some) || !slices.Equal(defined, shown) {
				t.Errorf("libmacp.a defines %q\nlibmacp.so shows %q\n%s has to be among them", defined, shown, some)
			}
		})
	}
}
