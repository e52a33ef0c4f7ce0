package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// parseSize parses a number of bytes: digits with an optional unit k, m or g (powers of 1024)
// in upper or lower case, with an optional b behind it.
func parseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "kKmMgGbB")
	shift, ok := map[string]uint{"": 0, "b": 0, "k": 10, "kb": 10, "m": 20, "mb": 20, "g": 30, "gb": 30}[strings.ToLower(text[len(digits):])]
	n, err := strconv.ParseInt(digits, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s does not fit 64 bits", text)
	}
	if err != nil || !ok {
		return 0, fmt.Errorf("%q is not a size; expected bytes such as 10240, 8k or 1m", text)
	}
	if n > math.MaxInt64>>shift || n < math.MinInt64>>shift {
		return 0, fmt.Errorf("%s does not fit 64 bits", text)
	}
	return n << shift, nil
}

// parseTimeout parses a time limit: seconds, or a Go duration.
func parseTimeout(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if seconds, errSeconds := strconv.ParseFloat(text, 64); errSeconds == nil {
		err = nil
		if math.IsNaN(seconds) || math.Abs(seconds) > float64(math.MaxInt64)/1e9 {
			return 0, fmt.Errorf("%s is too long for a time limit", text)
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a time; expected seconds, or a time such as 90s or 5m", text)
	}
	if d <= 0 {
		return 0, fmt.Errorf("%s must be greater than 0", text)
	}
	return d, nil
}

// DefaultStall is -stall if it is not given. NoStall stands for -stall 0.
const (
	DefaultStall time.Duration = time.Minute
	NoStall      time.Duration = -1
)

// parseStall parses a time as parseTimeout does, or 0.
func parseStall(text string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n == 0 {
		return NoStall, nil
	}
	return parseTimeout(text)
}

// MaxProcesses is the largest number of processes of a run. A global address has 20 bits for
// the rank.
const MaxProcesses = 1 << 20

// parseCount parses a number of processes or jobs, from 1 to MaxProcesses.
func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s must be between 1 and %d", text, MaxProcesses)
	case err != nil:
		return 0, fmt.Errorf("%q is not a number; expected a positive integer", text)
	case n <= 0:
		return 0, fmt.Errorf("%s must be greater than 0", text)
	case n > MaxProcesses:
		return 0, fmt.Errorf("%s is more than the %d that a run can hold", text, MaxProcesses)
	}
	return n, nil
}
