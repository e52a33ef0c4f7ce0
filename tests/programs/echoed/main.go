// Echoed sends values to rank 1, a program in C++ (echo.cc), and checks that they come back. It is rank 0.
package main

import (
	"fmt"
	"strings"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/tests/programs/rank"
)

// back sends values to rank 1 and receives them again.
func back[T comparable](p *acp.Process, values ...T) error {
	out, err := acp.NewSender[T](p, 1)
	if err != nil {
		return err
	}
	in, err := acp.NewReceiver[T](p, 1, acp.ChannelOptions{})
	if err != nil {
		return err
	}
	for i, v := range values {
		if err := out.Send(v); err != nil {
			return err
		}
		if got, err := in.Recv(); err != nil || got != v {
			return fmt.Errorf("value %d comes back as another one, or with error %v", i, err)
		}
	}
	return out.Close()
}

func main() {
	rank.Main(func(p *acp.Process) error {
		if err := back(p, "", "x", strings.Repeat("a", 1016), strings.Repeat("b", 1017), strings.Repeat("c", 3<<20)); err != nil {
			return fmt.Errorf("strings: %w", err)
		}
		type point struct {
			X float64
			N int64
		}
		return back(p, point{0.5, 1}, point{-1, 1 << 40})
	})
}
