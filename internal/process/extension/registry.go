package extension

import (
	"fmt"
	"hash/crc32"
	"slices"
	"sort"
	"sync"

	"github.com/goacp/goacp/internal/process/lifecycle"
)

// Entry is an extension in the list of those that a process opens.
type Entry struct {
	Signature
	open func(p *Process) (any, lifecycle.Structure, error)
}

// Handle is a registered extension.
type Handle[T any] struct{ name string }

// registry has the extensions of this program.
var registry struct {
	mu      sync.Mutex
	sealed  bool
	entries []Entry
}

// Register enters an extension in the list of those that every process opens. It is called
// while packages are initialised. It panics if the name is bad or taken, if the range of numbers is
// bad or taken, if there are more operations or notices than one extension may have, or if a process
// has been opened.
func Register[T any](e Extension[T]) *Handle[T] {
	entry := newEntry(e)
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if registry.sealed {
		panic(fmt.Sprintf("extension %s is registered after a process was opened", e.Name))
	}
	for _, x := range registry.entries {
		switch {
		case x.Name == e.Name:
			panic(fmt.Sprintf("extension %s is registered twice", e.Name))
		case x.collides(entry.Signature):
			panic(fmt.Sprintf("extensions %s and %s have the same numbers, from %#x on", x.Name, e.Name, e.First))
		}
	}
	registry.entries = append(registry.entries, entry)
	return &Handle[T]{e.Name}
}

// newEntry returns the Entry of e. It panics as Register does.
func newEntry[T any](e Extension[T]) Entry {
	names := crc32.NewIEEE()
	for _, o := range e.Operations {
		fmt.Fprintln(names, o.Name)
	}
	for _, n := range e.Notices {
		fmt.Fprintln(names, n.Name)
	}
	s := Signature{
		Name: e.Name, First: e.First, Operations: len(e.Operations), Notices: len(e.Notices), Names: names.Sum32(), Optional: e.Optional,
	}
	if err := s.check(); err != nil {
		panic(err.Error())
	}
	return Entry{s, func(p *Process) (any, lifecycle.Structure, error) {
		t, err := e.Open(p)
		if err != nil {
			return nil, lifecycle.Structure{}, err
		}
		return t, e.structure(p, t), nil
	}}
}

// Sealed returns all extensions, in order of their names. None can be registered afterwards.
func Sealed() []Entry {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if !registry.sealed {
		registry.sealed = true
		sort.Slice(registry.entries, func(i, j int) bool { return registry.entries[i].Name < registry.entries[j].Name })
	}
	return slices.Clone(registry.entries)
}

// Set has the systems of one process.
type Set struct{ byName map[string]any }

// Open opens extensions in a process, which is as Entries need it apart from their numbers. The
// ranks have agreed on the extensions of all of them. Fails as the Open of an extension does. Then
// it has closed those that it has opened.
func Open(entries []Entry, agreement *Agreement, process Process) (*Set, lifecycle.Structures, error) {
	set := &Set{byName: make(map[string]any)}
	var all lifecycle.Structures
	for _, s := range agreement.all {
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == s.Name })
		if i < 0 {
			continue // other ranks have it
		}
		p := process
		p.name, p.agreement = s.Name, agreement
		p.first, p.ops, p.notices = s.First, s.Operations, s.Notices
		t, structure, err := entries[i].open(&p)
		if err != nil {
			all.Close()
			return nil, nil, fmt.Errorf("extension %s: %w", s.Name, err)
		}
		set.byName[s.Name] = t
		all = append(all, structure)
	}
	return set, all, nil
}

var setOf func(process any) *Set // set once, when acp is initialised

// Provide is called by package acp alone. of returns the Set of an *acp.Process.
func Provide(of func(process any) *Set) { setOf = of }

// Of returns the system of an *acp.Process. It panics if process is of another type. Does not
// block.
func (h *Handle[T]) Of(process any) T { return setOf(process).byName[h.name].(T) }
