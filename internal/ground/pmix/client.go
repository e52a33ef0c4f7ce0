package pmix

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/ground/envvar"
)

// The variables that a launcher sets. It names its server in one or more of envServers, for different
// versions of libpmix.
const (
	envSpace = "PMIX_NAMESPACE"
	envRank  = "PMIX_RANK"
)

var envServers = [...]string{"PMIX_SERVER_URI2", "PMIX_SERVER_URI21", "PMIX_SERVER_URI3", "PMIX_SERVER_URI4",
	"PMIX_SERVER_URI41", "PMIX_SERVER_URI5", "PMIX_SERVER_URI51"}

// defaultLibrary is the file of libpmix that is loaded if the user names no other.
const defaultLibrary = "libpmix.so.2"

const (
	oldestVersion = 3       // of libpmix
	maxValue      = 4 << 10 // bytes of a value
	abortTimeout  = time.Second
)

// library is libpmix. Calls return a status: 0, a negative number of libpmix, or statusGarbage.
type library interface {
	version() string
	errorText(status int) string
	initialize(lost int) (rank, size uint32, status int) // lost is an eventfd
	put(key, value string) (status int)
	fence() (status int)
	get(rank int, key string) (value string, status int)
	publish(key, value string) (status int)
	lookup(key string) (value string, status int) // waits for the value
	abort(code int) (status int)
	finalize() (status int)
}

// statusGarbage: the answer of libpmix violates the standard.
const statusGarbage = 1

// statusUnsupported: the launcher does not have the function.
const statusUnsupported = -47

// Client is the connection of a process to its launcher. It is for one goroutine, except for Lost and
// Abort.
type Client struct {
	rank, size int
	library    library
	claim      *claim
	watch      *watch
	turn       chan struct{} // has an element while libpmix is called
	closed     bool          // guarded by turn

	// How many programs of the rank came before, or 0 if values pass by fences. Guarded by turn.
	//
	// A server of libpmix (4.2 at least) ends a fence when as many processes of its host have called it as it
	// counts there. The count can be too low after a first program:
	//   - mpirun of Open MPI 4 confirms in one thread that a process leaves, and notes after that in another
	//     that it has left in order. If the connection ends in between, the process counts as lost, and the
	//     next one that connects with its number does not count again.
	//   - If the connection of a process that has left ends while others are in the next fence already, that
	//     fence counts one less.
	// A fence then ends before all have stored their values. So later programs publish them instead, and look
	// them up: there the launcher counts no processes. The keys have the number of the program, so no program
	// finds values of an earlier one. First programs have fences, which cost less with many processes.
	before int
}

// Offered reports whether a launcher with PMIx has started this process, by the variables from getenv
// (os.Getenv).
func Offered(getenv func(string) string) bool {
	if getenv(envSpace) == "" || getenv(envRank) == "" {
		return false
	}
	for _, name := range envServers {
		if getenv(name) != "" {
			return true
		}
	}
	return false
}

// Open loads libpmix and connects this process with the launcher that the variables from getenv (os.Getenv)
// describe. A process can do so again after Close. Fails if libpmix is missing or too old, and if another
// process has this number already. Blocks until the launcher answers, or ctx is done.
func Open(ctx context.Context, getenv func(string) string) (*Client, error) {
	file := getenv(envvar.PMIxLibrary)
	if file == "" {
		file = defaultLibrary
	}
	lib, err := load(file)
	if err != nil {
		return nil, err
	}
	if err := checkVersion(file, lib.version()); err != nil {
		return nil, err
	}
	c := &Client{library: lib, turn: make(chan struct{}, 1)}
	if c.claim, err = claimRank(getenv); err != nil {
		return nil, err
	}
	if err = c.connect(ctx); err != nil {
		c.claim.release()
		return nil, err
	}
	if c.before, err = countTurn(getenv); err != nil {
		_ = c.Close(ctx)
		return nil, fmt.Errorf("PMIx: the programs of this rank cannot be counted: %w", err)
	}
	return c, nil
}

// checkVersion returns an error if libpmix is too old for this package.
func checkVersion(file, version string) error {
	major := 0
	if at := strings.IndexAny(version, "0123456789"); at >= 0 {
		_, _ = fmt.Sscanf(version[at:], "%d.", &major)
	}
	if major < oldestVersion {
		return fmt.Errorf("PMIx: %s is %.99q: expected version %d or later", file, version, oldestVersion)
	}
	return nil
}

// connect sets the rank of this process and the size of the job.
func (c *Client) connect(ctx context.Context) error {
	var err error
	if c.watch, err = newWatch(); err != nil {
		return err
	}
	var rank, size uint32
	if err := c.do(ctx, "Init", func() (status int) {
		if rank, size, status = c.library.initialize(c.watch.descriptor); status != 0 {
			c.watch.stop()
		}
		return status
	}); err != nil {
		return err
	}
	if rank >= size || size > 1<<30 {
		_ = c.Close(ctx)
		return fmt.Errorf("PMIx: the launcher gives this process number %d of %d", rank, size)
	}
	c.rank, c.size = int(rank), int(size)
	return nil
}

// Rank returns the number of this process in the job. Does not block.
func (c *Client) Rank() int { return c.rank }

// Size returns the number of processes of the job. Does not block.
func (c *Client) Size() int { return c.size }

// MaxValue returns how many bytes a value may have. Does not block.
func (c *Client) MaxValue() int { return maxValue }

// Put stores a value, which other processes get after the next barrier. Neither key nor value has zero bytes.
// Blocks until the launcher has it, or ctx is done.
func (c *Client) Put(ctx context.Context, key, value string) error {
	if len(value) > maxValue || strings.Contains(key+value, "\x00") {
		return fmt.Errorf("PMIx: a value of %d bytes cannot be stored under %.99q", len(value), key)
	}
	return c.do(ctx, "Put", func() int {
		if c.before > 0 {
			if status := c.library.publish(c.published(c.rank, key), value); status != statusUnsupported {
				return status
			}
			c.before = 0 // for all processes, as they have one launcher
		}
		return c.library.put(key, value)
	})
}

// published returns the key under which a process publishes a value.
func (c *Client) published(rank int, key string) string {
	return fmt.Sprintf("%s.%d.%d", key, c.before, rank)
}

// Get returns the value that a process has stored before the last barrier. It fails if there is none, or
// waits for it, if a program of this process came before. Blocks until the launcher answers, or ctx is done.
func (c *Client) Get(ctx context.Context, rank int, key string) (string, error) {
	var value string
	err := c.do(ctx, "Get", func() (status int) {
		if c.before > 0 {
			value, status = c.library.lookup(c.published(rank, key))
		} else {
			value, status = c.library.get(rank, key)
		}
		return status
	})
	if err != nil {
		return "", fmt.Errorf("value %q of rank %d: %w", key, rank, err)
	}
	return value, nil
}

// Barrier waits until all processes of the job have stored their values, or ctx is done. If the rank has run
// a program before, Get waits in its place. Each process stores a value before its first barrier.
func (c *Client) Barrier(ctx context.Context) error {
	return c.do(ctx, "Fence", func() int {
		if c.before > 0 {
			return 0
		}
		return c.library.fence()
	})
}

// Lost returns the channel that is closed when the launcher has ended. Safe for concurrent use.
func (c *Client) Lost() <-chan struct{} { return c.watch.lost }

// Abort asks the launcher to end the job with an exit status. Blocks no longer than a second. Safe for
// concurrent use.
func (c *Client) Abort(status int) {
	ctx, cancel := context.WithTimeout(context.Background(), abortTimeout)
	defer cancel()
	_ = c.do(ctx, "Abort", func() int { return c.library.abort(status) })
}

// Close informs the launcher that the process ends in order. Blocks until it answers, or ctx is done.
func (c *Client) Close(ctx context.Context) error {
	return c.do(ctx, "Finalize", func() int {
		status := c.library.finalize()
		c.closed = true
		c.watch.stop()
		c.claim.release()
		return status
	})
}

// errClosed: the connection was closed before.
var errClosed = errors.New("PMIx: the connection to the launcher is closed")

// statusClosed is errClosed as a status.
const statusClosed = 2

// do calls a function of libpmix. Calls cannot be interrupted. If ctx ends a wait, the call continues, and
// further calls wait for its end.
func (c *Client) do(ctx context.Context, name string, call func() (status int)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	result := make(chan int, 1)
	go func() {
		defer func() { <-c.turn }()
		if c.closed {
			result <- statusClosed
			return
		}
		result <- call()
	}()
	select {
	case status := <-result:
		return c.check(name, status)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// check returns the error for the status of a function.
func (c *Client) check(name string, status int) error {
	switch status {
	case 0:
		return nil
	case statusClosed:
		return errClosed
	case statusGarbage:
		return fmt.Errorf("PMIx: PMIx_%s: the answer is none that the standard has", name)
	}
	return fmt.Errorf("PMIx: PMIx_%s failed: %.99s (%d)", name, c.library.errorText(status), status)
}
