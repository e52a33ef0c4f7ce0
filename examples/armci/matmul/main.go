// Command matmul is the product of two matrices, by tasks that processes take from a counter. It does
// what matmul.c does:
//
//	acprun -np 4 matmul_go [-size N]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/armci"
)

func main() {
	log.SetFlags(0)
	size := flag.Int("size", 400, "rows and columns of the matrices")
	flag.Parse()
	if *size < 1 {
		log.Fatal("matmul: the size is at least 1")
	}
	p, err := acp.Init(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	if err := run(p, *size); err != nil {
		p.Abort(err.Error())
		log.Fatal(err)
	}
	if err := p.Finalize(); err != nil {
		log.Fatal(err)
	}
}

// run is the part of one process.
func run(p *acp.Process, size int) error {
	w, err := armci.Open(p, armci.Config{Ranks: armci.Run(p)})
	if err != nil {
		return err
	}
	x := &product{w: w, size: size}
	if err := x.make(); err != nil {
		return err
	}
	done, err := x.work()
	if err != nil {
		return err
	}
	fmt.Printf("process %d of %d: %d tasks\n", w.Proc(), w.Procs(), done)
	if err := w.Barrier(); err != nil {
		return err
	}
	if w.Proc() == 0 {
		differ, err := x.wrong()
		if err != nil {
			return err
		}
		fmt.Printf("%d x %d, processes: %d, tasks: %d: %d elements differ from those of one process\n",
			size, size, w.Procs(), x.blocks()*x.blocks()*x.blocks(), differ)
		if differ != 0 {
			return errors.New("wrong product")
		}
	}
	return w.Close()
}

// The factors are small integers, so that every sum is exact.
func left(i, j int) float64  { return float64((i*7+j*3)%11 - 5) }
func right(i, j int) float64 { return float64((i*5+j*2)%13 - 6) }
