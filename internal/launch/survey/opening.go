package survey

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/activity"
)

// maxOpenings is how many fields a line has at most.
const maxOpenings = 4

// openings says with which fields ranks open links, one after the other, if these are several; then programs may open
// them in different orders. Otherwise it returns "".
func (r *Run) openings() string {
	var fields []string // in the order of the first rank
	ranks := make(map[string][]int)
	for rank := range r.Ranks {
		x := &r.Ranks[rank]
		if x.State != Waiting {
			continue
		}
		for _, w := range x.Seen.Waits {
			if w.Kind != activity.Opening || w.About == "" || slices.Contains(ranks[w.About], rank) {
				continue
			}
			if ranks[w.About] == nil {
				fields = append(fields, w.About)
			}
			ranks[w.About] = append(ranks[w.About], rank)
		}
	}
	if len(fields) < 2 {
		return ""
	}
	var texts []string
	for _, field := range fields[:min(len(fields), maxOpenings)] {
		who := "rank " + Ranges(ranks[field]) + " waits"
		if len(ranks[field]) > 1 {
			who = "ranks " + Ranges(ranks[field]) + " wait"
		}
		texts = append(texts, who+" until all ranks have opened the link with "+field)
	}
	if more := len(fields) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("others wait for links with %d more fields", more))
	}
	return strings.Join(texts, ", ") + "; programs open the links between them in the same order, or begin all of them before they wait"
}
