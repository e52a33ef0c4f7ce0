package tests

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// otherUser is the id of a user without any process of the run.
const otherUser = 65534

// crowd opens count silent connections to each address, from host i if there are several,
// and holds them until the test ends.
func crowd(t *testing.T, sandbox *harness.Sandbox, host, uid, count int, addrs []string) {
	t.Helper()
	argv := []string{suite.C(t, "crowd"), strconv.Itoa(count), strconv.Itoa(uid)}
	for _, a := range addrs {
		ip, port, err := net.SplitHostPort(a)
		if err != nil {
			t.Fatal(err)
		}
		argv = append(argv, ip, port)
	}
	input, release, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	t.Cleanup(func() { release.Close() })
	sandbox.StartOn(host, input, argv...).Output(func(text string) bool { return strings.Contains(text, "open") })
}

// TestCrowdOfStrangers opens thousands of silent connections to the rendezvous before the ranks
// join, and to the agents before they make contact. They come from another user of the host, from
// the same user, or from another host. They do not disturb the run.
func TestCrowdOfStrangers(t *testing.T) {
	for _, c := range []struct {
		name     string
		hosts    int
		stranger int // host
		uid      int
	}{
		{"another user", 0, 0, otherUser},
		{"the same user", 0, 0, os.Geteuid()},
		{"another host", 3, 2, otherUser},
	} {
		t.Run(c.name, func(t *testing.T) {
			harness.NeedRoot(t)
			sandbox := suite.Sandbox(t)
			var options []string
			if c.hosts > 0 {
				sandbox.Hosts(c.hosts)
				options = []string{"-nodefile", sandbox.Nodefile(0, 1, 0)}
			}
			// Until the file exists the processes have not called acp_init.
			script := sandbox.Script("late", "echo started\nwhile [ ! -e '"+sandbox.Dir+"/go' ]; do sleep 0.05; done\nexec "+suite.C(t, "streams")+"\n")
			sandbox.Limit = time.Minute
			s := &stopped{sandbox: sandbox}
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer read.Close()
			defer write.Close()
			s.input = write
			argv := append([]string{"acprun", "-np", "3", "-net", "tcp", "-smemsize", starterSize}, options...)
			s.run = sandbox.StartRead(read, append(argv, script)...)
			s.run.Output(func(text string) bool { return strings.Count(text, "started") == 3 })

			var rendezvous []string
			for _, p := range sandbox.Processes() {
				if list := p.Environ("ACP_RENDEZVOUS"); list != "" {
					rendezvous = strings.Split(list, ",")
				}
			}
			crowd(t, sandbox, c.stranger, c.uid, 3000, rendezvous)
			sandbox.Write("go", "")
			ready(t, s.run, 3)

			var agents []string
			for addr := range listening(t, sandbox.Processes()) {
				if addr != rendezvous[0] {
					agents = append(agents, addr)
				}
			}
			if len(agents) != 3 {
				t.Fatalf("agents listen at %v, expected one address each", agents)
			}
			crowd(t, sandbox, c.stranger, c.uid, 1000, agents)
			s.finish(t)
		})
	}
}

// TestInterface chooses interfaces and ports for a run on two hosts.
func TestInterface(t *testing.T) {
	sandbox := suite.Sandbox(t)
	hosts := sandbox.Hosts(2)
	nodefile := sandbox.Nodefile(0, 1, 0)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	run := sandbox.StartRead(read, "acprun", "-np", "3", "-net", "tcp", "-smemsize", starterSize, "-nodefile", nodefile,
		"-interface", "eth0", "-portrange", "41000-41020", suite.C(t, "streams"))
	ready(t, run, 3)
	found := listening(t, sandbox.Processes())
	if len(found) != 4 {
		t.Errorf("listening at %v, expected one address of each rank and of the rendezvous", found)
	}
	for addr := range found {
		ip, port, _ := net.SplitHostPort(addr)
		if n, _ := strconv.Atoi(port); n < 41000 || n > 41020 || ip != hosts[0].Addr && ip != hosts[1].Addr {
			t.Errorf("listening at %s, expected ports 41000-41020 of eth0", addr)
		}
	}
	fmt.Fprintln(write, "go on")
	fmt.Fprintln(write, "go on")
	write.Close()
	if r := run.Wait(); r.Status != 0 || !strings.Contains(r.Stdout, "right") {
		t.Errorf("%v", r)
	}

	for name, c := range map[string]struct {
		options []string
		want    string
	}{
		"no such interface":        {[]string{"-interface", "ib7"}, "option -interface (ACP_INTERFACE): this host has no ib7; it has lo (127.0.0.1)"},
		"not on the other host":    {[]string{"-interface", hosts[0].Addr}, "option -interface (ACP_INTERFACE): this host has no 10.213.0.1; it has lo (127.0.0.1)"},
		"too few ports for ranks":  {[]string{"-portrange", "41000-41001"}, "option -portrange (ACP_PORTRANGE): all ports from 41000 to 41001 of 10.213.0.1 are in use"},
		"malformed range of ports": {[]string{"-portrange", "41000"}, `option -portrange: "41000": expected the first and the last port`},
	} {
		t.Run(name, func(t *testing.T) {
			argv := append([]string{"acprun", "-np", "3", "-net", "tcp", "-nodefile", nodefile}, c.options...)
			if r := sandbox.Run("", append(argv, suite.C(t, "ring"), "1", "1")...); r.Status == 0 || !strings.Contains(r.Stderr, c.want) {
				t.Errorf("expected %q: %v", c.want, r)
			}
		})
	}
}
