package tests

import (
	"path/filepath"
	"testing"
)

// TestErrnoOfSharedLibrary: programs that are linked with the shared library see ACP_ERRNO, whether the
// compiler gives them a copy of the variable (as it does without -fPIC) or not.
func TestErrnoOfSharedLibrary(t *testing.T) {
	suite.C(t, "allgather") // skips if the tree is not built
	sandbox := suite.Sandbox(t)
	sandbox.Env = append(sandbox.Env, "ACP_LINK=shared")
	inC := sandbox.Write("errno.c", `#include <acp.h>
#include <stdio.h>
int main(int argc, char **argv) {
  if (acp_init(&argc, &argv) != 0 || acp_unregister_memory(77) != -1)
    return 1;
  printf("%d\n", ACP_ERRNO);
  ACP_ERRNO = 0;
  if (acp_query_rank(ACP_GA_NULL) != -1)
    return 1;
  printf("%d\n", ACP_ERRNO);
  return acp_finalize();
}
`)
	check := func(compile ...string) {
		t.Helper()
		program := filepath.Join(sandbox.Dir, "errno")
		sandbox.Must(append(compile, "-o", program)...)
		lines(t, sandbox.Must(program), "2$", "14$") // ENOENT, EFAULT
	}
	check("acpcc", inC)
	check("acpcc", "-fPIC", inC)
	if suite.HasFortran() {
		check("acpfc", sandbox.Write("errno.f90", `program errno
  use acp
  implicit none
  if (acp_init() /= 0) error stop
  if (acp_unregister_memory(77_acp_atkey_t) /= -1) error stop
  print '(i0)', ACP_ERRNO
  ACP_ERRNO = 0
  if (acp_query_rank(ACP_GA_NULL) /= -1) error stop
  print '(i0)', ACP_ERRNO
  if (acp_finalize() /= 0) error stop
end program errno
`))
	}
}
