package soak

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// ranks is the size of every run; they are spread over two hosts.
const ranks = 8

// part is one job of a run.
type part struct {
	launcher string // acprun, or the name of an MPI
	np       int
}

// layouts are the jobs of a run; a run of one job is started by acprun.
var layouts = [][]part{
	{{"acprun", 8}},
	{{"acprun", 3}, {"acprun", 4}, {"acprun", 1}},
	{{"openmpi", 4}, {"acprun", 4}},
	{{"mpich", 5}, {"acprun", 3}},
	{{"openmpi", 3}, {"mpich", 3}, {"acprun", 2}},
}

// victim is the process that a plan kills.
type victim string

const (
	noVictim     victim = ""
	aRank        victim = "a rank"
	aProxy       victim = "a proxy" // the process that starts ranks on the other host
	aRemoteShell victim = "a remote shell"
	theLauncher  victim = "the launcher"
)

// plan is the program and the disturbances of a run.
type plan struct {
	seed          uint64
	rnd           *rand.Rand // for choices during the run
	parts         []part
	inC           bool  // the program is the C program
	nodes         []int // host of each rank
	net           string
	rounds, steps int
	disturbed     bool
	stops         bool
	faults        harness.Faults // of the network
	cut           time.Duration  // the time for which host 1 is cut off; 0: never
	link          bool           // its interface goes down, instead of the cable
	kill          victim
}

// newPlan makes the plan of a seed, which is always the same.
func newPlan(seed uint64) *plan {
	rnd := rand.New(rand.NewPCG(seed, 1))
	p := &plan{seed: seed, rnd: rnd, parts: layouts[0], nodes: make([]int, ranks), net: "auto", rounds: 3, steps: 50}
	if seed == 0 {
		return p
	}
	p.disturbed = true
	p.parts = layouts[rnd.IntN(len(layouts))]
	boundary := 1 + rnd.IntN(ranks-1)
	for i := range p.nodes {
		p.nodes[i] = i % 2
		if boundary%2 == 0 {
			p.nodes[i] = i / boundary % 2
		}
	}
	if rnd.IntN(2) == 0 {
		p.net = "tcp"
	}
	p.rounds, p.steps = 3+rnd.IntN(6), 50+rnd.IntN(200)
	p.stops = rnd.IntN(2) == 0
	p.disturbNetwork()
	p.inC = rnd.IntN(4) == 0
	if rnd.IntN(3) == 0 {
		victims := []victim{aRank, aRank, aRank, aProxy, aRemoteShell, theLauncher}
		p.kill = victims[rnd.IntN(len(victims))]
	}
	return p
}

// disturbNetwork chooses the faults of the network.
func (p *plan) disturbNetwork() {
	if p.rnd.IntN(2) == 0 {
		p.cut = 5 * time.Second
		p.link = p.rnd.IntN(2) == 0
	}
	if !harness.CanHub() {
		return
	}
	switch p.rnd.IntN(5) {
	case 0:
		p.faults.Loss = 0.05
	case 1:
		p.faults.Delay = 10 * time.Millisecond
	case 2:
		p.faults.Jitter = 5 * time.Millisecond
	case 3:
		p.faults = harness.Faults{Loss: 0.05, Delay: 5 * time.Millisecond, Jitter: 5 * time.Millisecond}
	}
	if p.faults != (harness.Faults{}) {
		// A lost frame costs a fifth of a second, and every round trip is slow.
		p.rounds, p.steps = min(p.rounds, 4), 10+p.steps/10
	}
}

// withMPI reports whether there is an MPI job. Its network has no faults until all ranks have
// called acp_init, because MPI_Init of MPICH over UCX fails if frames overtake each other.
func (p *plan) withMPI() bool {
	return slices.ContainsFunc(p.parts, func(p part) bool { return p.launcher != "acprun" })
}

// random returns the choices of a disturber.
func (p *plan) random(number uint64) *rand.Rand { return rand.New(rand.NewPCG(p.seed, 1+number)) }

// String describes the plan in a line.
func (p *plan) String() string {
	var b strings.Builder
	for i, part := range p.parts {
		if i > 0 {
			b.WriteString(" + ")
		}
		fmt.Fprintf(&b, "%s %d", part.launcher, part.np)
	}
	if p.inC {
		b.WriteString(" in C")
	}
	fmt.Fprintf(&b, ", net %s, %d rounds of %d steps", p.net, p.rounds, p.steps)
	if p.stops {
		b.WriteString(", stops")
	}
	if p.faults.Loss > 0 {
		fmt.Fprintf(&b, ", loss %g %%", 100*p.faults.Loss)
	}
	if p.faults.Delay > 0 {
		fmt.Fprintf(&b, ", delay %v", p.faults.Delay)
	}
	if p.faults.Jitter > 0 {
		fmt.Fprintf(&b, ", reordering over %v", p.faults.Jitter)
	}
	if p.cut > 0 {
		what := "cable"
		if p.link {
			what = "link"
		}
		fmt.Fprintf(&b, ", %s down for %v", what, p.cut)
	}
	if p.kill != noVictim {
		fmt.Fprintf(&b, ", kill of %s", p.kill)
	}
	return b.String()
}
