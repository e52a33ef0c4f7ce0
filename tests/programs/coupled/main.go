// Coupled is a program whose jobs are models that exchange fields, each with its own decomposition.
//
//	coupled -to B -from A -steps 50      sends its field to job B, receives that of job A, and checks it
//	coupled -from A                      the same with the links of the description of the run
//	coupled -in receive                  rank 0 is a model, the other ranks are another one, and all wait
//	coupled -until FILE                  rank 0 watches the other ranks, which end when there is a file
//
// With -in and -until, every rank prints "rank R pid P" when it is about to wait, so that a test can kill processes.
// The ways are open (rank 0 never opens the link), receive (rank 0 never sends), send (rank 0 never
// receives), close (rank 0 never closes its end), and exchange (all send and receive without
// end).
package main

import (
	"flag"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/tests/programs/rank"
)

func main() {
	way := flag.String("in", "", "open, receive, send, close or exchange")
	until := flag.String("until", "", "the file that ends what rank 0 watches")
	var r ring
	flag.StringVar(&r.to, "to", "", "the job that receives from this one")
	flag.StringVar(&r.from, "from", "", "the job that sends to this one")
	flag.IntVar(&r.points, "points", 3000, "points of each field")
	flag.IntVar(&r.steps, "steps", 50, "steps")
	flag.IntVar(&r.levels, "levels", 1, "levels of the links")
	flag.Parse()
	rank.Main(func(p *acp.Process) error {
		if *way != "" {
			return wait(p, *way)
		}
		if *until != "" {
			return watch(p, *until)
		}
		return r.run(p)
	})
}
