package launch

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/process"
	_ "github.com/goacp/goacp/internal/process/announce" // as in a program with the library
)

// The test binary is also the programs that the tests run: acprun, macprun, a
// member of a run, and a remote shell, told apart by the name of the file.
func TestMain(m *testing.M) {
	exe, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	switch filepath.Base(exe) {
	case "acprun":
		end(Acprun(OS()))
	case "macprun":
		end(Macprun(OS()))
	case "member":
		os.Exit(memberMain(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// end ends a launcher. Under the race detector os.Exit sleeps for a second if the environment does not forbid it. A cleaner has
// no environment, and its launcher waits for it at the end of every run.
func end(status int) {
	if slices.Equal(os.Args[1:], []string{process.CleanerArg}) {
		syscall.Exit(status)
	}
	os.Exit(status)
}

// memberMain is a program of a run. Its words are done one after the other:
//
//	join         acp_init: joins the run and waits for all others
//	arrive       is join of a process to whose run others can be added
//	hello        prints "rank R of N pid P"
//	follow       prints "rank R does not come: CAUSE" for each process that does not join
//	leave        acp_finalize
//	abort        acp_abort
//	wait         waits until the run is lost, then exits with status 3
//	hang         sleeps, without noticing anything
//	stubborn     ignores the signals that ask it to end
//	await=N      waits for signal N, and prints "awaits" before
//	exit=N       exits with status N
//	kill=N       kills itself with signal N
//	R:word       does word only if it is number R of its job
func memberMain(words []string) int {
	var boot bridge.Bootstrap
	for _, word := range words {
		if number, only, ok := strings.Cut(word, ":"); ok {
			if number != jobRankOfTest() {
				continue
			}
			word = only
		}
		name, value, _ := strings.Cut(word, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "join", "arrive":
			var err error
			if boot, err = joinOfTest(name == "arrive"); err != nil {
				fmt.Fprintln(os.Stderr, "member:", err)
				return 4
			}
		case "hello":
			fmt.Printf("rank %d of %d pid %d\n", boot.Member(), boot.Cohort().Size, os.Getpid())
		case "follow":
			if err := boot.Follow(sayFailedJoin); err != nil {
				fmt.Fprintln(os.Stderr, "member:", err)
				return 9
			}
		case "leave":
			if err := boot.Close(); err != nil {
				fmt.Fprintln(os.Stderr, "member:", err)
				return 5
			}
		case "abort":
			boot.Abort(bridge.Abort{Reason: "told to"})
			return 7
		case "wait":
			<-boot.Lost()
			return 3
		case "hang":
			time.Sleep(time.Minute)
			return 6
		case "cut":
			if err := cutConnections(); err != nil {
				fmt.Fprintln(os.Stderr, "member:", err)
				return 8
			}
		case "stubborn":
			signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		case "await":
			came := make(chan os.Signal, 1)
			signal.Notify(came, syscall.Signal(n))
			fmt.Println("awaits")
			<-came
		case "exit":
			return n
		case "kill":
			_ = syscall.Kill(os.Getpid(), syscall.Signal(n))
			time.Sleep(time.Minute)
		default:
			fmt.Fprintln(os.Stderr, "member: unknown word", word)
			return 64
		}
	}
	return 0
}

// sayFailedJoin prints a process that does not join.
func sayFailedJoin(c bridge.Change) error {
	if c.Kind == bridge.JoinFailed {
		fmt.Printf("rank %d does not come: %s\n", c.Member, c.Reason)
	}
	return nil
}

// jobRankOfTest returns the number of the process in its job, from the variables of its launcher.
func jobRankOfTest() string {
	for _, name := range []string{"ACP_JOB_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"} {
		if v, set := os.LookupEnv(name); set {
			return v
		}
	}
	return ""
}

// joinOfTest joins the run and waits for the others. They get a contact of this process if describe is true.
func joinOfTest(describe bool) (bridge.Bootstrap, error) {
	env, set, err := bridge.EnvFromOS(os.Getenv)
	if err != nil || !set {
		return nil, fmt.Errorf("no launcher: %w", err)
	}
	if env.JobRank, err = strconv.Atoi(jobRankOfTest()); err != nil {
		return nil, err
	}
	self, err := bridge.LocalIdentity()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	boot, err := bridge.Dial(ctx, env, self)
	if err != nil {
		return nil, err
	}
	var contact []byte
	if describe {
		contact = (&bridge.Contact{Member: uint32(boot.Member()), Job: uint32(env.Job), JobRank: uint32(env.JobRank)}).Append(nil)
	}
	if _, err := boot.Exchange(ctx, contact); err != nil {
		return nil, err
	}
	return boot, nil
}

// cutConnections ends the connections of this process, as its end would.
func cutConnections() error {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, f := range open {
		if fd, err := strconv.Atoi(f.Name()); err == nil {
			// A descriptor that is no connection is not changed.
			_ = syscall.Shutdown(fd, syscall.SHUT_WR)
		}
	}
	return nil
}

// sandbox is a directory with the programs of a test, to run launchers in.
type sandbox struct {
	t   *testing.T
	dir string
	env []string
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &sandbox{t: t, dir: t.TempDir()}
	for _, name := range []string{"acprun", "macprun", "member"} {
		if err := os.Link(exe, filepath.Join(s.dir, name)); err != nil {
			text, err := os.ReadFile(exe)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(s.dir, name), text, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The tests may themselves run in an allocation of a batch system.
	s.env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return slices.ContainsFunc([]string{"ACP_", "SLURM_", "PBS_", "LSB_"}, func(prefix string) bool { return strings.HasPrefix(entry, prefix) })
	})
	// Under the race detector every process would sleep for a second at its end.
	s.env = append(s.env, "GORACE=atexit_sleep_ms=0")
	return s
}

// file writes a file into the sandbox.
func (s *sandbox) file(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o755); err != nil {
		s.t.Fatal(err)
	}
}
