// Package clienttest has clients that call random operations on sets, multisets and maps and record their history, for
// tests of package acp and for programs that disturb a run.
package clienttest

import (
	"fmt"
	"math/rand/v2"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/structure/hashed"
	"github.com/goacp/goacp/internal/structure/hashed/hashedtest"
)

// Client is one rank that calls random operations on two structures and on a few keys of them.
type Client struct {
	Process *acp.Process
	Kind    hashed.Kind
	Keys    int                   // numbered from 0
	Whole   int                   // one step of so many is on whole structures
	Random  *rand.Rand            // makes all choices
	Now     func() (int64, error) // reads a clock of all clients
	Events  []hashedtest.Event    // the calls so far

	tables [2]keyedTable
	values uint64 // that have been stored
}

// Create makes an empty structure with tables of a shape. Its directory is on rank.
func Create(p *acp.Process, kind hashed.Kind, shape hashedtest.Shape, rank acp.Rank) (acp.TableAddress, error) {
	var ranks []acp.Rank
	for _, r := range shape.Ranks {
		ranks = append(ranks, acp.Rank(r))
	}
	var s interface{ Address() acp.TableAddress }
	var err error
	switch kind {
	case hashed.Set:
		s, err = p.NewByteSet(ranks, shape.Slots, rank)
	case hashed.Multiset:
		s, err = p.NewByteMultiset(ranks, shape.Slots, rank)
	default:
		s, err = p.NewByteMap(ranks, shape.Slots, rank)
	}
	if err != nil {
		return acp.TableAddress{}, err
	}
	return s.Address(), nil
}

// Open lets the client use the structures at two addresses. It comes before the other methods.
func (c *Client) Open(at [2]acp.TableAddress) (err error) {
	for i := range at {
		if c.tables[i], err = tableAt(c.Kind, c.Process, at[i]); err != nil {
			return err
		}
	}
	return nil
}

// record notes a call of do.
func (c *Client) record(e hashedtest.Event, do func() (uint64, error)) (err error) {
	e.Client = int(c.Process.Rank())
	if e.Begin, err = c.Now(); err != nil {
		return err
	}
	if e.Result, err = do(); err != nil {
		return err
	}
	e.End, err = c.Now()
	c.Events = append(c.Events, e)
	return err
}

// Step calls one random operation.
func (c *Client) Step() error {
	on := c.Random.IntN(2)
	if c.Random.IntN(c.Whole) == 0 {
		return c.whole(on)
	}
	op := []hashedtest.Op{hashedtest.Insert, hashedtest.Insert, hashedtest.Store, hashedtest.Remove, hashedtest.RemoveAll, hashedtest.Find, hashedtest.Load, hashedtest.Load}[c.Random.IntN(8)]
	keys := make([]uint64, max(1, c.Random.IntN(8)-4)) // one key, and sometimes a few in one call
	for i := range keys {
		keys[i] = uint64(c.Random.IntN(c.Keys))
	}
	return c.onKeys(op, on, keys)
}

// onKeys carries out an operation on one key, or on many in one call.
func (c *Client) onKeys(op hashedtest.Op, on int, keys []uint64) error {
	values := make([]uint64, len(keys))
	for i := range values {
		c.values++
		values[i] = uint64(c.Process.Rank()+1)<<32 | c.values
	}
	begin, err := c.Now()
	if err != nil {
		return err
	}
	results, done, err := c.call(op, on, keys, values)
	if err != nil {
		return err
	}
	end, err := c.Now()
	for i, key := range keys {
		c.Events = append(c.Events, hashedtest.Event{
			Client: int(c.Process.Rank()), Begin: begin, End: end, Op: done, On: on, Key: int(key), Arg: values[i], Result: results[i],
		})
	}
	return err
}

// Observe records what each structure holds.
func (c *Client) Observe() error {
	for on, s := range c.tables {
		for key := range c.Keys {
			if err := c.onKeys(hashedtest.Load, on, []uint64{uint64(key)}); err != nil {
				return err
			}
		}
		n := 0
		err := c.record(hashedtest.Event{Op: hashedtest.Size, On: on}, func() (uint64, error) {
			var err error
			n, err = s.Len()
			return uint64(n), err
		})
		if err != nil {
			return err
		}
		if empty, err := s.Empty(); err != nil || empty != (n == 0) {
			return fmt.Errorf("%d keys, empty %v, %w", n, empty, err)
		}
	}
	return nil
}

// Destroy destroys both structures. One client calls it when no other one uses them.
func (c *Client) Destroy() error {
	for _, s := range c.tables {
		if err := s.Destroy(); err != nil {
			return err
		}
	}
	return nil
}
