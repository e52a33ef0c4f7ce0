//go:build mpi

package bridge

import (
	"strings"
	"testing"

	"github.com/goacp/goacp/mpi"
)

func TestJoinObstacle(t *testing.T) {
	for _, c := range []struct {
		library mpi.Library
		server  string
		daemon  string
		want    string
	}{
		{mpi.Library{Name: "Open MPI", Version: "4.1.4"}, "", "0.0", "ompi-server"},
		{mpi.Library{Name: "Open MPI", Version: "4.1.4"}, "1.0;tcp://192.0.2.1:1", "0.0", ""},
		{mpi.Library{Name: "Open MPI", Version: "4.1.4"}, "1.0;tcp://192.0.2.1:1", "0.1", "another host"},
		{mpi.Library{Name: "Open MPI", Version: "5.0.1"}, "", "", ""},
		{mpi.Library{Name: "MPICH", Version: "4.0.2"}, "", "", ""},
	} {
		env := map[string]string{EnvNameServer: c.server, envLocalDaemon: c.daemon, envMpirun: "0.0"}
		got := joinObstacle(c.library, func(name string) string { return env[name] })
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v with name server %q: %q, expected %q", c.library, c.server, got, c.want)
		}
	}
}

func TestJoinDomain(t *testing.T) {
	for _, c := range []struct {
		library         mpi.Library
		namespace, want string
	}{
		{mpi.Library{Name: "Open MPI", Version: "5.0.7"}, "prte-node1-29101@2", "DVM prte-node1-29101"},
		{mpi.Library{Name: "Open MPI", Version: "5.0.7"}, "slurm.pmix.17.0", "DVM slurm.pmix.17.0"},
		{mpi.Library{Name: "Open MPI", Version: "4.1.4"}, "1234", ""},
		{mpi.Library{Name: "MPICH", Version: "4.2.1"}, "", ""},
	} {
		got := joinDomain(c.library, func(name string) string { return map[string]string{envNamespace: c.namespace}[name] })
		if got != c.want {
			t.Errorf("%v in %q: %q, expected %q", c.library, c.namespace, got, c.want)
		}
	}
}
