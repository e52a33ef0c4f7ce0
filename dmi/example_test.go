package dmi_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/dmi"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// Threads of two processes add their ranks to a number in global memory.
func Example() {
	program := dmi.Program{
		Main: func(n *dmi.Node, _ []string) error {
			sum, err := n.Map(8, 1)
			if err != nil {
				return err
			}
			if err := n.Rescale(context.Background(), sum, 2, 4); err != nil { // 4 threads on each of 2 processes
				return err
			}
			total, err := dmi.Load[int64](n, sum, dmi.Get)
			fmt.Println("sum of ranks:", total)
			return errors.Join(err, n.Unmap(sum))
		},
		Unit: func(t *dmi.Thread, rank, _ int, sum dmi.Addr) error {
			_, err := t.FetchAdd(sum, int64(rank), dmi.Put)
			return err
		},
	}
	// A program of its own calls dmi.Main(program), and is started by dmimw -n 2.
	err := extensiontest.Ranks(context.Background(), 2, acp.Config{}, func(p *acp.Process) error { return dmi.Run(p, program, nil) })
	if err != nil {
		fmt.Println(err)
	}
	// Output: sum of ranks: 28
}
