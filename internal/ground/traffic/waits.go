package traffic

import (
	"bytes"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/activity"
)

// maxWaits is how many waits a table keeps.
const maxWaits = 24

const maxText = 40

// Wait is a wait of a thread in the library that has ended.
type Wait struct {
	Kind   activity.Kind `json:"kind"`
	Member int           `json:"rank"`  // the one that it waited for, -1 if none is known
	Begun  int64         `json:"begun"` // nanoseconds of Unix time
	For    time.Duration `json:"for"`
	Call   string        `json:"call,omitempty"`  // the function that the program has called, if that is known
	At     string        `json:"at,omitempty"`    // file and line of the program, if they are known
	About  string        `json:"about,omitempty"` // the name of what the thread has waited for, if it has one
	Site   uint64        `json:"site,omitempty"`  // as in CallSite
}

// waitRecord is a Wait in the file.
type waitRecord struct {
	begun int64
	took  int64 // nanoseconds; 0: none
	kind  uint32
	other uint32 // 1 + the member, 0 for none
	site  uint64
	call  [maxText]byte
	at    [maxText]byte
	about [maxText]byte
}

// longest has the longest waits of a process.
type longest struct {
	to    *[maxWaits]waitRecord
	least int // index of the shortest one in to
}

func (t *Table) waitRecords() *[maxWaits]waitRecord {
	return (*[maxWaits]waitRecord)(unsafe.Pointer(&t.mem[waitsAt]))
}

// Waited records a wait that has just ended. Waits for the start of the run are in Begun and Opened. Idle is no wait of the program.
func (t *Table) Waited(s activity.Sleeper) {
	if t == nil || s.Kind == activity.Start || s.Kind == activity.Idle {
		return
	}
	atomic.AddUint64(&t.head().Waiting, uint64(s.Since))
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Since(t.begun)
	t.timeline().add(max(now-s.Since, 0), now)
	if t.callSites.add(&s) && s.Site != 0 {
		t.objects.note(s.Site)
	}
	t.waits.add(&s, t.begun.Add(now-s.Since).UnixNano())
}

// add adds a wait that has begun at a moment of Unix time, if it is among the longest.
func (l *longest) add(s *activity.Sleeper, begun int64) {
	w := &l.to[l.least]
	if int64(s.Since) <= w.took {
		return
	}
	*w = waitRecord{begun: begun, took: int64(s.Since), kind: uint32(s.Kind), other: uint32(s.Member + 1), site: s.Site}
	copy(w.call[:], s.Call)
	copy(w.at[:], lineOf(s.At))
	copy(w.about[:], s.About)
	for i := range l.to {
		if l.to[i].took < l.to[l.least].took {
			l.least = i
		}
	}
}

// decode returns the wait of a record that a process may have been writing when it was killed.
func (w *waitRecord) decode() Wait {
	return Wait{Kind: activity.Kind(w.kind), Member: int(w.other) - 1, Begun: w.begun, For: time.Duration(w.took),
		Call: textOf(w.call[:]), At: textOf(w.at[:]), About: textOf(w.about[:]), Site: w.site}
}

// textOf returns the text in a field, without what controls a terminal.
func textOf(field []byte) string {
	text, _, _ := bytes.Cut(field, []byte{0})
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, string(text))
}
