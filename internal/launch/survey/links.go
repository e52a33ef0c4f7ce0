package survey

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/ranges"
)

// linkSide is one side of a link of coupled models: the ranks that have it open, and how far they have come.
type linkSide struct {
	ranks []int
	least activity.LinkView
	most  activity.LinkView
}

// add adds the end of a rank.
func (s *linkSide) add(rank int, l activity.LinkView) {
	if len(s.ranks) == 0 || behind(l, s.least) {
		s.least = l
	}
	if len(s.ranks) == 0 || behind(s.most, l) {
		s.most = l
	}
	s.ranks = append(s.ranks, rank)
}

// behind reports whether end a has come less far than end b.
func behind(a, b activity.LinkView) bool {
	return a.Messages == 0 && b.Messages > 0 || (a.Messages > 0) == (b.Messages > 0) && a.Step < b.Step
}

// texts returns the ranks and the steps of their last messages.
func (s *linkSide) texts() (rankText, step string) {
	if len(s.ranks) == 0 {
		return "-", "-"
	}
	least, most := stepText(s.least), stepText(s.most)
	if least != most {
		least += " to " + most
	}
	return ranges.Of(s.ranks), least
}

// stepText writes the step of the last message of an end.
func stepText(l activity.LinkView) string {
	switch {
	case l.Messages == 0:
		return "none"
	case l.Step < 0:
		return "initial"
	}
	return fmt.Sprint(l.Step)
}

// links returns both sides of each open link, by name.
func (r *Run) links() map[string]*[2]linkSide {
	all := map[string]*[2]linkSide{}
	for i := range r.Ranks {
		x := &r.Ranks[i]
		if x.Seen == nil {
			continue
		}
		for _, l := range x.Seen.Links {
			if all[l.Name] == nil {
				all[l.Name] = new([2]linkSide)
			}
			side := 0
			if l.Receives {
				side = 1
			}
			all[l.Name][side].add(x.Rank, l)
		}
	}
	return all
}

// writeLinks writes a line for each link of coupled models, if there are any.
func (r *Run) writeLinks(to io.Writer) error {
	all := r.links()
	if len(all) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "link\tsent by\tstep\treceived by\tstep")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		senders, sent := all[name][0].texts()
		receivers, received := all[name][1].texts()
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", name, senders, sent, receivers, received)
	}
	return table.Flush()
}
