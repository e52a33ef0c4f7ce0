package couple_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// asRanks calls body once for each of n ranks, which are all in this OS process. Programs have one
// rank in each process: they call acp.Init, the body, and Finalize.
func asRanks(n int, body func(p *acp.Process) error) {
	if err := extensiontest.Ranks(context.Background(), n, acp.Config{Mode: bridge.ModeSHM, HeapSize: heapSize}, body); err != nil {
		log.Fatal(err)
	}
}

// Ranks 0 and 1 are the ocean, each with half of eight columns. Rank 2 is the atmosphere, which wants some of
// them in another order, in every second of its steps.
func Example() {
	ctx := context.Background()
	ocean := func(p *acp.Process) error {
		m, err := couple.NewModel(p, "ocean", []acp.Rank{0, 1})
		if err != nil {
			return err
		}
		first, temperature := 4*int(p.Rank()), make([]float64, 4)
		f, err := couple.NewField(m, "sst", temperature, couple.Ranges{{First: first, N: 4}}, 1)
		if err != nil {
			return err
		}
		out, err := f.SendTo(ctx, "atmosphere.surface", couple.Options{})
		if err != nil {
			return err
		}
		for step := range 3 {
			for i := range temperature {
				temperature[i] = float64(10*(first+i) + step)
			}
			if err := out.Send(ctx, step); err != nil {
				return err
			}
		}
		return out.Close(ctx)
	}
	atmosphere := func(p *acp.Process) error {
		m, err := couple.NewModel(p, "atmosphere", []acp.Rank{2})
		if err != nil {
			return err
		}
		below := make([]float64, 3)
		f, err := couple.NewField(m, "surface", below, couple.List{7, 0, 4}, 1)
		if err != nil {
			return err
		}
		in, err := f.ReceiveFrom(ctx, "ocean.sst", couple.Options{Every: 2})
		if err != nil {
			return err
		}
		for step := range 6 {
			if err := in.Receive(ctx, step); err != nil {
				return err
			}
			fmt.Println(step, below)
		}
		return in.Close(ctx)
	}
	asRanks(3, func(p *acp.Process) error {
		if p.Rank() < 2 {
			return ocean(p)
		}
		return atmosphere(p)
	})
	// Output:
	// 0 [70 0 40]
	// 1 [70 0 40]
	// 2 [71 1 41]
	// 3 [71 1 41]
	// 4 [72 2 42]
	// 5 [72 2 42]
}

// A receiver does not have the number of messages. It ends when the sender does.
func ExampleReceiver_Receive() {
	ctx := context.Background()
	asRanks(2, func(p *acp.Process) error {
		m, err := couple.NewModel(p, []string{"model", "watcher"}[p.Rank()], []acp.Rank{p.Rank()})
		if err != nil {
			return err
		}
		value := make([]int32, 1)
		f, err := couple.NewField(m, "value", value, couple.List{0}, 1)
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			out, err := f.SendTo(ctx, "watcher.value", couple.Options{Levels: 3})
			if err != nil {
				return err
			}
			for step := range 3 {
				value[0] = int32(step * step)
				if err := out.Send(ctx, step); err != nil {
					return err
				}
			}
			return out.Close(ctx)
		}
		in, err := f.ReceiveFrom(ctx, "model.value", couple.Options{})
		if err != nil {
			return err
		}
		for step := 0; ; step++ {
			err := in.Receive(ctx, step)
			if errors.Is(err, couple.ErrEnded) {
				return in.Close(ctx)
			}
			if err != nil {
				return err
			}
			fmt.Println(value[0])
		}
	})
	// Output:
	// 0
	// 1
	// 4
}

// Rank 0 has six cells of equal size, rank 1 four. A cell of rank 1 gets the mean of the cells of rank 0 that it covers,
// each weighted with the part that it covers of it. So the sum of the values times the sizes of the cells stays the same.
func ExampleField_ReceiveWeighted() {
	ctx := context.Background()
	fine, coarse := []float64{1, 2, 3, 4, 5, 6}, make([]float64, 4)
	asRanks(2, func(p *acp.Process) error {
		m, err := couple.NewModel(p, []string{"fine", "coarse"}[p.Rank()], []acp.Rank{p.Rank()})
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			f, err := couple.NewField(m, "heat", fine, couple.Ranges{{First: 0, N: 6}}, 1)
			if err != nil {
				return err
			}
			out, err := f.SendTo(ctx, "coarse.heat", couple.Options{})
			if err != nil {
				return err
			}
			return errors.Join(out.Send(ctx, 0), out.Close(ctx))
		}
		f, err := couple.NewField(m, "heat", coarse, couple.Ranges{{First: 0, N: 4}}, 1)
		if err != nil {
			return err
		}
		in, err := f.ReceiveWeighted(ctx, "fine.heat", []couple.Weight{
			{Row: 0, Column: 0, Value: 2. / 3}, {Row: 0, Column: 1, Value: 1. / 3},
			{Row: 1, Column: 1, Value: 1. / 3}, {Row: 1, Column: 2, Value: 2. / 3},
			{Row: 2, Column: 3, Value: 2. / 3}, {Row: 2, Column: 4, Value: 1. / 3},
			{Row: 3, Column: 4, Value: 1. / 3}, {Row: 3, Column: 5, Value: 2. / 3},
		}, couple.Options{})
		if err != nil {
			return err
		}
		return errors.Join(in.Receive(ctx, 0), in.Close(ctx))
	})
	sums := [2]float64{}
	for _, x := range fine {
		sums[0] += x * 2
	}
	for _, x := range coarse {
		sums[1] += x * 3
	}
	fmt.Printf("%.3f\n%.3f %.3f\n", coarse, sums[0], sums[1])
	// Output:
	// [1.333 2.667 4.333 5.667]
	// 42.000 42.000
}
