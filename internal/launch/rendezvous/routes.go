package rendezvous

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/plan"
)

// describeUniverses returns lines that list the jobs which share a communicator of MPI, and the reasons why
// other jobs do not.
func describeUniverses(members *bridge.Members) []string {
	if !members.MayJoin() {
		return nil
	}
	var lines []string
	for _, jobs := range members.Universes() {
		ranks := 0
		for _, j := range jobs {
			first, end := members.WorldRange(j)
			ranks += end - first
		}
		first, _ := members.WorldRange(jobs[0])
		what := fmt.Sprintf("job %d", jobs[0])
		if len(jobs) > 1 {
			what = "jobs " + plan.List(jobs)
		}
		size := fmt.Sprintf("%d ranks", ranks)
		if ranks == 1 {
			size = "1 rank"
		}
		lines = append(lines, fmt.Sprintf("%s: universe of %s of %s", what, size, members.At(first).MPI))
	}
	for j := range members.Worlds() {
		if reason := members.NotJoined(j); reason != "" {
			lines = append(lines, fmt.Sprintf("job %d: not joined: %s", j, reason))
		}
	}
	return lines
}

// pairGroup is the pairs of two jobs that have the same route.
type pairGroup struct {
	route string
	pairs int
}

// maxGroups is how many different routes of two jobs are reported one by one. If there are
// more, one line for each fabric has one of them as an example.
const maxGroups = 8

// maxReportPairs bounds the work of describeRoutes in large runs. From a job with more members it takes the
// first ones, and one of each host.
const maxReportPairs = 256

// describeRoutes returns, for each pair of jobs and within each job, lines with the fabrics, the number of
// pairs of ranks that use each, and the reasons why other fabrics were refused.
func describeRoutes(members *bridge.Members) []string {
	var lines []string
	for a := range members.Worlds() {
		for b := a; b < members.Worlds(); b++ {
			groups, sampled := routesBetween(members, a, b)
			for _, g := range groups {
				between := fmt.Sprintf("jobs %d and %d", a, b)
				if a == b {
					between = fmt.Sprintf("job %d", a)
				}
				count := fmt.Sprintf("%d pairs", g.pairs)
				if g.pairs == 1 {
					count = "1 pair"
				}
				if sampled {
					count = "some pairs"
				}
				lines = append(lines, fmt.Sprintf("%s: %s of ranks: %s", between, count, g.route))
			}
		}
	}
	return lines
}

// routesBetween returns the pairs of two jobs, grouped by route.
func routesBetween(members *bridge.Members, a, b int) (groups []pairGroup, sampled bool) {
	listA, cutA := sampleJob(members, a)
	listB, cutB := sampleJob(members, b)
	counts := map[string]int{}
	for _, i := range listA {
		for _, j := range listB {
			if a != b || i < j {
				counts[routeText(members, i, j)]++
			}
		}
	}
	for route, pairs := range counts {
		groups = append(groups, pairGroup{route, pairs})
	}
	sort.Slice(groups, func(i, j int) bool { return groups[i].route < groups[j].route })
	if len(groups) > maxGroups {
		groups = byFabric(groups)
	}
	return groups, cutA || cutB
}

// byFabric merges groups with the same fabric. The reasons are those of the first group.
func byFabric(groups []pairGroup) []pairGroup {
	var merged []pairGroup
	for _, g := range groups {
		fabric, reasons, _ := strings.Cut(g.route, " ")
		last := len(merged) - 1
		if last >= 0 && strings.HasPrefix(merged[last].route, fabric) {
			merged[last].pairs += g.pairs
			continue
		}
		if reasons != "" {
			fabric += " (for example, " + strings.TrimPrefix(reasons, "(")
		}
		merged = append(merged, pairGroup{fabric, g.pairs})
	}
	return merged
}

// sampleJob returns the members of a job, or some of them if there are many.
func sampleJob(members *bridge.Members, job int) (list []int, cut bool) {
	first, end := members.WorldRange(job)
	seen := map[int]bool{}
	for i := first; i < end; i++ {
		host := members.HostIndex(i)
		if i-first < maxReportPairs || !seen[host] {
			list = append(list, i)
		}
		seen[host] = true
	}
	return list, len(list) < end-first
}

// routeText returns the route of a pair, with the reasons why other fabrics were refused.
func routeText(members *bridge.Members, i, j int) string {
	route, refusals, err := members.Route(i, j)
	text := route.String()
	var none *bridge.RouteError
	if errors.As(err, &none) {
		text, refusals = "none", none.Refused
	}
	if len(refusals) > 0 {
		reasons := make([]string, len(refusals))
		for k, refused := range refusals {
			reasons[k] = fmt.Sprintf("%v: %s", refused.Route, refused.Reason)
		}
		text += " (not " + strings.Join(reasons, "; not ") + ")"
	}
	return text
}
