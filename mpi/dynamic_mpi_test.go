//go:build mpi

package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/mpi"
	"github.com/goacp/goacp/mpi/mpitest"
)

// callLimit is how long a call may take that needs another process.
const callLimit = 30 * time.Second

// dynamicSteps need dynamic processes. If the MPI does not have them, they must fail
// quickly.
var dynamicSteps = []struct {
	name string
	run  func(context.Context, world) error
}{
	{"names", names},
	{"accept and connect", meet},
	{"join", join},
	{"spawn", spawn},
	{"spawn multiple", spawnMultiple},
	{"no partner", noPartner},
	{"wrong arguments", wrongDynamic},
}

func TestDynamic(t *testing.T) {
	for _, np := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(np), func(t *testing.T) { mpitest.Run(t, np, "dynamic", mpitest.Windows()...) })
	}
}

// hasDynamic reports whether this MPI has dynamic processes: whether it can open a
// port.
func hasDynamic() (bool, error) {
	port, err := mpi.OpenPort(mpi.Info{})
	if err == nil {
		return true, mpi.ClosePort(port)
	}
	var e *mpi.Error
	if !errors.As(err, &e) || mpi.Vendor().Name == "Open MPI" {
		return false, fmt.Errorf("no port: %w", err)
	}
	return false, nil
}

func dynamicCase() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	if parent, err := mpi.Parent(); err != nil {
		return err
	} else if !parent.IsNull() {
		return child(parent)
	}
	w, err := newWorld()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	for _, s := range dynamicSteps {
		if err := s.run(ctx, w); err != nil {
			return fmt.Errorf("rank %d: %s: %w", w.rank, s.name, err)
		}
		if err := w.comm.Barrier(); err != nil {
			return fmt.Errorf("rank %d: after %s: %w", w.rank, s.name, err)
		}
	}
	return errors.Join(w.comm.Free(), mpi.Finalize())
}

// names are published by rank 0 and found by all.
func names(ctx context.Context, w world) error {
	has, err := hasDynamic()
	if err != nil {
		return err
	}
	service, err := w.text(fmt.Sprintf("goacp-test-%d", os.Getpid()))
	if err != nil {
		return err
	}
	port := "port-that-is-not-open"
	if has {
		if port, err = mpi.OpenPort(mpi.Info{}); err != nil {
			return err
		}
		defer mpi.ClosePort(port) //nolint:errcheck // tested in hasDynamic
	}
	if w.rank == 0 {
		if err := mpi.PublishName(ctx, service, port, mpi.Info{}); err != nil {
			return err
		}
	}
	if err := w.comm.Barrier(); err != nil {
		return err
	}
	found, err := mpi.LookupName(ctx, service, mpi.Info{})
	if err != nil || w.rank == 0 && found != port {
		return fmt.Errorf("found %q, %v", found, err)
	}
	if err := w.comm.Barrier(); err != nil {
		return err
	}
	if w.rank == 0 {
		if err := mpi.UnpublishName(ctx, service, port, mpi.Info{}); err != nil {
			return err
		}
	}
	if err := w.comm.Barrier(); err != nil {
		return err
	}
	_, err = mpi.LookupName(ctx, service, mpi.Info{})
	return expect("a service that is no longer published", err, mpi.ErrName)
}

// meet makes the even ranks accept and the odd ranks connect.
func meet(ctx context.Context, w world) error {
	has, err := hasDynamic()
	if err != nil {
		return err
	}
	if !has {
		_, errAccept := mpi.Self().Accept(ctx, "port", mpi.Info{}, 0)
		_, errConnect := mpi.Self().Connect(ctx, "port", mpi.Info{}, 0)
		return errors.Join(failed("Accept", errAccept), failed("Connect", errConnect))
	}
	if w.size < 2 {
		return nil
	}
	half, err := w.comm.Split(w.rank%2, w.rank)
	if err != nil {
		return err
	}
	size, err := half.Size()
	if err != nil {
		return err
	}
	port := ""
	if w.rank == 0 {
		if port, err = mpi.OpenPort(mpi.Info{}); err != nil {
			return err
		}
	}
	if port, err = w.text(port); err != nil {
		return err
	}
	var inter mpi.Comm
	if w.rank%2 == 0 {
		inter, err = half.Accept(ctx, port, mpi.Info{}, 0)
	} else {
		if w.rank != 2*size-1 {
			port = "not significant"
		}
		inter, err = half.Connect(ctx, port, mpi.Info{}, size-1)
	}
	if err != nil {
		return err
	}
	if n, err := inter.RemoteSize(); err != nil || n != (w.size+w.rank%2)/2 {
		return fmt.Errorf("%d processes on the other side, %v", n, err)
	}
	if err := ringOver(inter, w.rank%2 == 1); err != nil {
		return err
	}
	if w.rank == 0 {
		if err := mpi.ClosePort(port); err != nil {
			return err
		}
	}
	return half.Free()
}

// failed returns an error unless err is one of MPI.
func failed(what string, err error) error {
	var e *mpi.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %v, expected an error of MPI", what, err)
	}
	return nil
}

// ringOver merges the two sides, lets every process put into a window of the next
// one, and parts.
func ringOver(inter mpi.Comm, high bool) error {
	all, err := inter.Merge(high)
	if err != nil {
		return err
	}
	return errors.Join(ring(all), all.Disconnect(), inter.Disconnect())
}

func ring(all mpi.Comm) error {
	w := world{comm: all}
	var err error
	if w.rank, err = all.Rank(); err != nil {
		return err
	}
	if w.size, err = all.Size(); err != nil {
		return err
	}
	a, err := allocated(w)
	if err != nil {
		return err
	}
	if err := errors.Join(a.win.LockAll(mpi.NoCheck), w.comm.Barrier()); err != nil {
		return err
	}
	if err := errors.Join(a.win.PutFlush(pattern(w.rank, 1000), w.right(), 0), w.comm.Barrier(), a.win.Sync()); err != nil {
		return err
	}
	if !slices.Equal(a.memory[:1000], pattern(w.left(), 1000)) {
		return errors.New("the window over both sides is wrong")
	}
	return errors.Join(w.comm.Barrier(), a.win.UnlockAll(), w.comm.Barrier(), a.close())
}

// text returns what rank 0 gives.
func (w world) text(mine string) (string, error) {
	all, err := w.comm.Allgather([]byte(mine + strings.Repeat("\x00", 2000-len(mine))))
	return strings.TrimRight(string(all[:2000]), "\x00"), err
}

// join connects rank 1 with rank 0 by a socket.
func join(ctx context.Context, w world) error {
	if w.size < 2 {
		return nil
	}
	var listener net.Listener
	address := ""
	if w.rank == 0 {
		var err error
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return err
		}
		defer listener.Close()
		address = listener.Addr().String()
	}
	address, err := w.text(address)
	if err != nil || w.rank > 1 {
		return err
	}
	var conn net.Conn
	if w.rank == 0 {
		conn, err = listener.Accept()
	} else {
		conn, err = net.Dial("tcp", address)
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	file, err := conn.(*net.TCPConn).File()
	if err != nil {
		return err
	}
	defer file.Close()
	socket := int(file.Fd())
	if err := syscall.SetNonblock(socket, false); err != nil {
		return err
	}
	inter, err := mpi.Join(ctx, socket)
	if has, errHas := hasDynamic(); !has {
		return errors.Join(errHas, failed("Join", err))
	}
	if err != nil {
		return err
	}
	if n, err := inter.RemoteSize(); err != nil || n != 1 {
		return fmt.Errorf("joined %d processes, %v", n, err)
	}
	return ringOver(inter, w.rank == 1)
}

func spawn(ctx context.Context, w world) error {
	root := w.size - 1
	c := mpi.Command{}
	if w.rank == root {
		c = mpi.Command{Path: os.Args[0], Args: []string{"one", "two words"}, Procs: 2}
	}
	inter, err := w.comm.Spawn(ctx, c, root)
	if has, errHas := hasDynamic(); !has {
		return errors.Join(errHas, failed("Spawn", err))
	}
	if err != nil {
		return err
	}
	if n, err := inter.RemoteSize(); err != nil || n != 2 {
		return fmt.Errorf("%d processes were spawned, %v", n, err)
	}
	args, err := inter.Allgatherv(nil, []int{len("one two words"), len("one two words")})
	if err != nil || string(args) != "one two wordsone two words" {
		return fmt.Errorf("arguments %q, %v", args, err)
	}
	return ringOver(inter, false)
}

func spawnMultiple(ctx context.Context, w world) error {
	var cs []mpi.Command
	if w.rank == 0 {
		info, err := mpi.NewInfo(map[string]string{"wdir": os.TempDir()})
		if err != nil {
			return err
		}
		defer info.Free() //nolint:errcheck // tested elsewhere
		cs = []mpi.Command{{Path: os.Args[0], Args: []string{"a"}, Procs: 1, Info: info}, {Path: os.Args[0], Procs: 2}}
	}
	inter, err := w.comm.SpawnMultiple(ctx, cs, 0)
	if has, errHas := hasDynamic(); !has {
		return errors.Join(errHas, failed("SpawnMultiple", err))
	}
	if err != nil {
		return err
	}
	if args, err := inter.Allgatherv(nil, []int{1, 0, 0}); err != nil || string(args) != "a" {
		return fmt.Errorf("arguments %q, %v", args, err)
	}
	return ringOver(inter, false)
}

// child is what a spawned process does: it sends its arguments to its parents.
func child(parent mpi.Comm) error {
	args := strings.Join(os.Args[1:], " ")
	n, err := parent.RemoteSize()
	if err != nil {
		return err
	}
	if _, err := parent.Allgatherv([]byte(args), make([]int, n)); err != nil {
		return err
	}
	if err := ringOver(parent, true); err != nil {
		return err
	}
	return mpi.Finalize()
}

// noPartner accepts where no process connects, and connects where no process accepts. It
// does so on Self, since the processes can finalize MPI then.
func noPartner(_ context.Context, w world) error {
	if has, err := hasDynamic(); !has {
		return err
	}
	for _, f := range []func(mpi.Comm, context.Context, string, mpi.Info, int) (mpi.Comm, error){mpi.Comm.Accept, mpi.Comm.Connect} {
		port, err := mpi.OpenPort(mpi.Info{})
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		_, err = f(mpi.Self(), ctx, port, mpi.Info{}, 0)
		cancel()
		var abandoned *mpi.AbandonedError
		if !errors.As(err, &abandoned) || !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("outcome without a partner: %v", err)
		}
	}
	return nil
}

func wrongDynamic(ctx context.Context, w world) error {
	_, errPort := mpi.Self().Connect(ctx, "", mpi.Info{}, 0)
	_, errRoot := mpi.Self().Accept(ctx, "port", mpi.Info{}, 1)
	_, errNone := mpi.Self().Spawn(ctx, mpi.Command{Path: "x"}, 0)
	_, errList := mpi.Self().SpawnMultiple(ctx, nil, 0)
	_, errZero := mpi.Self().Spawn(ctx, mpi.Command{Path: "x", Args: []string{"\x00"}, Procs: 1}, 0)
	return errors.Join(
		expect("empty port", errPort, mpi.ErrPort),
		expect("root outside", errRoot, mpi.ErrRoot),
		expect("no processes", errNone, mpi.ErrArg),
		expect("no commands", errList, mpi.ErrArg),
		expect("zero byte", errZero, mpi.ErrArg),
		expect("closing no port", mpi.ClosePort(""), mpi.ErrPort),
		expect("publishing no service", mpi.PublishName(ctx, "", "port", mpi.Info{}), mpi.ErrService))
}

// TestAbandoned: MPI_Finalize would crash under processes that wait for their
// root, so Finalize refuses.
func TestAbandoned(t *testing.T) {
	out, _ := mpitest.Job(t, mpi.Vendor().Name, 2, "abandoned") // Open MPI reports processes that do not finalize
	if n := strings.Count(out, abandonedAsExpected); n != 2 {
		t.Errorf("%d of 2 processes came to the end\n%s", n, out)
	}
}

const abandonedAsExpected = "abandoned as expected"

func abandonedCase() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	has, err := hasDynamic()
	if err != nil {
		return err
	}
	w, err := newWorld()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if has {
		port, err := mpi.OpenPort(mpi.Info{})
		if err != nil {
			return err
		}
		var abandoned *mpi.AbandonedError
		if _, err := w.comm.Accept(ctx, port, mpi.Info{}, 0); !errors.As(err, &abandoned) || abandoned.Op != "MPI_Comm_accept" {
			return fmt.Errorf("accept: %v", err)
		}
		if err := expect("Finalize", mpi.Finalize(), mpi.ErrPending); err != nil {
			return err
		}
	} else if err := mpi.Finalize(); err != nil {
		return err
	}
	fmt.Println(abandonedAsExpected)
	time.Sleep(time.Second) // mpirun ends the others when the first has ended
	return nil
}
