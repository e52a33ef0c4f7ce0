package allocation

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/launch/config"
)

// The variables of Slurm. Those with numbers have one for each host, in the order of the list of
// hosts.
const (
	slurmJob   = "SLURM_JOB_ID"
	slurmHosts = "SLURM_JOB_NODELIST"
	slurmTasks = "SLURM_TASKS_PER_NODE"
	slurmCPUs  = "SLURM_JOB_CPUS_PER_NODE"
	// A heterogeneous job has this number of components. The variables of each have slurmHetGroup and
	// the number of the component behind their names.
	slurmHetSize  = "SLURM_HET_SIZE"
	slurmHetGroup = "_HET_GROUP_"
)

// slurmComponents returns the slots of each component of a job of Slurm.
func slurmComponents(getenv func(string) string) ([][]string, bool, error) {
	size := getenv(slurmHetSize)
	if getenv(slurmJob) == "" || size == "" {
		return whole(func(getenv func(string) string) ([]string, bool, error) { return slurmSlots(getenv, "") })(getenv)
	}
	n, err := count(size)
	if err != nil {
		return nil, false, fmt.Errorf("environment: %s=%q: %w", slurmHetSize, size, err)
	}
	var components [][]string
	for i := range n {
		group := slurmHetGroup + strconv.Itoa(i)
		slots, ok, err := slurmSlots(getenv, group)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			return nil, false, fmt.Errorf("environment: %s=%q, but %s is not set; expected the hosts of component %d", slurmHetSize, size, slurmHosts+group, i)
		}
		components = append(components, slots)
	}
	return components, true, nil
}

// slurmSlots returns as many slots on each host as Slurm plans tasks there. group ends the names of the
// variables. In a step on some hosts
// of the job the number of tasks is not known for each host. Then there are as many as processors.
func slurmSlots(getenv func(string) string, group string) ([]string, bool, error) {
	list := getenv(slurmHosts + group)
	if getenv(slurmJob) == "" || list == "" {
		return nil, false, nil
	}
	hosts, err := expandHosts(list)
	if err != nil {
		return nil, false, fmt.Errorf("environment: %s=%q: %w", slurmHosts+group, list, err)
	}
	for _, name := range []string{slurmTasks, slurmCPUs} {
		name += group
		text := getenv(name)
		if text == "" {
			continue
		}
		counts, err := expandCounts(text)
		if err != nil {
			return nil, false, fmt.Errorf("environment: %s=%q: %w", name, text, err)
		}
		if len(counts) == len(hosts) {
			slots, err := repeat(hosts, counts)
			if err != nil {
				return nil, false, fmt.Errorf("environment: %s=%q: %w", name, text, err)
			}
			return slots, true, nil
		}
	}
	return hosts, true, nil
}

// repeat returns each host as many times as its count.
func repeat(hosts []string, counts []int) ([]string, error) {
	var slots []string
	for i, host := range hosts {
		if counts[i] > config.MaxProcesses-len(slots) {
			return nil, fmt.Errorf("more than %d processes", config.MaxProcesses)
		}
		for range counts[i] {
			slots = append(slots, host)
		}
	}
	return slots, nil
}

// expandCounts parses numbers such as "2(x3),1", which means 2, 2, 2 and 1.
func expandCounts(text string) ([]int, error) {
	var counts []int
	for item := range strings.SplitSeq(text, ",") {
		number, times, repeated := strings.Cut(item, "(x")
		n, err := count(number)
		if err != nil {
			return nil, err
		}
		again := 1
		if repeated {
			inner, closed := strings.CutSuffix(times, ")")
			if again, err = count(inner); err != nil || !closed {
				return nil, fmt.Errorf("expected numbers such as 2(x3),1, found %q", item)
			}
		}
		if again > config.MaxProcesses-len(counts) {
			return nil, fmt.Errorf("more than %d hosts", config.MaxProcesses)
		}
		for range again {
			counts = append(counts, n)
		}
	}
	return counts, nil
}

// count parses a number of 1 to [config.MaxProcesses].
func count(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > config.MaxProcesses || text[0] == '+' {
		return 0, fmt.Errorf("expected a number from 1 to %d, found %q", config.MaxProcesses, text)
	}
	return n, nil
}
