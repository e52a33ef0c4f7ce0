package couple

import "time"

// Times says how a rank has spent the time in which a model had open links.
type Times struct {
	Computed time.Duration // outside of waits for links
	Waited   time.Duration // in calls of links of the model
}

// Times returns how this rank has spent its time since the first link of the model was opened, but for times without open
// links. Copying counts as computing. Waits of several goroutines are added up, to at most all of the time. Local. Does not block.
func (m *Model) Times() Times {
	computed, waited := m.core.Times()
	return Times{computed, waited}
}

// LinkTimes says what one end of a link has done.
type LinkTimes struct {
	Messages int // that have been sent or received
	Waited   time.Duration
}

// Times returns how many messages this rank has sent, and how long it has waited in the calls of this end. Local. Does not block.
func (s *Sender) Times() LinkTimes { return linkTimes(s.core.Waited()) }

// Times returns how many messages this rank has received, and how long it has waited in the calls of this end. Local. Does not
// block.
func (r *Receiver) Times() LinkTimes { return linkTimes(r.core.Waited()) }

// Times returns how many messages this rank has received, and how long it has waited in the calls of this end. Local. Does not
// block.
func (w *Watcher) Times() LinkTimes { return linkTimes(w.core.Waited()) }

func linkTimes(messages uint64, waited time.Duration) LinkTimes {
	return LinkTimes{int(messages), waited}
}

// Record writes the values of each message whose number every divides to a netCDF file from now on: those that this rank sends, in
// front of a matrix of this side. The name of the file is name, a full stop, the number of the process in its model, and ".nc". It
// has the numbers of the points, and for each message the step of this side and the values, as float64. Close ends the file; it can
// be read before. A rank without points has no file. Another call begins another file. If a record cannot be written, Send fails
// after it has sent the message, and nothing is recorded any more. Fails with ErrOptions, and with an error of package os. Local.
// Does not block, apart from writing.
func (s *Sender) Record(name string, every int) error { return s.core.Record(name, every) }

// Record writes the values that this rank receives, behind a matrix of this side. Otherwise as Record of Sender. Local. Does not
// block, apart from writing.
func (r *Receiver) Record(name string, every int) error { return r.core.Record(name, every) }
