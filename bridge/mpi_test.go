//go:build mpi

package bridge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/goacp/goacp/mpi"
	"github.com/goacp/goacp/mpi/mpitest"
)

func TestMain(m *testing.M) { mpitest.Main(m, cases) }

// cases run under mpirun, most of them as a program that starts and ends MPI
// and the bootstrap in one of the possible orders.
var cases = map[string]func() error{
	"MPI before, ends after":   order(mpitest.Init, open, closeBoot, mpitest.Finalize),
	"MPI before, ends before":  order(mpitest.Init, open, mpitest.Finalize, closeBoot),
	"MPI after, ends after":    order(open, mpitest.Init, closeBoot, mpitest.Finalize),
	"MPI after, ends before":   order(open, mpitest.Init, mpitest.Finalize, closeBoot),
	"MPI threads, ends after":  order(open, initThread, closeBoot, mpitest.Finalize),
	"MPI threads, ends before": order(open, initThread, mpitest.Finalize, closeBoot),
	"MPI never":                order(open, closeBoot, ended),
	"MPI by Go, ends after":    order(goInit, open, closeBoot, mpi.Finalize),
	"MPI by Go, ends before":   order(goInit, open, mpi.Finalize, closeBoot),

	"twice":           order(mpitest.Init, open, closeBoot, open, closeBoot, mpitest.Finalize),
	"after MPI":       afterMPI,
	"abort":           abortOne,
	"exchanges":       exchanges,
	"parts":           parts,
	"no part":         noPart,
	"rendezvous":      overRendezvous,
	"wrong launcher":  wrongLauncher,
	"own singleton":   ownSingleton,
	"without a world": withoutWorld,
}

// under runs a case on several numbers of processes.
func under(t *testing.T, name string, sizes ...int) {
	for _, np := range sizes {
		t.Run(fmt.Sprintf("%s on %d", name, np), func(t *testing.T) {
			mpitest.Run(t, np, name, "TEST_SIZE="+strconv.Itoa(np))
		})
	}
}

func TestOrders(t *testing.T) {
	for name := range cases {
		if strings.HasPrefix(name, "MPI ") {
			under(t, name, 3)
		}
	}
	under(t, "twice", 1, 2)
	under(t, "after MPI", 2)
}

func TestExchangeOverMPI(t *testing.T) { under(t, "exchanges", 1, 2, 3, 4) }

func TestPartsOfMPI(t *testing.T) {
	under(t, "parts", 1, 2, 5)
	under(t, "no part", 2)
}

func TestAbortOverMPI(t *testing.T) {
	out, err := mpitest.Job(t, mpi.Vendor().Name, 3, "abort")
	if err == nil {
		t.Errorf("mpirun reports success\n%s", out)
	}
}

// Processes of an MPI job find their job rank without calling MPI.
func TestRendezvousUnderMPI(t *testing.T) {
	r := newRun(t, 1, 3)
	self := make(chan error, 1)
	go func() {
		b, err := Dial(r.ctx(), r.env(0, 0), Identity{})
		if err == nil {
			_, err = b.Exchange(r.ctx(), []byte("outside"))
		}
		if err == nil {
			err = b.Close()
		}
		self <- err
	}()
	mpitest.Run(t, 3, "rendezvous", r.env(1, -1).Environ()...)
	if err := <-self; err != nil {
		t.Error(err)
	}
}

func TestWrongLauncher(t *testing.T) {
	other := map[string]string{"Open MPI": "MPICH", "MPICH": "Open MPI"}[mpi.Vendor().Name]
	if out, err := mpitest.Job(t, other, 2, "wrong launcher"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestWithoutLauncher(t *testing.T) {
	for _, name := range []string{"own singleton", "without a world"} {
		if out, err := mpitest.Alone(t, name); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// tested is a process that is tested, between two steps.
type tested struct{ boot Bootstrap }

// order makes a case of steps: functions of MPI, or of the program.
func order(steps ...any) func() error {
	return func() error {
		var p tested
		for i, step := range steps {
			var err error
			switch step := step.(type) {
			case func() error:
				err = step()
			case func(*tested) error:
				err = step(&p)
			}
			if err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
		if !mpi.Finalized() {
			return errors.New("MPI was not finalized")
		}
		return nil
	}
}

// open starts the bootstrap, which must be the whole world, and uses it.
func open(p *tested) (err error) {
	if p.boot, err = Start(context.Background()); err != nil {
		return err
	}
	if size := strconv.Itoa(p.boot.Cohort().Size); size != os.Getenv("TEST_SIZE") {
		return fmt.Errorf("%s members, expected %s", size, os.Getenv("TEST_SIZE"))
	}
	return swap(p.boot)
}

// closeBoot uses the bootstrap for the last time, if MPI is still there, and
// leaves.
func closeBoot(p *tested) error {
	if mpi.Finalized() {
		if _, err := p.boot.Exchange(context.Background(), nil); err == nil {
			return errors.New("an exchange after MPI_Finalize succeeded")
		}
		p.boot.Abort(Abort{Reason: "must do nothing"})
	} else if err := swap(p.boot); err != nil {
		return err
	}
	if err := p.boot.Close(); err != nil {
		return err
	}
	if err := p.boot.Close(); err != nil {
		return fmt.Errorf("closing again: %w", err)
	}
	if _, err := p.boot.Exchange(context.Background(), nil); !errors.Is(err, ErrClosed) {
		return fmt.Errorf("exchange after close: %w", err)
	}
	return nil
}

func initThread() error {
	multiple, err := mpitest.InitThread()
	if err == nil && !multiple {
		err = errors.New("MPI_THREAD_MULTIPLE is not provided")
	}
	return err
}

// goInit initializes MPI as a program in Go does.
func goInit() error {
	_, err := mpi.InitThread(mpi.ThreadMultiple)
	return err
}

func ended() error {
	if !mpi.Finalized() {
		return errors.New("closing the bootstrap has not finalized MPI")
	}
	return nil
}

// swap makes one exchange and checks every blob.
func swap(b Bootstrap) error {
	blobs, err := b.Exchange(context.Background(), testBlob(b.Member(), 4))
	if err != nil {
		return err
	}
	if len(blobs) != b.Cohort().Size {
		return fmt.Errorf("%d blobs", len(blobs))
	}
	for i, blob := range blobs {
		if string(blob) != string(testBlob(i, 4)) {
			return fmt.Errorf("wrong blob of member %d: %q", i, blob)
		}
	}
	return nil
}

func exchanges() error {
	b, err := Start(context.Background())
	if err != nil {
		return err
	}
	rank, err := mpi.World().Rank()
	if err != nil || rank != b.Member() {
		return fmt.Errorf("member %d is rank %d, %w", b.Member(), rank, err)
	}
	if job, jobRank := b.JobRank(); job != 0 || jobRank != rank {
		return fmt.Errorf("member %d is process %d of job %d", rank, jobRank, job)
	}
	for range 50 {
		if err := swap(b); err != nil {
			return err
		}
	}
	token := b.Token()
	tokens, err := b.Exchange(context.Background(), token[:])
	if err != nil {
		return err
	}
	for i := range tokens {
		if string(tokens[i]) != string(token[:]) || token == (Token{}) {
			return fmt.Errorf("member %d has another token", i)
		}
	}
	if _, err := b.Exchange(context.Background(), make([]byte, MaxBlob+1)); err == nil {
		return errors.New("blob too long: no error")
	}
	select {
	case <-b.Lost():
		return errors.New("lost")
	default:
	}
	return b.Close()
}

// parts makes runs of the even and of the odd processes, in reverse order, twice. The launcher that the
// environment names takes no part in them.
func parts() error {
	if err := errors.Join(mpitest.Init(), os.Setenv(EnvRendezvous, "127.0.0.1:1")); err != nil {
		return err
	}
	world := mpi.World()
	rank, err := world.Rank()
	if err != nil {
		return err
	}
	for range 2 {
		comm, err := world.Split(rank%2, -rank)
		if err != nil {
			return err
		}
		b, err := FromComm(comm)
		if err != nil {
			return err
		}
		if err := errors.Join(comm.Free(), checkPart(b, rank), b.Close()); err != nil {
			return err
		}
	}
	return mpitest.Finalize()
}

// checkPart uses the bootstrap of every second process, in reverse order.
func checkPart(b Bootstrap, rank int) error {
	ranks, err := b.Exchange(context.Background(), []byte{byte(rank)})
	if err != nil {
		return err
	}
	for i := range ranks {
		if want := rank + 2*(b.Member()-i); int(ranks[i][0]) != want {
			return fmt.Errorf("member %d is process %d, expected %d", i, ranks[i][0], want)
		}
	}
	job, jobRank := b.JobRank()
	inComm, err := b.JobComm().Rank()
	if job != 0 || jobRank != b.Member() || inComm != b.Member() || len(ranks) != b.Cohort().Size {
		return fmt.Errorf("member %d of %d is process %d of job %d, and %d in its communicator, %w", b.Member(), b.Cohort().Size, jobRank, job, inComm, err)
	}
	return nil
}

// noPart calls FromComm with communicators of which no run can be made.
func noPart() error {
	if err := mpitest.Init(); err != nil {
		return err
	}
	rank, err := mpi.World().Rank()
	if err != nil {
		return err
	}
	if _, err := FromComm(mpi.Comm{}); !errors.Is(err, errNull) {
		return fmt.Errorf("a run without processes: %w", err)
	}
	inter, err := mpi.Self().CreateInter(0, mpi.World(), 1-rank, 5)
	if err != nil {
		return err
	}
	if _, err := FromComm(inter); !errors.Is(err, errInter) {
		return fmt.Errorf("a run of two groups: %w", err)
	}
	if err := errors.Join(inter.Free(), mpitest.Finalize()); err != nil {
		return err
	}
	if _, err := FromComm(mpi.World()); !errors.Is(err, ErrMPIFinalized) {
		return fmt.Errorf("a run after MPI_Finalize: %w", err)
	}
	return nil
}

func afterMPI() error {
	if err := mpitest.Init(); err != nil {
		return err
	}
	if err := mpitest.Finalize(); err != nil {
		return err
	}
	if _, err := Start(context.Background()); !errors.Is(err, ErrMPIFinalized) {
		return fmt.Errorf("start after MPI_Finalize: %w", err)
	}
	return nil
}

func abortOne() error {
	b, err := Start(context.Background())
	if err != nil {
		return err
	}
	if b.Member() == 1 {
		b.Abort(Abort{Reason: "test"})
	}
	return swap(b) // never ends
}

func overRendezvous() error {
	b, err := Start(context.Background())
	if err != nil {
		return err
	}
	if mpi.Initialized() {
		return errors.New("MPI was initialized")
	}
	blobs, err := b.Exchange(context.Background(), []byte("inside"))
	if err != nil {
		return err
	}
	if b.Cohort().Size != 4 || string(blobs[0]) != "outside" || string(blobs[3]) != "inside" {
		return fmt.Errorf("%d members gave %q", b.Cohort().Size, blobs)
	}
	if err := mpitest.Init(); err != nil {
		return err
	}
	rank, err := mpi.World().Rank()
	if err != nil || b.Member() != 1+rank {
		return fmt.Errorf("MPI rank %d is member %d, %w", rank, b.Member(), err)
	}
	if err := b.Close(); err != nil {
		return err
	}
	if mpi.Finalized() {
		return errors.New("closing the bootstrap has finalized the program's MPI")
	}
	return mpitest.Finalize()
}

// wrongLauncher runs under the mpirun of another MPI.
func wrongLauncher() error {
	check := func(err error) error {
		var wrong *WrongLauncherError
		if !errors.As(err, &wrong) || wrong.Library != mpi.Vendor().Name || wrong.Launcher.Name == wrong.Library {
			return fmt.Errorf("under the launcher of another MPI: %w", err)
		}
		return nil
	}
	_, err := Start(context.Background())
	if err := check(err); err != nil {
		return err
	}
	// Also if the program does not read the environment first.
	_, err = FromMPI()
	return check(err)
}

// ownSingleton has MPI but no launcher.
func ownSingleton() error {
	os.Setenv("TEST_SIZE", "1")
	return order(mpitest.Init, open, closeBoot, mpitest.Finalize)()
}

// withoutWorld has neither MPI nor a launcher.
func withoutWorld() error {
	b, err := Start(context.Background())
	if err != nil {
		return err
	}
	if mpi.Initialized() || b.Cohort().Size != 1 {
		return fmt.Errorf("initialized: %v, %d members", mpi.Initialized(), b.Cohort().Size)
	}
	return b.Close()
}
