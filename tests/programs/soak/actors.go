package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// actor uses one structure. The methods of one actor are called one after the other, the
// methods of several actors at the same time.
type actor interface {
	// step does one random operation.
	step() error
	// settle waits for the operations that the steps have begun. The barrier follows.
	settle() error
	// check compares everything with the model, while no rank changes anything.
	check() error
	// close frees the objects of the actor.
	close() error
}

// role makes an actor of a rank, which is local.
type role struct {
	name string
	make func(w *world, rnd *rand.Rand) (actor, error)
}

// roles are all there are. Choices depend on the place of a role in the list.
var roles = []role{
	{"copies", newCopies},
	{"atomics", newAtomics},
	{"blocks", newBlocks},
	{"vectors", newVectors},
	{"deques", newDeques},
	{"lists", newLists},
	{"set", newSetKeys},
	{"multiset", newMultisetKeys},
	{"map", newMapKeys},
	{"sender", newSender},
	{"receiver", newReceiver},
	{"source", newSource},
	{"destination", newDestination},
	{"workspace", newStripes},
	{"registrations", newRegistrations},
	{"trespasser", newTrespasser},
	{"pointers", newPointers},
	{"tables", newTables},
	{"couplings", newCouplings},
}

// choose returns the roles that take part. Names in lists are separated by commas; an empty
// list for only means all.
func choose(only, without string) []role {
	cast := slices.Clone(roles)
	for i := range cast {
		named := func(list string) bool { return slices.Contains(strings.Split(list, ","), cast[i].name) }
		if only != "" && !named(only) || named(without) {
			cast[i].make = func(*world, *rand.Rand) (actor, error) { return idle{}, nil }
		}
	}
	return cast
}

// idle is the actor where there is nothing to do.
type idle struct{}

func (idle) step() error   { return nil }
func (idle) settle() error { return nil }
func (idle) check() error  { return nil }
func (idle) close() error  { return nil }

// company is the actors of a rank in a round, by the names of their roles.
type company map[string]actor

// play is one round of a rank.
func (w *world) play(steps int, cast []role) error {
	if err := w.begin(); err != nil {
		return err
	}
	c := company{}
	for i, role := range cast {
		a, err := role.make(w, w.random(w.rank, i))
		if err != nil {
			return fmt.Errorf("%s: %w", role.name, err)
		}
		c[role.name] = a
	}
	work := func(a actor) error {
		for i := range steps {
			if err := a.step(); err != nil {
				return fmt.Errorf("step %d: %w", i, err)
			}
		}
		return a.settle()
	}
	if err := w.p.Sync(); err != nil {
		return err
	}
	for _, do := range []func(actor) error{work, actor.check, actor.close} {
		if err := c.together(do); err != nil {
			return err
		}
		if err := w.p.Sync(); err != nil {
			return err
		}
	}
	return w.end()
}

// together lets all actors do something at the same time. It returns the first error and
// does not wait for the other actors then, which may wait for the one that failed.
func (c company) together(do func(actor) error) error {
	errs := make(chan error, len(c))
	for name, a := range c {
		go func() {
			err := do(a)
			if err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
			errs <- err
		}()
	}
	for range c {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}
