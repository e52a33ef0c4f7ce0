package acp

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/goacp/goacp/internal/hashed"
)

// directories remembers where the tables of sets, multisets and maps lie whose
// directories are on other hosts, so that an operation on a key takes one round trip.
//
// What is remembered may be out of date: another rank may have destroyed the structure,
// and made another one whose directory has the same address. No harm comes from that,
// because every table knows which one it is and whose; an operation on another table
// fails with site.ErrGone and has changed nothing. Then the directory is read again.
type directories struct {
	mu    sync.RWMutex
	byGA  map[GA][]GA
	words int
}

// directoryWords bounds the words of all directories that are remembered. A single one
// may have more.
const directoryWords = 1 << 16

func (d *directories) find(ga GA) []GA {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.byGA[ga]
}

func (d *directories) remember(ga GA, tables []GA) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byGA == nil || d.words+len(tables) > directoryWords {
		d.byGA, d.words = make(map[GA][]GA), 0
	}
	d.words += len(tables) - len(d.byGA[ga])
	d.byGA[ga] = tables
}

func (d *directories) forget(ga GA) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.words -= len(d.byGA[ga])
	delete(d.byGA, ga)
}

func (d *directories) forgetAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byGA, d.words = nil, 0
}

// table finds table i of t. remembered says that it may not be where it was.
func (t *tables) table(i uint32) (found hashed.Table, remembered bool, err error) {
	found = hashed.Table{
		Directory: uint64(t.at.GA), Index: i, Ranks: uint32(t.at.Ranks), Slots: uint32(t.at.Slots),
	}
	if entry, ok := t.p.view(span{t.at.GA + 8*GA(i), 8}); ok {
		found.GA = binary.NativeEndian.Uint64(entry)
		return found, false, nil
	}
	list := t.p.directories.find(t.at.GA)
	if remembered = uint64(len(list)) == t.at.Ranks; !remembered {
		if list, err = t.readDirectory(); err != nil {
			return found, false, err
		}
	}
	found.GA = uint64(list[i])
	return found, remembered, nil
}

// readDirectory reads the directory where it lies.
func (t *tables) readDirectory() ([]GA, error) {
	_, heap := t.p.members.Heap(t.p.member(t.at.GA.rank()))
	if t.at.Ranks > heap/8 {
		return nil, fmt.Errorf("%w: a directory of %d tables", ErrBadAddress, t.at.Ranks)
	}
	words := make([]byte, 8*t.at.Ranks)
	if err := t.p.get(words, t.at.GA); err != nil {
		return nil, err
	}
	list := make([]GA, t.at.Ranks)
	for i := range list {
		list[i] = GA(binary.NativeEndian.Uint64(words[8*i:]))
	}
	t.p.directories.remember(t.at.GA, list)
	return list, nil
}
