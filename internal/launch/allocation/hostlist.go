package allocation

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/launch/config"
)

// maxDigits bounds the digits of a number in a list of hosts.
const maxDigits = 18

// errHostList is part of the error for a list of hosts that is malformed.
var errHostList = errors.New("expected a list of hosts such as gpu7,node[01-03,08]")

// expandHosts returns the hosts of a list of Slurm: names separated by commas, in which brackets hold
// numbers and ranges of numbers. A number has as many digits as the first of its range.
func expandHosts(list string) ([]string, error) {
	var hosts []string
	for list != "" {
		name, rest, err := cutItem(list)
		if err != nil {
			return nil, err
		}
		list = rest
		if hosts, err = expandName(hosts, "", name); err != nil {
			return nil, err
		}
	}
	if hosts == nil {
		return nil, errHostList
	}
	return hosts, nil
}

// cutItem splits a list at the first comma outside of brackets.
func cutItem(list string) (item, rest string, err error) {
	inside := false
	for i, c := range list {
		switch {
		case c == '[' && !inside:
			inside = true
		case c == ']' && inside:
			inside = false
		case c == '[' || c == ']':
			return "", "", fmt.Errorf("%w: brackets do not match", errHostList)
		case c == ',' && !inside:
			if i == len(list)-1 {
				return "", "", errHostList
			}
			return list[:i], list[i+1:], nil
		}
	}
	if inside {
		return "", "", fmt.Errorf("%w: brackets do not match", errHostList)
	}
	return list, "", nil
}

// expandName appends the hosts whose names are prefix followed by an expansion of pattern.
func expandName(hosts []string, prefix, pattern string) ([]string, error) {
	before, after, found := strings.Cut(pattern, "[")
	if !found {
		host := prefix + pattern
		if err := config.CheckHost(host); err != nil {
			return nil, err
		}
		if len(hosts) == config.MaxProcesses {
			return nil, fmt.Errorf("more than %d hosts", config.MaxProcesses)
		}
		return append(hosts, host), nil
	}
	numbers, after, _ := strings.Cut(after, "]")
	for item := range strings.SplitSeq(numbers, ",") {
		first, last, isRange := strings.Cut(item, "-")
		if !isRange {
			last = first
		}
		low, err1 := hostNumber(first)
		high, err2 := hostNumber(last)
		if err1 != nil || err2 != nil || high < low {
			return nil, fmt.Errorf("%w, found %q", errHostList, item)
		}
		for n := low; n <= high; n++ {
			var err error
			if hosts, err = expandName(hosts, fmt.Sprintf("%s%s%0*d", prefix, before, len(first), n), after); err != nil {
				return nil, err
			}
		}
	}
	return hosts, nil
}

// hostNumber parses a number of a range, which has digits only.
func hostNumber(text string) (uint64, error) {
	if len(text) > maxDigits {
		return 0, strconv.ErrRange
	}
	return strconv.ParseUint(text, 10, 64)
}
