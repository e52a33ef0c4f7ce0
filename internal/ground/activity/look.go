package activity

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Sleeper is a thread that sleeps in the library.
type Sleeper struct {
	Kind   Kind
	Member int // the member that it waits for, -1 if none is known
	Since  time.Duration
	Call   string // the function of the library; "" if it is not known
	At     string // file and line in the program; "" if they are not known
	Site   uint64 // the return address of the call in the program; 0 if it is not known or At is set
	About  string // the name of the object of the wait; "" if it has none
	Object Object // of DMI; zero if the wait is for none
}

// View is the content of a page at one moment.
type View struct {
	Run    Run
	Member int
	Procs  int
	PID    int           // in the process's own namespace
	Age    time.Duration // since the page was made
	Hidden int           // threads that sleep and are not among Sleepers
	Share  Share

	Sleepers []Sleeper
	Holds    []Object   // locks of DMI that its threads hold, and for which others wait
	Links    []LinkView // open ends of links of coupled models
	Counters []byte     // the memory behind the page; fewer bytes than requested if it is shorter
}

// ErrNone: a process has no page that can be read.
var ErrNone = errors.New("no page")

// A Window is an open page of another process. It stays valid when the process has ended.
type Window struct{ file *os.File }

// Open opens the pages of a process, whose directory in proc, such as /proc, is that of its number. A process
// has several if it is several members. Fails with ErrNone if there is none or if the kernel does not let
// this user read it.
func Open(proc string, pid int) ([]*Window, error) {
	dir := filepath.Join(proc, fmt.Sprint(pid), "fd")
	names, err := readNames(dir)
	if err != nil {
		return nil, fmt.Errorf("process %d: %w: %w", pid, ErrNone, err)
	}
	var all []*Window
	for _, name := range names {
		path := filepath.Join(dir, name)
		if target, err := os.Readlink(path); err != nil || !strings.HasPrefix(target, "/memfd:"+memoryName+" ") || !writable(path) {
			continue
		}
		// The descriptor may name another file meanwhile, even one whose opening blocks.
		f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
		if err == nil {
			all = append(all, &Window{f})
		}
	}
	if all == nil {
		return nil, fmt.Errorf("process %d: %w", pid, ErrNone)
	}
	return all, nil
}

// writable reports whether the process of a descriptor in /proc can write by it. Descriptors of windows cannot: a process that reads
// pages of others has them, and readers that opened those, too, would all have the descriptors of each other.
func writable(path string) bool {
	const ownerWrites = 0o200
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&ownerWrites != 0
}

func readNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// Close closes the window.
func (w *Window) Close() error { return w.file.Close() }

// reading is a copy of a page.
type reading struct {
	head     head
	waits    []wait
	counters []byte
	links    []byte
	holds    []byte
}

// read reads the head of the page, some of its waits, and counters bytes of the memory behind them.
func (w *Window) read(waits, counters int) (reading, error) {
	mem := make([]byte, waitsAt+uintptr(waits)*unsafe.Sizeof(wait{}))
	if n, err := w.file.ReadAt(mem, 0); err != nil {
		return reading{}, fmt.Errorf("%w: %d bytes, %w", ErrNone, n, err)
	}
	r := parse(mem)
	r.counters = make([]byte, counters)
	n, err := w.file.ReadAt(r.counters, CountersAt)
	if err != nil && !errors.Is(err, io.EOF) {
		return reading{}, fmt.Errorf("%w: %d bytes of counters, %w", ErrNone, n, err)
	}
	r.counters = r.counters[:n]
	behind := make([]byte, CountersAt-holdsAt)
	if n, err = w.file.ReadAt(behind, holdsAt); err != nil {
		return reading{}, fmt.Errorf("%w: %d bytes of holds and links, %w", ErrNone, n, err)
	}
	r.holds, r.links = behind[:linksAt-holdsAt], behind[linksAt-holdsAt:]
	return r, nil
}

// parse returns the head and the waits in the beginning of a page.
func parse(mem []byte) (r reading) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&r.head)), waitsAt), mem)
	const size = unsafe.Sizeof(wait{})
	if n := (uintptr(len(mem)) - min(waitsAt, uintptr(len(mem)))) / size; n > 0 {
		r.waits = make([]wait, n)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&r.waits[0])), n*size), mem[waitsAt:])
	}
	return r
}

// Look returns the content of the page, and counters bytes of the memory behind it. Fails with ErrNone. Does
// not block.
func (w *Window) Look(counters int) (View, error) {
	first, err := w.read(0, 0)
	if err != nil {
		return View{}, err
	}
	used := int(min(first.head.used, maxWaits))
	// A wait that shows the same turn in the first and in the last reading has not changed between them, so
	// the second reading has the whole wait.
	var readings [3]reading
	for i := range readings {
		if readings[i], err = w.read(used, counters); err != nil {
			return View{}, err
		}
	}
	return decode(&readings, monotonic())
}

// decode makes a View of three readings of a page, the last of which was made now.
func decode(readings *[3]reading, now uint64) (View, error) {
	h, waits := &readings[1].head, readings[1].waits
	if h.magic != headMagic || h.version != headVersion {
		return View{}, fmt.Errorf("%w: magic %#x, version %d, expected version %d", ErrNone, h.magic, h.version, headVersion)
	}
	v := View{Run: h.run, Member: int(h.member), Procs: int(h.procs), PID: int(h.pid), Age: since(h.begun, now),
		Hidden: int(h.hidden), Share: h.share, Counters: readings[1].counters,
		Holds: decodeHolds(readings[0].holds, readings[1].holds), Links: decodeLinks(readings[0].links, readings[1].links)}
	before, after := readings[0].waits, readings[2].waits
	for i := range min(len(before), len(waits), len(after)) {
		if turn := before[i].turn; turn%2 == 1 && turn == after[i].turn {
			v.Sleepers = append(v.Sleepers, waits[i].decode(now))
		}
	}
	return v, nil
}

func (w *wait) decode(now uint64) Sleeper {
	s := Sleeper{Kind: w.kind, Member: int(w.other) - 1, Since: since(w.since, now), Call: textOf(w.call[:]), At: textOf(w.at[:]), Site: w.site, About: textOf(w.about[:]), Object: w.object}
	if s.Kind >= kinds {
		s.Kind = Unknown
	}
	return s
}

// bothReadings returns each record of two readings of one part of a page.
func bothReadings[T any](before, after []byte) iter.Seq2[T, T] {
	return func(yield func(T, T) bool) {
		var a, b T
		size := int(unsafe.Sizeof(a))
		for at := 0; at+size <= min(len(before), len(after)); at += size {
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&a)), size), before[at:])
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&b)), size), after[at:])
			if !yield(a, b) {
				return
			}
		}
	}
}

// since returns the time from a moment to now, 0 if the moment is in the future.
func since(then, now uint64) time.Duration { return time.Duration(now - min(then, now)) }

// textOf returns the text in a field, without control characters.
func textOf(field []byte) string {
	text, _, _ := bytes.Cut(field, []byte{0})
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, string(text))
}
