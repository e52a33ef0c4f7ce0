package endpoint

import (
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLoopbackDown listens and connects in network namespaces whose loopback interface is down: as root, and
// as a user without the right to bring it up.
func TestLoopbackDown(t *testing.T) {
	if os.Getenv("ENDPOINT_TEST_LOOPBACK") != "" {
		sockets, err := Choice{}.Listen([]netip.Addr{Loopback()})
		if err != nil {
			t.Log("cannot listen:", err)
			return
		}
		defer sockets[0].Close()
		conn, err := net.DialTimeout("tcp", sockets[0].Addr().String(), 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		t.Log("connected")
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("a network namespace needs root")
	}
	for _, test := range []struct {
		name string
		user *syscall.Credential
		want string
	}{
		{"root", nil, "connected\n"},
		{"nobody", &syscall.Credential{Uid: 65534, Gid: 65534}, "cannot listen: the loopback interface lo is down, by which the processes of a host reach each other: operation not permitted; `ip link set lo up` brings it up\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			// The path of the test may be closed to other users.
			cmd := exec.Command("/proc/self/exe", "-test.run=^TestLoopbackDown$", "-test.v")
			cmd.Dir, cmd.Env = "/", append(os.Environ(), "ENDPOINT_TEST_LOOPBACK=1")
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Credential: test.user, Pdeathsig: syscall.SIGKILL}
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), test.want) {
				t.Errorf("%v, output %s\nexpected %s", err, out, test.want)
			}
		})
	}
}
