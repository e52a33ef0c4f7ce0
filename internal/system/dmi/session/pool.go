package session

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/ground/memlimit"
	"github.com/goacp/goacp/internal/process/startup"
)

// Limits of memory pools without the option -pool.
const (
	greatestPool = 32 << 30
	partOfHost   = 2 // of the memory of the host, for all its processes
)

// Pool returns the bytes of the memory pool of this process, which is its heap: those that the launcher has passed, or those of
// DMI_POOL, or the default. Sizes below the least heap are raised to it. Fails for a size that is none.
func Pool(getenv func(string) string) (uint64, error) {
	n, err := pool(getenv)
	return max(n, startup.MinHeapSize), err
}

func pool(getenv func(string) string) (uint64, error) {
	if v := getenv(envvar.HeapSize); v != "" {
		return strconv.ParseUint(v, 10, 64)
	}
	if v := getenv(envvar.DMIPool); v != "" {
		n, err := parseSize(v)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", envvar.DMIPool, err)
		}
		return n, nil
	}
	onHost := uint64(1)
	if n, err := strconv.ParseUint(getenv(envvar.DMIOnHost), 10, 32); err == nil && n > 0 {
		onHost = n
	}
	return min(greatestPool, memlimit.Host(os.DirFS("/"))/partOfHost/onHost), nil
}

// ProcessOptions reads the options of dmimw that concern one process, with spaces between them. It returns the bytes of -pool, or 0
// without that option. Does not block.
func ProcessOptions(text string) (pool uint64, err error) {
	words := strings.Fields(text)
	for len(words) > 0 {
		option, value, joined := strings.Cut(words[0], "=")
		words = words[1:]
		if option != "-pool" && option != "--pool" {
			return 0, fmt.Errorf("option %q is none of a single process; expected -pool SIZE", option)
		}
		if !joined {
			if len(words) == 0 {
				return 0, fmt.Errorf("option %s has no size", option)
			}
			value, words = words[0], words[1:]
		}
		if pool, err = parseSize(value); err != nil {
			return 0, fmt.Errorf("option %s: %w", option, err)
		}
	}
	return pool, nil
}

// parseSize reads a size with a unit k, m or g.
func parseSize(text string) (uint64, error) {
	digits := strings.TrimRight(text, "kKmMgG")
	n, err := strconv.ParseUint(digits, 10, 64)
	shift := map[string]uint{"": 0, "k": 10, "m": 20, "g": 30}
	unit, known := shift[strings.ToLower(text[len(digits):])]
	if err != nil || !known || n > 1<<(62-unit) || n == 0 {
		return 0, fmt.Errorf("%q is no size: expected bytes, with a unit k, m or g", text)
	}
	return n << unit, nil
}
