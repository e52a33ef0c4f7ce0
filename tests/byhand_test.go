package tests

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// TestLinkedByHand links programs of gp.h, armci.h and dmi_api.h without the wrapper compilers, with any combination of archives
// and shared libraries. All ranks belong to one run: a program uses one libacp, even if a shared library names
// another.
func TestLinkedByHand(t *testing.T) {
	suite.C(t, "allgather") // skips if the tree is not built
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Fatal(err)
	}
	library := func(name string) string { return suite.Library(harness.MPI{}, name) }
	folder := filepath.Dir(library("libacp.a"))
	sandbox := suite.Sandbox(t)
	sources := map[string]string{
		"gp": sandbox.Write("gp.c", `#include <acp.h>
#include <gp.h>
#include <stdio.h>
int main(void) {
  int ten = 10;
  GP_Initialize();
  int array = GP_Create_handle();
  GP_Set_dimensions(array, 1, &ten);
  if (GP_Allocate(array) == 0 || acp_sync() != 0)
    return 1;
  printf("rank %d of %d\n", acp_rank(), acp_procs());
  fflush(stdout);
  GP_Destroy(array);
  GP_Terminate();
  return acp_rank() != -1;
}
`),
		"armci": sandbox.Write("armci.c", `#include <acp.h>
#include <armci.h>
#include <stdio.h>
int main(void) {
  void *blocks[2];
  if (ARMCI_Init() != 0 || ARMCI_Malloc(blocks, 8) != 0)
    return 1;
  ARMCI_Barrier();
  printf("rank %d of %d\n", acp_rank(), acp_procs());
  fflush(stdout);
  ARMCI_Free(blocks[acp_rank()]);
  ARMCI_Finalize();
  return 0;
}
`),
		"dmi": sandbox.Write("dmi.c", `#include <dmi_api.h>
int32_t DMI_scaleunit(int rank, int all, int64_t addr) {
  outn("rank %d of %d", rank, all);
  return addr != 0;
}
void DMI_main(int argc, char **argv) { catch(DMI_rescale(argc == 1 && argv != NULL, 2, 1)); }
`),
	}
	for _, linked := range []string{
		"libgp.a libacp.a", "libgp.a libacp.so", "libgp.so libacp.so", "libgp.so libacp.a", "libacp.a libgp.so",
		"libarmci.a", "libarmci.so libacp.so", "libarmci.so libacp.a", "libacp.a libarmci.so",
		"libdmimain.a libdmi.a libacp.a", "libdmimain.a libdmi.so libacp.so", "libdmimain.a libdmi.so libacp.a",
	} {
		t.Run(linked, func(t *testing.T) {
			name := "gp"
			for _, other := range []string{"armci", "dmi"} {
				if strings.Contains(linked, other) {
					name = other
				}
			}
			program := filepath.Join(sandbox.Dir, name)
			command := []string{compiler, "-I" + filepath.Join(filepath.Dir(folder), "include"), sources[name]}
			for _, l := range strings.Fields(linked) {
				command = append(command, library(l))
			}
			sandbox.Must(append(command, "-Wl,-rpath,"+folder, "-lresolv", "-lpthread", "-ldl", "-o", program)...)
			lines(t, sandbox.Must("acprun", "-np", "2", program), "rank 0 of 2$", "rank 1 of 2$")
		})
	}
}
