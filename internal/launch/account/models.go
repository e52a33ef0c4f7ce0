package account

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/goacp/goacp/internal/ground/traffic"
)

// modelTime is how the ranks of a model have spent the time in which they had links of it open.
type modelTime struct {
	name     string
	ranks    int
	open     time.Duration // of all ranks
	waited   time.Duration
	most     float64 // share of the rank that has waited longest
	mostRank int
	links    []linkTime // the longest waits come first
}

// linkTime is how long the ranks of a model have waited at one link.
type linkTime struct {
	name   string
	waited time.Duration
}

// share returns the part of the time in which the ranks have waited.
func (m *modelTime) share() float64 { return shareOf(m.waited, m.open) }

// computed returns how long all ranks have computed.
func (m *modelTime) computed() time.Duration { return m.open - m.waited }

// modelOf returns the model to which a rank with an end of a link belongs.
func modelOf(l *traffic.Link) string {
	from, to, _ := strings.Cut(l.Name, ">")
	if l.Receives {
		from = to
	}
	model, _, _ := strings.Cut(from, ".")
	return model
}

// ofRank adds the time of the ends of one rank of the model.
func (m *modelTime) ofRank(rank int, ends []*traffic.Link, over int64) {
	begun, ended, waited := int64(math.MaxInt64), int64(0), time.Duration(0)
	for _, l := range ends {
		end := l.Ended
		if end == 0 {
			end = over
		}
		begun, ended = min(begun, l.Begun), max(ended, end)
		waited += l.Waited
		i := slices.IndexFunc(m.links, func(x linkTime) bool { return x.name == l.Name })
		if i < 0 {
			i, m.links = len(m.links), append(m.links, linkTime{name: l.Name})
		}
		m.links[i].waited += l.Waited
	}
	open := time.Duration(max(ended-begun, 0))
	waited = min(waited, open)
	m.ranks++
	m.open += open
	m.waited += waited
	if s := shareOf(waited, open); s > m.most || m.ranks == 1 {
		m.most, m.mostRank = s, rank
	}
}

// models returns the times of all models that have had links, by name.
func (r *Run) models() []modelTime {
	found := map[string]*modelTime{}
	over := r.Began.Add(r.Took).UnixNano()
	for rank := range r.Ranks {
		c := r.Ranks[rank].Counted
		if c == nil {
			continue
		}
		ends := map[string][]*traffic.Link{}
		for i := range c.Links {
			if l := &c.Links[i]; l.Begun > 0 {
				ends[modelOf(l)] = append(ends[modelOf(l)], l)
			}
		}
		for name, list := range ends {
			if found[name] == nil {
				found[name] = &modelTime{name: name}
			}
			found[name].ofRank(rank, list, over)
		}
	}
	var list []modelTime
	for _, name := range slices.Sorted(maps.Keys(found)) {
		m := found[name]
		slices.SortFunc(m.links, func(a, b linkTime) int {
			return cmp.Or(cmp.Compare(b.waited, a.waited), strings.Compare(a.name, b.name))
		})
		list = append(list, *m)
	}
	return list
}

// modelRow is a line about a model, or about one of its links.
type modelRow struct {
	Model, Link, Computes, Waits, Share, Most string
}

// modelRows returns for each model how long its ranks have computed and waited, and for each of its links how long they have waited
// there. Times are those of a rank on average.
func (r *Run) modelRows() (rows []modelRow) {
	models := r.models()
	for i := range models {
		m := &models[i]
		each := time.Duration(m.ranks)
		rows = append(rows, modelRow{m.name, "all", milliseconds(m.computed() / each), milliseconds(m.waited / each), percent(m.share()),
			fmt.Sprintf("%s, rank %d", percent(m.most), r.First+m.mostRank)})
		for _, l := range m.links {
			rows = append(rows, modelRow{Model: m.name, Link: l.name, Waits: milliseconds(l.waited / each), Share: percent(shareOf(l.waited, m.open))})
		}
	}
	return rows
}

// writeModels writes the times of the models, if there are any.
func (r *Run) writeModels(to io.Writer) error {
	rows := r.modelRows()
	if len(rows) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "model\tlink\tcomputes\twaits\tshare\tmost")
	for _, x := range rows {
		fmt.Fprintln(table, strings.Join([]string{x.Model, x.Link, x.Computes, x.Waits, x.Share, x.Most}, "\t"))
	}
	return table.Flush()
}

// sharing returns how the ranks would be divided among the models so that all compute for about as long, or "" if they do so already
// or no model waits much longer than another. Models that wait for each other in turn all wait, and more ranks for one of them
// do not change that.
func (r *Run) sharing() string {
	models := r.models()
	if len(models) < 2 {
		return ""
	}
	least, most, ranks := math.Inf(1), 0.0, 0
	var work time.Duration
	for i := range models {
		least, most = min(least, models[i].share()), max(most, models[i].share())
		ranks += models[i].ranks
		work += models[i].computed()
	}
	if work <= 0 || most-least < remarkable || least > most/2 {
		return ""
	}
	parts := divide(models, ranks)
	var computed, given []string
	differ := false
	for i := range models {
		computed = append(computed, fmt.Sprintf("%s computes %s", models[i].name, milliseconds(models[i].computed())))
		given = append(given, fmt.Sprintf("%s for %s", several(parts[i], "rank"), models[i].name))
		differ = differ || parts[i] != models[i].ranks
	}
	if !differ {
		return ""
	}
	return fmt.Sprintf("%s, on all of its ranks; if the models scale well, %s balance them", strings.Join(computed, ", "), strings.Join(given, " and "))
}

// divide divides ranks among models in proportion to how long they compute. Each model gets at least one.
func divide(models []modelTime, ranks int) []int {
	parts := make([]int, len(models))
	for i := range parts {
		parts[i] = 1
	}
	for n := len(models); n < ranks; n++ {
		// The next rank is for the model that computes longest with those that it has.
		best, longest := 0, -1.0
		for i := range models {
			if each := float64(models[i].computed()) / float64(parts[i]); each > longest {
				best, longest = i, each
			}
		}
		parts[best]++
	}
	return parts
}
