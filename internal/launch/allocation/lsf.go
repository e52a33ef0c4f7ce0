package allocation

import (
	"fmt"
	"strings"

	"github.com/goacp/goacp/internal/launch/config"
)

// The variables of LSF.
const (
	lsfFile   = "LSB_DJOB_HOSTFILE" // names a file with a line for each slot
	lsfCounts = "LSB_MCPU_HOSTS"    // hosts and numbers of slots in turn
)

// lsfSlots reads the file of slots. If LSF has written none, it takes the list in a variable.
func lsfSlots(getenv func(string) string) ([]string, bool, error) {
	if slots, ok, err := fileSlots(getenv(lsfFile)); ok || err != nil {
		return slots, ok, err
	}
	text := getenv(lsfCounts)
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, false, nil
	}
	var hosts []string
	var counts []int
	for ; len(words) >= 2; words = words[2:] {
		if err := config.CheckHost(words[0]); err != nil {
			return nil, false, fmt.Errorf("environment: %s=%q: %w", lsfCounts, text, err)
		}
		n, err := count(words[1])
		if err != nil {
			return nil, false, fmt.Errorf("environment: %s=%q: %w", lsfCounts, text, err)
		}
		hosts, counts = append(hosts, words[0]), append(counts, n)
	}
	if len(words) != 0 {
		return nil, false, fmt.Errorf("environment: %s=%q: expected hosts, each with a number, found no number behind %q", lsfCounts, text, words[0])
	}
	slots, err := repeat(hosts, counts)
	if err != nil {
		return nil, false, fmt.Errorf("environment: %s=%q: %w", lsfCounts, text, err)
	}
	return slots, true, nil
}
