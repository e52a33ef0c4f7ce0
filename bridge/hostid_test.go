package bridge

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestHost(t *testing.T) {
	a, err := LocalHost()
	if err != nil {
		t.Fatal(err)
	}
	b, err := LocalHost()
	if err != nil || a != b || a == (HostID{}) {
		t.Errorf("%x, then %x, %v", a, b, err)
	}
	if hashHost([]string{"ab", "c"}) == hashHost([]string{"a", "bc"}) {
		t.Error("different parts, one identity")
	}
	if len(a.String()) != 8 {
		t.Errorf("%q", a.String())
	}
}

// Processes in another network namespace are on another host.
func TestHostSeesNamespaces(t *testing.T) {
	if os.Getenv("BRIDGE_TEST_PRINT_HOST") != "" {
		id, err := LocalHost()
		t.Logf("host identity %x, %v", id, err)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	print := func(t *testing.T, wrapper ...string) string {
		t.Helper()
		args := append(wrapper, self, "-test.run=^TestHostSeesNamespaces$", "-test.v")
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "BRIDGE_TEST_PRINT_HOST=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			if len(wrapper) > 0 && os.Geteuid() != 0 {
				t.Skipf("%v is not permitted: %v: %s", wrapper, err, out)
			}
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		_, id, _ := strings.Cut(string(out), "host identity ")
		id, _, _ = strings.Cut(id, "\n")
		return id
	}
	here, again, there := print(t), print(t), print(t, "unshare", "--net")
	if here != again || !strings.Contains(here, "<nil>") {
		t.Errorf("two processes: %s and %s", here, again)
	}
	if here == there {
		t.Errorf("another network namespace is the same host: %s", there)
	}
}
