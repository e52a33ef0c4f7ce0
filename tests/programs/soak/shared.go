package main

import (
	"errors"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/clienttest"
)

// slots is the number of slots of each table.
const slots = 64

// shared are the structures that rank 0 makes in every round for all ranks.
type shared struct {
	Set, Multiset, Map, Common acp.TableAddress
	Tables                     [2]acp.TableAddress // of which all ranks use every key
}

// create makes the structures on rank 0 and sends their addresses to the other ranks.
func (s *shared) create(w *world) error {
	if w.rank == 0 {
		if err := s.make(w); err != nil {
			return err
		}
		*(*shared)(unsafe.Pointer(&w.p.Starter()[sharedPlace])) = *s
	}
	if err := w.p.Sync(); err != nil {
		return err
	}
	if w.rank != 0 {
		if err := w.complete(w.p.Copy(w.at(w.rank, sharedPlace), w.at(0, sharedPlace), uint64(unsafe.Sizeof(*s)), acp.HandleNull)); err != nil {
			return err
		}
		*s = *(*shared)(unsafe.Pointer(&w.p.Starter()[sharedPlace]))
	}
	return nil
}

func (s *shared) make(w *world) error {
	ranks := make([]acp.Rank, w.procs)
	for i, r := range w.random().Perm(w.procs) {
		ranks[i] = acp.Rank(r)
	}
	set, err := w.p.NewByteSet(ranks, slots, 0)
	if err != nil {
		return err
	}
	multiset, err := w.p.NewByteMultiset(ranks, slots, 0)
	if err != nil {
		return err
	}
	dict, err := w.p.NewByteMap(ranks, slots, 0)
	if err != nil {
		return err
	}
	common, err := w.p.NewByteMultiset(ranks, slots, ranks[0])
	if err != nil {
		return err
	}
	history := w.newHistory()
	for i, shape := range history.Shapes {
		if s.Tables[i], err = clienttest.Create(w.p, history.Kind, shape, ranks[i%w.procs]); err != nil {
			return err
		}
	}
	s.Set, s.Multiset, s.Map, s.Common = set.Address(), multiset.Address(), dict.Address(), common.Address()
	return nil
}

// destroy destroys the structures.
func (s *shared) destroy(w *world) error {
	if w.rank != 0 {
		return nil
	}
	history := clienttest.Client{Process: w.p, Kind: w.newHistory().Kind}
	if err := errors.Join(history.Open(s.Tables), history.Destroy()); err != nil {
		return err
	}
	return errors.Join(w.p.ByteSetAt(s.Set).Destroy(), w.p.ByteMultisetAt(s.Multiset).Destroy(),
		w.p.ByteMapAt(s.Map).Destroy(), w.p.ByteMultisetAt(s.Common).Destroy())
}
