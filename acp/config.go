package acp

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/process/startup"
)

// DefaultStarterSize is the default size of starter memory in bytes.
const DefaultStarterSize = 10240

// The heap of a rank takes address space up to its limit and memory for the blocks in use. A limit below
// MinHeapSize is raised to it.
const (
	DefaultHeapSize = startup.DefaultHeapSize
	MinHeapSize     = startup.MinHeapSize

	// UnlimitedHeap instead of a limit lets the heap grow to the memory of the host, at most 256 GiB. Limits
	// of address space and of file sizes (ulimit -v, -f) and more than 32 ranks on a host reduce it. It is
	// DefaultHeapSize where windows of MPI may be used.
	UnlimitedHeap = startup.UnlimitedHeap
)

// Names of the environment variables that configure a process. Package bridge has further ones.
const (
	EnvNet         = envvar.Net
	EnvStarterSize = envvar.StarterSize
	EnvHeapSize    = envvar.HeapSize
	EnvChannelSize = envvar.ChannelSize
	EnvOnError     = envvar.OnError
	EnvStats       = envvar.Stats
)

// Config configures a Process. The zero value is a valid configuration.
type Config struct {
	// Bootstrap connects the ranks with each other. Nil: bridge.Start chooses one. Open takes it over and
	// closes it in every case.
	Bootstrap bridge.Bootstrap

	// Mode chooses the fabrics. All ranks must ask for the same.
	Mode bridge.Mode

	// StarterSize is the bytes of starter memory of this rank. 0:
	// DefaultStarterSize.
	StarterSize uint64

	// HeapSize is the bytes to which the heap of this rank may grow, at least MinHeapSize, or UnlimitedHeap.
	// 0: DefaultHeapSize, or MinHeapSize where windows of MPI may be used, because MPI may hold the whole
	// heap in physical memory.
	HeapSize uint64

	// ChannelSize is the bytes of the buffers of channels that this rank receives from, unless ChannelOptions
	// set another size. 0: DefaultChannelSize.
	ChannelSize uint64

	// OnError selects the action of a failing call in addition to returning its error.
	OnError OnError

	// Stats makes this rank count its transfers, for Process.Stats and for the options -stats and -trace of
	// the launchers.
	Stats bool

	// OnLost is called once, on a goroutine of its own, when the run is over
	// before Finalize: a rank died or aborted the run, or the launcher is gone. May be
	// nil; all calls that wait return errors then in any case.
	OnLost func(error)

	// LeaveSignals are signals that ask this rank to leave, as AskLeave does, if it can leave. The default action
	// follows a second one within five seconds. A program that handles these signals itself leaves them out.
	LeaveSignals []os.Signal

	// onFailed is OnFailed of package binding. May be nil.
	onFailed func(error)

	// statsDir is the directory in which the launcher reads the counts of this rank. "": none.
	statsDir string

	// debug selects the layers that write to the log. Without layers nothing is logged.
	debug debuglog.Config

	// pool is memory of the program's allocator that peers map. Nil: none.
	pool *segment.Pool

	// attach maps the memory of a peer on this host. Nil: segment.Attach. Tests set a function that fails.
	attach func(segment.PeerInfo) (*segment.View, error)

	// extensions are those that this rank opens. Nil: extension.Sealed. Tests leave some out.
	extensions []extension.Entry
}

// ConfigFromEnv returns the configuration that the launcher put into the
// environment, which getenv reads. Errors name the variable and the expected values.
func ConfigFromEnv(getenv func(string) string) (Config, error) {
	var cfg Config
	if v := getenv(EnvNet); v != "" {
		mode, err := bridge.ParseMode(v)
		if err != nil {
			return cfg, fmt.Errorf("%s: %w", EnvNet, err)
		}
		cfg.Mode = mode
	}
	var err error
	if cfg.Stats, cfg.statsDir, err = statsFromEnv(getenv); err != nil {
		return cfg, err
	}
	cfg.debug = debuglog.Config{Layers: getenv(envvar.Debug), File: getenv(envvar.DebugFile)}
	if err = debuglog.Check(cfg.debug.Layers); err != nil {
		return cfg, fmt.Errorf("%s: %w", envvar.Debug, err)
	}
	if v := getenv(EnvOnError); v != "" {
		if cfg.OnError, err = ParseOnError(v); err != nil {
			return cfg, fmt.Errorf("%s: %w", EnvOnError, err)
		}
	}
	if cfg.StarterSize, err = bytesFromEnv(getenv, EnvStarterSize); err != nil {
		return cfg, err
	}
	if cfg.HeapSize, err = bytesFromEnv(getenv, EnvHeapSize); err != nil {
		return cfg, err
	}
	cfg.ChannelSize, err = bytesFromEnv(getenv, EnvChannelSize)
	return cfg, err
}

// statsFromEnv returns whether the process counts its transfers, and the directory in which the launcher reads
// the counts, which has the token of the run.
func statsFromEnv(getenv func(string) string) (on bool, dir string, err error) {
	if on, err = bridge.ParseSecure(getenv(EnvStats)); err != nil {
		return false, "", fmt.Errorf("%s: %w", EnvStats, err)
	}
	if file := getenv(envvar.TokenFile); on && file != "" {
		dir = filepath.Dir(file)
	}
	return on, dir, nil
}

// bytesFromEnv returns the value of a variable. 0 means the default, and is also the value of an unset variable.
func bytesFromEnv(getenv func(string) string, name string) (uint64, error) {
	v := getenv(name)
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %q is not a number of bytes", name, v)
	}
	return n, nil
}
