package survey

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/source"
	"github.com/goacp/goacp/internal/memory/maptable"
)

// Process is the state of one rank on its host.
type Process struct {
	Run      activity.Run  `json:"-"`
	Procs    int           `json:"-"` // ranks of the run
	Age      time.Duration `json:"-"` // since the process has begun to start the library
	Rank     int           `json:"rank"`
	PID      int           `json:"pid"`
	State    State         `json:"state"` // Computing, Sleeping, Stopped or Waiting
	Memory   uint64        `json:"memory"`
	CPU      time.Duration `json:"cpu"`
	Accesses uint64        `json:"accesses"` // copies and atomics so far
	Pending  uint64        `json:"pending"`  // operations in flight
	Barriers uint64        `json:"barriers"` // barriers that it has come to
	// Transferred is nil if the rank does not count its transfers.
	Transferred *traffic.Totals `json:"transferred,omitempty"`
	Now         int             `json:"now"` // its rank after acp_reset
	Waits       []Wait          `json:"waits,omitempty"`
	Hidden      int             `json:"hidden,omitempty"` // threads that wait and are not among Waits
	// Holds are the locks of DMI that its threads hold after a wait while others wait, each with the number of the thread.
	Holds []activity.Object `json:"holds,omitempty"`
	// Links are the open ends of links of coupled models.
	Links []activity.LinkView `json:"links,omitempty"`
	DMI   *activity.Share     `json:"dmi,omitempty"` // nil: the run is none of DMI
}

// Wait describes a wait of a thread in the library.
type Wait struct {
	Kind activity.Kind `json:"kind"`
	Call string        `json:"call,omitempty"` // the function that the program has called, if that is known
	At   string        `json:"at,omitempty"`   // file and line of the program, or the function, if they are known
	// About is the name of the object of the wait, if it has one.
	About string `json:"about,omitempty"`
	// Object is the object of DMI for which the thread waits. Of a mutex, it has the owner when the wait began.
	Object activity.Object `json:"object,omitzero"`
	Rank   int             `json:"rank"` // the one for which the thread waits, -1 if none is known
	For    time.Duration   `json:"for"`
}

// Host looks at the processes of this host. It is not safe for concurrent use.
type Host struct {
	proc    process.ProcFS
	windows map[process.Identity][]*activity.Window
	sources *source.Finder
	sites   map[process.Identity]map[uint64]string // lines found by package source
}

// NewHost returns a Host that has not read any process.
func NewHost() *Host {
	return &Host{proc: process.HostProc, windows: map[process.Identity][]*activity.Window{},
		sources: source.NewFinder(string(process.HostProc)), sites: map[process.Identity]map[uint64]string{}}
}

// Look returns all ranks among the processes of this host that this user may read. It does not disturb the
// ranks. Fails if /proc cannot be read.
func (h *Host) Look() ([]Process, error) {
	all, err := h.proc.Processes()
	if err != nil {
		return nil, err
	}
	defer h.sources.Rest()
	var found []Process
	alive := map[process.Identity]bool{}
	for _, p := range all {
		if p.Zombie {
			continue
		}
		alive[p.Identity] = true
		found = append(found, h.lookAt(p.Identity)...)
	}
	for id := range h.windows {
		if !alive[id] {
			h.forget(id)
		}
	}
	return found, nil
}

// Reading returns the states of the ranks of a run on this host, named host. dir is the directory of their
// tables of transfers, if they count.
func (h *Host) Reading(host string, run activity.Run, dir string) Reading {
	all, err := h.Look()
	if err != nil {
		return Reading{Host: host, Problem: err.Error()}
	}
	ours := slices.DeleteFunc(all, func(p Process) bool { return p.Run != run })
	for i := range ours {
		ours[i].Transferred = transferred(dir, ours[i].Rank)
	}
	return Reading{Host: host, Processes: ours}
}

// transferred returns the totals of a rank, or nil if it does not count.
func transferred(dir string, rank int) *traffic.Totals {
	s, err := traffic.Read(filepath.Join(dir, traffic.FileName(rank)))
	if err != nil {
		return nil
	}
	t := s.Totals()
	return &t
}

// Close closes the files that Look has opened.
func (h *Host) Close() {
	for id := range h.windows {
		h.forget(id)
	}
}

func (h *Host) forget(id process.Identity) {
	for _, w := range h.windows[id] {
		_ = w.Close()
	}
	delete(h.windows, id)
	delete(h.sites, id)
}

// lookAt returns the ranks of a process: none, one, or several in tests.
func (h *Host) lookAt(id process.Identity) []Process {
	windows := h.windows[id]
	if windows == nil {
		var err error
		if windows, err = activity.Open(string(h.proc), id.PID); err != nil {
			return nil
		}
		h.windows[id] = windows
	}
	usage, err := h.proc.Usage(id.PID)
	if err != nil {
		return nil
	}
	var found []Process
	for _, w := range windows {
		v, err := w.Look(maptable.ProgressSize)
		if err != nil { // the process has finalized, and may initialise the library again
			h.forget(id)
			return found
		}
		// A child that was forked has the descriptors of its parent.
		if v.PID == usage.OwnPID {
			h.findLines(id, &v)
			found = append(found, read(id.PID, v, usage))
		}
	}
	return found
}

// findLines enters the line of each call of the library for which a thread has left only an address.
func (h *Host) findLines(id process.Identity, v *activity.View) {
	for i := range v.Sleepers {
		s := &v.Sleepers[i]
		if s.At != "" || s.Site == 0 {
			continue
		}
		text, known := h.sites[id][s.Site]
		if !known {
			text = h.sources.Line(id.PID, s.Site, time.Now().Add(-v.Age))
			if h.sites[id] == nil {
				h.sites[id] = map[uint64]string{}
			}
			h.sites[id][s.Site] = text
		}
		s.At = text
	}
}

// read combines a page with the data of the kernel.
func read(pid int, v activity.View, u process.Usage) Process {
	g := maptable.ProgressOf(v.Counters)
	p := Process{Run: v.Run, Procs: v.Procs, Age: v.Age, Rank: v.Member, PID: pid, Memory: u.Memory, CPU: u.CPU,
		Accesses: g.Issued, Pending: g.Pending, Barriers: g.Barriers, Now: g.Rank, Hidden: v.Hidden, Holds: v.Holds, Links: v.Links}
	if v.Share.State != 0 {
		p.DMI = &v.Share
	}
	for _, s := range v.Sleepers {
		if p.DMI != nil && inLibrary(&s) {
			continue
		}
		p.Waits = append(p.Waits, Wait{Kind: s.Kind, Call: s.Call, At: s.At, About: s.About, Object: s.Object, Rank: s.Member, For: s.Since})
	}
	switch {
	case u.Stopped:
		p.State = Stopped
	case len(p.Waits) > 0 || p.Hidden > 0:
		p.State = Waiting
	case u.Active > 0:
		p.State = Computing
	default:
		p.State = Sleeping
	}
	return p
}
