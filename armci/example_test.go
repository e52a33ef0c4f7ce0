package armci_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/armci"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// inProcesses calls body once for each of n processes, which are all in this OS process, with a world
// of them. Programs have one process in each: they call acp.Init, armci.Open, the body, Close and
// Finalize.
func inProcesses(n int, body func(w *armci.World) error) {
	err := extensiontest.Ranks(context.Background(), n, config(bridge.ModeSHM), func(p *acp.Process) error {
		return inWorld(p, body)
	})
	if err != nil {
		log.Fatal(err)
	}
}

// All processes add to the memory of process 0.
func Example() {
	inProcesses(3, func(w *armci.World) error {
		m, err := armci.Malloc[float64](w, 4)
		if err != nil {
			return err
		}
		mine := []float64{1, 2, 3, float64(w.Proc())}
		if err := errors.Join(armci.Acc(w, 0.5, m.On(0), mine), w.Barrier()); err != nil {
			return err
		}
		if w.Proc() == 0 {
			fmt.Println(m.Local())
		}
		return m.Free()
	})
	// Output:
	// [1.5 3 4.5 1.5]
}

// Process 0 puts a block of its matrix into that of process 1, transposed, in one call.
func ExamplePutSection() {
	inProcesses(2, func(w *armci.World) error {
		const n = 4
		m, err := armci.Malloc[int32](w, n*n)
		if err != nil {
			return err
		}
		whole := armci.Dense(n, n)
		block, err := whole.Part([]int{0, 1}, []int{2, 4}) // rows 0 and 1, columns 1 to 3
		if err != nil {
			return err
		}
		turned, err := whole.Transpose(0, 1)
		if err != nil {
			return err
		}
		there, err := turned.Part([]int{0, 1}, []int{2, 4})
		if err != nil {
			return err
		}
		if w.Proc() == 0 {
			mine := []int32{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33}
			dst := armci.RemoteSection[int32]{Data: m.On(1), Layout: there}
			if err := armci.PutSection(w, dst, armci.Section[int32]{Data: mine, Layout: block}); err != nil {
				return err
			}
		}
		if err := w.Barrier(); err != nil {
			return err
		}
		if w.Proc() == 1 {
			for row := range n {
				fmt.Println(m.Local()[row*n:][:n])
			}
		}
		return m.Free()
	})
	// Output:
	// [0 0 0 0]
	// [1 11 0 0]
	// [2 12 0 0]
	// [3 13 0 0]
}

// Processes share tasks by a counter: each takes the next one when it has time.
func ExampleFetchAdd() {
	inProcesses(3, func(w *armci.World) error {
		const tasks = 100
		counter, err := armci.Malloc[int](w, 1)
		if err != nil {
			return err
		}
		sum, err := armci.Malloc[int](w, 1)
		if err != nil {
			return err
		}
		for {
			task, err := armci.FetchAdd(w, counter.On(0), 1)
			if err != nil {
				return err
			}
			if task >= tasks {
				break
			}
			if err := armci.Acc(w, 1, sum.On(0), []int{task}); err != nil {
				return err
			}
		}
		if err := w.Barrier(); err != nil {
			return err
		}
		if w.Proc() == 0 {
			fmt.Println(sum.Local()[0])
		}
		return errors.Join(counter.Free(), sum.Free())
	})
	// Output:
	// 4950
}

// A handle collects transfers that go on while the program computes.
func ExampleHandle() {
	inProcesses(2, func(w *armci.World) error {
		m, err := armci.Malloc[int64](w, 3)
		if err != nil {
			return err
		}
		copy(m.Local(), []int64{1, 2, int64(w.Proc())})
		if err := w.Barrier(); err != nil {
			return err
		}
		h := w.NewHandle()
		rows := make([][]int64, w.Procs())
		for proc := range rows {
			rows[proc] = make([]int64, 3)
			if err := armci.Get(h, rows[proc], m.On(proc)); err != nil {
				return err
			}
		}
		// Something else is computed here.
		if err := h.Wait(); err != nil {
			return err
		}
		if w.Proc() == 0 {
			fmt.Println(rows)
		}
		return m.Free()
	})
	// Output:
	// [[1 2 0] [1 2 1]]
}

// The processes of each half add their numbers up. All get the same sum.
func ExampleReduce() {
	inProcesses(4, func(w *armci.World) error {
		half, err := w.Group().Split(w.Proc()%2, w.Proc())
		if err != nil {
			return err
		}
		sum := []int{w.Proc(), 1}
		if err := armci.Reduce(half, armci.Sum, sum); err != nil {
			return err
		}
		if half.Rank() == 0 {
			err = armci.Send(w, 0, 1, sum)
		}
		if err != nil || w.Proc() != 0 {
			return err
		}
		for first := range 2 {
			if _, err := armci.Recv(w, first, 1, sum); err != nil {
				return err
			}
			fmt.Println(first, sum)
		}
		return nil
	})
	// Output:
	// 0 [2 2]
	// 1 [4 2]
}
