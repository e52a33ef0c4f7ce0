package survey

import (
	"fmt"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/ranges"
)

// Explain returns the state of the rank at a place in Ranks in one line, without the number of the rank.
func (r *Run) Explain(i int) string {
	x := &r.Ranks[i]
	switch {
	case x.State == Ended && x.How != "":
		return x.How
	case x.Seen == nil || len(x.Seen.Waits) == 0:
		return stateTexts[x.State]
	}
	var texts []string
	for _, w := range x.Seen.Waits {
		texts = append(texts, r.wait(i, w))
	}
	if x.Seen.Hidden > 0 {
		texts = append(texts, fmt.Sprintf("%d more threads wait", x.Seen.Hidden))
	}
	text := strings.Join(texts, "; ")
	if x.State == Stopped {
		text = stateTexts[Stopped] + "; " + text
	}
	return text
}

var stateTexts = map[State]string{
	Computing:  "computes",
	Sleeping:   "sleeps outside the library",
	Stopped:    "is stopped",
	Waiting:    "waits",
	NotStarted: "is not started",
	Outside:    "has not called acp_init",
	Left:       "has called acp_finalize",
	Ended:      "has ended",
	NotSeen:    "is not seen",
}

// wait returns a text for the wait of a thread.
func (r *Run) wait(i int, w Wait) string { return "waits" + w.place() + r.because(i, w) }

// place returns a text for the place and the duration of a wait.
func (w *Wait) place() (text string) {
	if w.Call != "" {
		text += " in " + w.Call
	}
	if w.At != "" {
		text += " (" + w.At + ")"
	}
	return text + " since " + Duration(w.For)
}

// because is reason with a colon before it.
func (r *Run) because(i int, w Wait) string {
	if why := r.reason(i, w); why != "" {
		return ": " + why
	}
	return ""
}

// reason returns why the wait has not ended, "" if that is not known.
func (r *Run) reason(i int, w Wait) string {
	switch w.Kind {
	case activity.Start, activity.Barrier, activity.Exchange:
		return haveNotCome(r.ranksAt(r.Awaited(i, w)))
	case activity.Complete:
		switch p := r.Ranks[i].Seen; {
		case p.Pending == 1:
			return "a copy or atomic in flight" + named(" with rank %d", w.Rank)
		case p.Pending > 1:
			return fmt.Sprintf("%d copies and atomics in flight%s", p.Pending, named(", the first with rank %d", w.Rank))
		}
		return "transfers in flight" + named(" with rank %d", w.Rank)
	}
	switch w.Kind {
	case activity.Opening:
		return "not all ranks have opened the link" + w.with() + named(", rank %d among them", w.Rank) + r.inJob(w.Rank)
	case activity.Link:
		return "the other end of the link" + w.with() + named(", at rank %d", w.Rank) + r.inJob(w.Rank)
	}
	if w.ofDMI() {
		return r.reasonInDMI(w)
	}
	if text, ok := reasonTexts[w.Kind]; ok {
		return text[0] + named(text[1], w.Rank)
	}
	return ""
}

// reasonTexts has two texts for each kind. The second one, with the rank, is added if a rank is known.
var reasonTexts = map[activity.Kind][2]string{
	activity.Receive:    {"a message", " from rank %d"},
	activity.Send:       {"a message is not taken yet", " by rank %d"},
	activity.Release:    {"the other end of the channel is not free yet", ", at rank %d"},
	activity.Answer:     {"an answer", " from rank %d"},
	activity.Connect:    {"the other end of the segmented buffer is not connected yet", ", at rank %d"},
	activity.Disconnect: {"the other end of the segmented buffer is not disconnected yet", ", at rank %d"},
	activity.Notify:     {"a notification", " from rank %d"},
	activity.Mutex:      {"a mutex", " that rank %d holds"},
	activity.Value:      {"a named value", ", put by rank %d"},
	activity.Wake:       {"another thread is to wake this one", ", on rank %d"},
	activity.Request:    {"a rank that asks to join or leave", ", such as rank %d"},
	activity.Coming:     {"a rank is to join", ": rank %d"},
	activity.Leaving:    {"a rank is to leave", ": rank %d"},
	activity.Idle:       {"no thread of the program is here", ", on rank %d"},
	activity.Change:     {"a rank that comes, leaves or is lost", ", such as rank %d"},
}

// with names the field at the other end of a link, or both fields of one that is being opened; "" if the wait is for no link or the
// names are not known.
func (w *Wait) with() string {
	switch {
	case w.About == "":
	case w.Kind == activity.Link:
		return " with " + w.About
	case w.Kind == activity.Opening:
		return " of " + w.About
	}
	return ""
}

// named returns the format with a rank, or "" if none is known.
func named(format string, rank int) string {
	if rank < 0 {
		return ""
	}
	return fmt.Sprintf(format, rank)
}

// ranksAt returns the ranks at some places in Ranks.
func (r *Run) ranksAt(places []int) []int {
	ranks := make([]int, len(places))
	for k, i := range places {
		ranks[k] = r.Ranks[i].Rank
	}
	return ranks
}

// Awaited returns the ranks for which a thread of the rank at a place in Ranks waits, by their places, in order. It is
// empty if they are not known.
func (r *Run) Awaited(at int, w Wait) []int {
	var come func(other *Rank) bool
	switch w.Kind {
	case activity.Start:
		come = func(other *Rank) bool { return other.Seen != nil || other.State == NotSeen }
	case activity.Barrier:
		own := r.Ranks[at].Seen.Barriers
		come = func(other *Rank) bool {
			return other.State == NotSeen || other.Seen != nil && other.Seen.Barriers >= own
		}
	case activity.Exchange:
		come = func(other *Rank) bool { return other.State == NotSeen || other.waits(activity.Exchange) }
	default:
		if to := r.index(w.Rank); to >= 0 {
			return []int{to}
		}
		return nil
	}
	var absent []int
	for i := range r.Ranks {
		if i != at && r.together(i, at) && !come(&r.Ranks[i]) {
			absent = append(absent, i)
		}
	}
	return absent
}

// together reports whether two ranks, by their places in Ranks, call collective functions together.
func (r *Run) together(i, j int) bool {
	x, y := &r.Ranks[i], &r.Ranks[j]
	return x.Cohort == y.Cohort && !x.Apart && !y.Apart
}

// waits reports whether a thread of a rank waits for something of a kind.
func (x *Rank) waits(kind activity.Kind) bool {
	if x.Seen != nil {
		for _, w := range x.Seen.Waits {
			if w.Kind == kind {
				return true
			}
		}
	}
	return false
}

// haveNotCome returns a text with the awaited ranks.
func haveNotCome(ranks []int) string {
	switch len(ranks) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("rank %d has not come", ranks[0])
	}
	return ranges.Of(ranks) + " have not come"
}

// Duration writes a time in few characters: 0.2 s, 12 s, 3 m 20 s, 5 h 2 m.
func Duration(d time.Duration) string {
	switch s := int(d / time.Second); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d m %d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %d m", s/3600, s/60%60)
	}
}
