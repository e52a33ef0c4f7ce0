package plan

import (
	"slices"
	"strings"
)

// RemoteHosts returns the hosts of a plan other than this one, each once, with those of processes that come later.
func RemoteHosts(plan *Plan, isLocal func(string) bool) []string {
	var remote []string
	seen := map[string]bool{}
	add := func(hosts []string) {
		for _, host := range hosts {
			if !seen[host] && !isLocal(host) {
				remote = append(remote, host)
			}
			seen[host] = true
		}
	}
	for i := range plan.Jobs {
		add(plan.Jobs[i].Hosts)
	}
	add(plan.growth.hosts)
	for j := range plan.growth.components {
		if plan.Jobs[j].Max > 0 {
			add(plan.growth.components[j])
		}
	}
	return remote
}

// MPIJobs returns the jobs of a plan that MPI launchers start.
func MPIJobs(plan *Plan) []Job {
	var jobs []Job
	for _, job := range plan.Jobs {
		if !job.Acprun {
			jobs = append(jobs, job)
		}
	}
	return jobs
}

// placeRanks returns the hosts of the processes first … first+n-1 of the run. Process i runs
// on the host of line i modulo the number of lines.
func placeRanks(hosts []string, first, n int) []string {
	if hosts == nil {
		return nil
	}
	placed := make([]string, n)
	for i := range placed {
		placed[i] = hosts[(first+i)%len(hosts)]
	}
	return placed
}

func allLocal(hosts []string, isLocal func(string) bool) bool {
	for _, host := range hosts {
		if !isLocal(host) {
			return false
		}
	}
	return true
}

// ownMapping reports whether a runtime line has options that place the ranks of Open MPI.
func ownMapping(launcher string) bool {
	return slices.ContainsFunc(strings.Fields(launcher), func(word string) bool {
		switch strings.TrimLeft(word, "-") {
		case "map-by", "rankfile", "rf", "bynode", "byslot", "npernode", "N", "npersocket", "ppr", "pernode", "rmaps":
			return word[0] == '-' || word == "rmaps"
		}
		return false
	})
}

// machineFileByName returns the machine file for Open MPI. Its sequential mapper accepts only this host's own
// name for this host.
func machineFileByName(hosts []string, f Facts) string {
	var b strings.Builder
	for _, host := range hosts {
		if f.IsLocal(host) {
			host = f.Host
		}
		b.WriteString(host + "\n")
	}
	return b.String()
}
