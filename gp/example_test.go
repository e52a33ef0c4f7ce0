package gp_test

import (
	"context"
	"fmt"
	"log"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/gp"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// asRanks calls body once for each of n ranks, which are all in this OS process. Programs have one
// rank in each process: they call acp.Init, the body, and Finalize.
func asRanks(n int, body func(p *acp.Process) error) {
	if err := extensiontest.Ranks(context.Background(), n, config(bridge.ModeSHM), body); err != nil {
		log.Fatal(err)
	}
}

// Each rank has lists of neighbours of its own vertices, of different lengths. Rank 0 reads all of
// them.
func Example() {
	asRanks(2, func(p *acp.Process) error {
		a, err := gp.Create(p, gp.Config{Dims: []int{4}})
		if err != nil {
			return err
		}
		block, _ := a.Block(p.Rank())
		for vertex := block.Lo[0]; vertex <= block.Hi[0]; vertex++ {
			e, err := gp.Alloc(p, vertex+1)
			if err != nil {
				return err
			}
			for i := range e.Bytes() {
				e.Bytes()[i] = byte('a' + i)
			}
			if err := a.Assign(e, vertex); err != nil {
				return err
			}
		}
		if err := gp.Sync(p); err != nil {
			return err
		}
		if p.Rank() == 0 {
			patch, err := a.Get(gp.Section{Lo: []int{0}, Hi: []int{3}})
			if err != nil {
				return err
			}
			for place, neighbours := range patch.All() {
				fmt.Printf("%d: %s\n", place[0], neighbours)
			}
		}
		return a.Destroy()
	})
	// Output:
	// 0: a
	// 1: ab
	// 2: abc
	// 3: abcd
}

// Elements may be slices of any type without pointers.
func ExampleOf() {
	asRanks(2, func(p *acp.Process) error {
		a, err := gp.Create(p, gp.Config{Dims: []int{2}})
		if err != nil {
			return err
		}
		rows, err := gp.Of[float64](a)
		if err != nil {
			return err
		}
		e, err := rows.New(make([]float64, 3))
		if err != nil {
			return err
		}
		if err := a.Assign(e, int(p.Rank())); err != nil {
			return err
		}
		if err := gp.Sync(p); err != nil {
			return err
		}
		if p.Rank() == 0 {
			// Rank 0 writes to the element of rank 1.
			if err := rows.Put(gp.One(1), [][]float64{{1, 2.5}}); err != nil {
				return err
			}
		}
		if err := gp.Sync(p); err != nil {
			return err
		}
		if p.Rank() == 1 {
			fmt.Println(rows.Values(e))
		}
		return a.Destroy()
	})
	// Output:
	// [1 2.5 0]
}

// Places may be named one by one, in any order.
func ExampleArray_Gather() {
	asRanks(3, func(p *acp.Process) error {
		a, err := gp.Create(p, gp.Config{Dims: []int{3, 3}})
		if err != nil {
			return err
		}
		block, _ := a.Block(p.Rank())
		for i := range block.Places() {
			place := block.Place(i)
			text := fmt.Sprintf("row %d, column %d", place[0], place[1])
			e, err := gp.Alloc(p, len(text))
			if err != nil {
				return err
			}
			copy(e.Bytes(), text)
			if err := a.Assign(e, place...); err != nil {
				return err
			}
		}
		if err := gp.Sync(p); err != nil {
			return err
		}
		if p.Rank() == 0 {
			found, err := a.Gather([][]int{{2, 0}, {0, 1}, {2, 0}})
			if err != nil {
				return err
			}
			fmt.Printf("%s\n", found)
		}
		return a.Destroy()
	})
	// Output:
	// [row 2, column 0 row 0, column 1 row 2, column 0]
}
