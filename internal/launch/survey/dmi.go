package survey

import (
	"fmt"

	"github.com/goacp/goacp/internal/ground/activity"
)

// ofDMI reports whether the wait is one of a program with DMI.
func (w *Wait) ofDMI() bool { return w.Kind >= activity.Access || w.Object.Addr != 0 }

// inLibrary reports whether a goroutine of the library waits in a process of DMI: for processes that come, or for the answers to what the
// process asks others for the program. A wait of the program has the same cause, or there is none.
func inLibrary(s *activity.Sleeper) bool {
	return (s.Kind == activity.Answer || s.Kind == activity.Change) && s.Call == "" && s.At == "" && s.Site == 0
}

// reasonInDMI returns why a wait of a program with DMI has not ended.
func (r *Run) reasonInDMI(w Wait) string {
	at, number := w.Object.Addr, w.Object.Number
	switch w.Kind {
	case activity.Access:
		return fmt.Sprintf("page %d of the space at %#x", number, at) + named(", at its owner, rank %d", w.Rank)
	case activity.Home:
		return fmt.Sprintf("the owner of page %d of the space at %#x", number, at) + named(", which rank %d names", w.Rank)
	case activity.Copies:
		return fmt.Sprintf("ranks with copies of page %d of the space at %#x", number, at) + named(", rank %d among them", w.Rank)
	case activity.Mutex:
		return fmt.Sprintf("the mutex at %#x", at) + r.holder(w)
	case activity.Spin:
		return fmt.Sprintf("the spin lock at %#x", at) + r.holder(w)
	case activity.Condition:
		return fmt.Sprintf("the condition variable at %#x, with the mutex at %#x", at, number) + named(", at rank %d", w.Rank)
	case activity.Arrival:
		return fmt.Sprintf("the barrier at %#x: %s", at, r.arrived(w)) + named(", rank %d among them", w.Rank)
	case activity.Watch:
		return fmt.Sprintf("a change of %d bytes at %#x", number, at) + named(", by rank %d", w.Rank)
	case activity.Phase:
		return r.phase(number) + named(" on rank %d", w.Rank)
	case activity.Join:
		return fmt.Sprintf("the end of thread %d", number) + named(" of rank %d", w.Rank)
	}
	text := reasonTexts[w.Kind]
	return text[0] + named(text[1], w.Rank)
}

// holder names the thread that holds a lock, "" if it is not known.
func (r *Run) holder(w Wait) string {
	rank, thread := w.Rank, w.Object.Number
	for i := range r.Ranks {
		if r.Ranks[i].Seen == nil {
			continue
		}
		for _, h := range r.Ranks[i].Seen.Holds {
			if h.Addr == w.Object.Addr { // newer than the owner when the wait began
				rank, thread = r.Ranks[i].Rank, h.Number
			}
		}
	}
	if rank < 0 {
		return ""
	}
	return fmt.Sprintf(", held by thread %d of rank %d", thread, rank)
}

// arrived returns how many threads have come to the barrier of a wait.
func (r *Run) arrived(w Wait) string {
	n, atLeast := 0, ""
	for i := range r.Ranks {
		x := r.Ranks[i].Seen
		if x == nil {
			if r.Ranks[i].State == NotSeen {
				atLeast = "at least "
			}
			continue
		}
		if x.Hidden > 0 {
			atLeast = "at least "
		}
		for _, other := range x.Waits {
			if other.Kind == w.Kind && other.Object == w.Object {
				n++
			}
		}
	}
	return fmt.Sprintf("%s%d of %d threads have come", atLeast, n, w.Object.Number)
}

// phase returns why DMI_rescale for some processes has not returned, or, of 0 processes, why a thread of it does not run.
func (r *Run) phase(processes int64) string {
	if processes == 0 {
		return "threads of the same DMI_rescale have not been made"
	}
	n := int64(0)
	for i := range r.Ranks {
		if x := r.Ranks[i].Seen; x != nil && x.DMI != nil && x.DMI.State == takesPart {
			n++
		}
	}
	if n < processes {
		return fmt.Sprintf("%d of %d processes take part", n, processes)
	}
	return "the threads of DMI_scaleunit have not ended"
}
