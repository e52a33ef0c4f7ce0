package acp

import (
	"fmt"
	"strconv"

	"github.com/goacp/goacp/bridge"
)

// DefaultStarterSize is the bytes of starter memory of a process that nobody told
// otherwise.
const DefaultStarterSize = 10240

// Names of the environment variables that configure a process, beside those of
// package bridge.
const (
	EnvNet         = "ACP_NET"
	EnvStarterSize = "ACP_STARTER_MEMSIZE"
)

// Config says how a Process is made. The zero value is a valid configuration.
type Config struct {
	// Bootstrap brings the ranks together. Nil: as bridge.Start finds out. Open
	// takes it over and closes it in every case.
	Bootstrap bridge.Bootstrap

	// Mode chooses the fabrics. All ranks must ask for the same.
	Mode bridge.Mode

	// StarterSize is the bytes of starter memory of this rank. 0:
	// DefaultStarterSize.
	StarterSize uint64

	// OnLost is called once, on a goroutine of its own, when the run is over
	// before Finalize: a rank died, somebody aborted, the launcher is gone. May be
	// nil; all calls that wait return errors then in any case.
	OnLost func(error)

	// OnFailed is called for every GMA that fails, before anybody can find it
	// complete, on the goroutine that notices the failure, with an *OpError. May be
	// nil. It must not block unless the OS process is about to end, and not call
	// the Process.
	OnFailed func(error)
}

// ConfigFromEnv returns the configuration that the launcher put into the
// environment, which getenv reads. Errors name the variable and what was expected.
func ConfigFromEnv(getenv func(string) string) (Config, error) {
	var cfg Config
	if v := getenv(EnvNet); v != "" {
		mode, err := bridge.ParseMode(v)
		if err != nil {
			return cfg, fmt.Errorf("%s: %w", EnvNet, err)
		}
		cfg.Mode = mode
	}
	if v := getenv(EnvStarterSize); v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil || n == 0 {
			return cfg, fmt.Errorf("%s: %q is not a positive number of bytes", EnvStarterSize, v)
		}
		cfg.StarterSize = n
	}
	return cfg, nil
}
