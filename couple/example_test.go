package couple_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/internal/extension/extensiontest"
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

// A receiver does not know how many messages come. It ends when the sender does.
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
