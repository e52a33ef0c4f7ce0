//go:build slurm

package slurm

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// cluster is Slurm on two hosts of a sandbox. Each has 4 processors in the configuration of Slurm.
type cluster struct {
	*harness.Sandbox
	t       *testing.T
	hosts   []harness.Host
	daemons []*harness.Command
}

// newCluster starts Slurm. The remote shell of the sandbox is removed: srun has to replace it.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{Sandbox: suite.Sandbox(t), t: t}
	c.Limit = daemonLimit
	c.hosts = c.Hosts(2)
	// Paths of sockets are short.
	dir, err := os.MkdirTemp("", "acpslurm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	// The hosts share one /tmp, where the PMIx servers of both would conflict.
	for _, host := range c.hosts {
		if err := os.Mkdir(filepath.Join(dir, "tmp-"+host.Name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	library, err := filepath.Glob(filepath.Join(*root, "usr/lib/*-linux-gnu*"))
	if err != nil || len(library) != 1 {
		t.Fatalf("%s has the libraries %v, expected one folder of them: %v", *root, library, err)
	}
	plugins := filepath.Join(library[0], "slurm-wlm")
	config := filepath.Join(dir, "slurm.conf")
	text := strings.NewReplacer("DIR", dir, "PLUGINS", plugins, "HOST0", c.hosts[0].Name, "HOST1", c.hosts[1].Name,
		"ADDRESS", c.hosts[0].Addr).Replace(configuration)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c.Env = append(c.Env, "ACP_RSH=", "SLURM_CONF="+config, "LD_LIBRARY_PATH="+library[0]+":"+plugins,
		"PATH="+filepath.Join(*root, "usr/bin")+":"+filepath.Dir(suite.Bin(t, "acprun"))+":"+os.Getenv("PATH"),
		// Transports of MPI that use shared memory would treat the hosts as one.
		"UCX_TLS=tcp,self", "OMPI_MCA_btl=tcp,self")
	c.startMunge(dir)
	server := filepath.Join(*root, "usr/sbin")
	c.daemon(0, filepath.Join(server, "slurmctld-wlm"), "-D", "-c", "-f", config)
	for i, host := range c.hosts {
		c.daemon(i, filepath.Join(server, "slurmd-wlm"), "-D", "-N", host.Name, "-f", config, "-d", filepath.Join(server, "slurmstepd-wlm"))
	}
	t.Cleanup(c.stop)
	c.Limit = limit
	for end := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
		if r := c.Run("", c.command("sinfo"), "-h", "-o", "%t %D"); strings.TrimSpace(r.Stdout) == "idle 2" {
			return c
		} else if time.Now().After(end) {
			logs, _ := exec.Command("sh", "-c", "tail -n 20 "+dir+"/*.log").CombinedOutput()
			t.Fatalf("Slurm does not start: %v\n%s", r, logs)
		}
	}
}

// configuration is the configuration of Slurm.
const configuration = `ClusterName=goacp
SlurmctldHost=HOST0(ADDRESS)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=DIR/munge.sock
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool-%n
TmpFS=DIR/tmp-%n
SlurmctldPidFile=DIR/controller.pid
SlurmdPidFile=DIR/%n.pid
SlurmctldLogFile=DIR/controller.log
SlurmdLogFile=DIR/%n.log
PluginDir=PLUGINS
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1
SwitchType=switch/none
MpiDefault=none
KillWait=5
NodeName=HOST0,HOST1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// command returns the path of a command of Slurm.
func (c *cluster) command(name string) string { return filepath.Join(*root, "usr/bin", name) }

// startMunge starts the daemon by which the parts of Slurm authenticate each other.
func (c *cluster) startMunge(dir string) {
	c.t.Helper()
	key := make([]byte, 128)
	rand.Read(key)
	file := filepath.Join(dir, "munge.key")
	if err := os.WriteFile(file, key, 0o400); err != nil {
		c.t.Fatal(err)
	}
	c.daemon(0, filepath.Join(*root, "usr/sbin/munged"), "--foreground", "--force", "--num-threads=1", "--socket="+filepath.Join(dir, "munge.sock"),
		"--key-file="+file, "--pid-file="+filepath.Join(dir, "munge.pid"), "--log-file="+filepath.Join(dir, "munge.log"),
		"--seed-file="+filepath.Join(dir, "munge.seed"))
}

// daemon starts a daemon on a host.
func (c *cluster) daemon(host int, argv ...string) {
	c.t.Helper()
	c.daemons = append(c.daemons, c.StartOn(host, strings.NewReader(""), argv...))
}

// stop ends Slurm.
func (c *cluster) stop() {
	for _, d := range c.daemons {
		d.Signal(syscall.SIGKILL)
		d.Wait()
	}
	c.daemons = nil
}

// nothingLeft checks that a run that has ended has left nothing.
func (c *cluster) nothingLeft() {
	c.t.Helper()
	c.stop()
	c.GoneWithin(time.Now(), 2*time.Second)
}

// allocate starts a command inside an allocation of two hosts with this number of tasks on each.
func (c *cluster) allocate(tasks int, argv ...string) *harness.Command {
	c.t.Helper()
	return c.Start(append([]string{c.command("salloc"), "-Q", "-N2", fmt.Sprintf("--ntasks-per-node=%d", tasks)}, argv...)...)
}

// must runs a command of Slurm to its end and returns its output.
func (c *cluster) must(name string, argv ...string) string {
	c.t.Helper()
	return strings.TrimSpace(c.Must(append([]string{c.command(name)}, argv...)...))
}

// job returns the number of the only job that runs.
func (c *cluster) job() string {
	c.t.Helper()
	return c.must("squeue", "-h", "-t", "R", "-o", "%i")
}
