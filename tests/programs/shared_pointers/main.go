// Command shared_pointers makes a global pointer array together with shared_pointers.c, which does
// the same: each rank assigns rank + 1 bytes, and reads the bytes of all ranks.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/gp"
)

func main() {
	log.SetFlags(0)
	p, err := acp.Init(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	if err := share(p); err != nil {
		p.Abort(err.Error())
		log.Fatal(err)
	}
	if err := p.Finalize(); err != nil {
		log.Fatal(err)
	}
}

// share is the part of one rank.
func share(p *acp.Process) error {
	a, err := gp.Create(p, gp.Config{Dims: []int{p.Procs()}})
	if err != nil {
		return err
	}
	rank := int(p.Rank())
	e, err := gp.Alloc(p, rank+1)
	if err != nil {
		return err
	}
	copy(e.Bytes(), bytes.Repeat([]byte{byte(rank)}, rank+1))
	if err := errors.Join(a.Assign(e, rank), gp.Sync(p)); err != nil {
		return err
	}
	patch, err := a.Get(gp.Section{Lo: []int{0}, Hi: []int{p.Procs() - 1}})
	if err != nil {
		return err
	}
	for place, element := range patch.All() {
		if want := bytes.Repeat([]byte{byte(place[0])}, place[0]+1); !bytes.Equal(element, want) {
			return fmt.Errorf("rank %d has %v, want %v", place[0], element, want)
		}
	}
	if err := a.Zero(); err != nil {
		return err
	}
	if !bytes.Equal(e.Bytes(), make([]byte, rank+1)) {
		return fmt.Errorf("the element is %v", e.Bytes())
	}
	fmt.Printf("rank %d in Go: %d bytes\n", rank, len(patch.Bytes()))
	return errors.Join(a.Destroy(), gp.Terminate(p))
}
