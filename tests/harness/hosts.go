package harness

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Host is one of the hosts into which Sandbox.Hosts has divided the machine. It has its own network,
// processes, host name and /dev/shm.
type Host struct {
	Name string
	Addr string // IPv4 address

	holder *holder
}

// network joins the hosts of a sandbox by a switch or a Hub. Holders keep the namespaces, so nothing has
// to be removed: a namespace ends with the processes in it, and a holder ends with the test binary.
type network struct {
	list []Host
	// sw is the namespace of the switch: a bridge, and of every host the other
	// end of its cable. It is nil where a Hub joins the hosts.
	sw *holder
	// onHost is a program that runs a command on a host: onhost HOST COMMAND …
	onHost string
	// agent is a remote shell: agent HOST COMMAND …
	agent string
	shm   string
}

// holder is a process that keeps namespaces until its standard input ends.
type holder struct {
	pid   int
	input io.Closer
	cmd   *exec.Cmd
}

// Hosts divides the machine into n hosts. From now on commands of the sandbox run on
// the first, and reach the others by the remote shell that is in their environment.
// The test is skipped if this needs more rights than it has.
func (b *Sandbox) Hosts(n int) []Host {
	t := b.t
	t.Helper()
	NeedRoot(t)
	sw := hold(t, []string{"--net"}, "")
	sw.run(t, "ip", "link", "add", "br0", "type", "bridge")
	sw.run(t, "ip", "link", "set", "br0", "up")
	hosts := b.divide(n, func(h *Host, i int) { sw.cable(t, h, i) })
	b.hosts.sw = sw
	return hosts
}

// divide makes the hosts. connect gives each of them the interface eth0.
func (b *Sandbox) divide(n int, connect func(h *Host, i int)) []Host {
	t := b.t
	t.Helper()
	NeedRoot(t)
	w := &network{shm: b.shm}
	names := "127.0.0.1 localhost\n"
	for i := range n {
		w.list = append(w.list, Host{Name: fmt.Sprintf("host%d", i), Addr: fmt.Sprintf("10.213.0.%d", i+1)})
		names += w.list[i].Addr + " " + w.list[i].Name + "\n"
	}
	hosts := b.Write("hosts", names)
	hostCases := ""
	for i := range w.list {
		w.list[i].open(t, w, hosts, func() { connect(&w.list[i], i) })
		hostCases += fmt.Sprintf("%s) pid=%d ;;\n", w.list[i].Name, w.list[i].holder.pid)
	}
	w.onHost = b.Script("onhost", `host=$1
shift
case $host in
`+hostCases+`*) echo "no host $host" >&2; exit 255 ;;
esac
exec nsenter --target $pid --net --uts --mount --pid sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"
`)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	socket := w.serveAgents(t, b.suite.dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=/", b.mark, "TMPDIR=" + b.tmp, "GOTRACEBACK=all"})
	w.agent = b.Script("agent", fmt.Sprintf("exec '%s' %s '%s' \"$@\"\n", self, agentArg, socket))
	b.hosts = w
	b.Env = append(b.Env, "ACP_RSH="+w.agent)
	return w.list
}

// open makes the host, which connect gives its interface.
func (h *Host) open(t *testing.T, w *network, hosts string, connect func()) {
	t.Helper()
	shm := filepath.Join(w.shm, h.Name)
	if err := os.Mkdir(shm, 0o755); err != nil {
		t.Fatal(err)
	}
	h.holder = hold(t, []string{"--net", "--uts", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"},
		fmt.Sprintf("hostname %s && mount --bind '%s' /dev/shm && mount --bind '%s' /etc/hosts && ip link set lo up && ", h.Name, shm, hosts))
	connect()
	h.holder.run(t, "ip", "addr", "add", h.Addr+"/24", "dev", "eth0")
	h.holder.run(t, "ip", "link", "set", "eth0", "up")
}

// cable connects host i to the switch, whose namespace sw keeps.
func (sw *holder) cable(t *testing.T, h *Host, i int) {
	t.Helper()
	port := "port" + strconv.Itoa(i)
	sw.run(t, "ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", strconv.Itoa(h.holder.pid))
	sw.run(t, "ip", "link", "set", port, "master", "br0")
	sw.run(t, "ip", "link", "set", port, "up")
}

// hold starts a holder of new namespaces, which first runs the shell commands
// prepare, a list of "command && ".
func hold(t *testing.T, namespaces []string, prepare string) *holder {
	t.Helper()
	args := append(slices.Clone(namespaces), "--", "sh", "-c", prepare+"echo ready && exec cat")
	cmd := exec.Command("unshare", args...)
	// A process with the mark in its environment counts as a process of a run. The holder does not
	// belong to a run, so it has no mark.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errors strings.Builder
	cmd.Stderr = &errors
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		input.Close()
		_ = cmd.Wait()
		t.Fatalf("%v: %q, %v: %s", cmd.Args, line, err, errors.String())
	}
	h := &holder{pid: cmd.Process.Pid, input: input, cmd: cmd}
	if slices.Contains(namespaces, "--fork") {
		h.pid = childOf(cmd.Process.Pid)
	}
	return h
}

// childOf returns the only child of a process, 0 if there is none.
func childOf(parent int) int {
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(children)))
	return pid
}

// run runs a command in the network namespace of h. It fails the test if that fails.
func (h *holder) run(t *testing.T, argv ...string) {
	t.Helper()
	if err := h.command(argv...); err != nil {
		t.Fatal(err)
	}
}

// command is run for any goroutine.
func (h *holder) command(argv ...string) error {
	cmd := exec.Command("nsenter", append([]string{"--target", strconv.Itoa(h.pid), "--net"}, argv...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", argv, err, out)
	}
	return nil
}

// Cut pulls the network cable of host i out of the switch, or plugs it in again.
func (b *Sandbox) Cut(i int, cut bool) {
	b.t.Helper()
	state := "up"
	if cut {
		state = "down"
	}
	b.hosts.sw.run(b.t, "ip", "link", "set", "port"+strconv.Itoa(i), state)
}

// SetLink sets the network interface of host i up or down. The host notices it at once.
func (b *Sandbox) SetLink(i int, up bool) error {
	state := "down"
	if up {
		state = "up"
	}
	return b.hosts.list[i].holder.command("ip", "link", "set", "eth0", state)
}

// Nodefile writes a nodefile with the given hosts, one per line, and returns its
// path.
func (b *Sandbox) Nodefile(hosts ...int) string {
	b.t.Helper()
	text := ""
	for _, i := range hosts {
		text += b.hosts.list[i].Name + "\n"
	}
	return b.Write("nodefile", text)
}

// On reports whether a process runs on host i.
func (b *Sandbox) On(process Process, i int) bool {
	ns := process.network()
	return ns != "" && ns == Process{PID: b.hosts.list[i].holder.pid}.network()
}

// InNetwork calls f in the network of host i. The sockets that f makes stay there.
func (b *Sandbox) InNetwork(i int, f func() error) error {
	ns, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", b.hosts.list[i].holder.pid))
	if err != nil {
		return err
	}
	defer ns.Close()
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocks it, so that the thread ends with this goroutine
		err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET)
		if err == nil {
			err = f()
		}
		ended <- err
	}()
	return <-ended
}

// owns reports whether the network made path itself.
func (w *network) owns(path string) bool {
	return w != nil && slices.ContainsFunc(w.list, func(h Host) bool { return path == filepath.Join(w.shm, h.Name) })
}
