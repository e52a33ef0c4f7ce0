package tests

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestRandomOrders compares random chains of copies and atomics between processes
// with a sequential model.
func TestRandomOrders(t *testing.T) {
	seed := strconv.FormatUint(rand.Uint64(), 10)
	t.Log("seed", seed)
	program := suite.Go(t, "orders")
	for _, net := range []string{"auto", "tcp"} {
		for _, np := range []int{1, 2, 3, 4, 7} {
			t.Run(fmt.Sprintf("%s/%d", net, np), func(t *testing.T) {
				suite.Sandbox(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, "-smemsize", "32k", program, "-seed", seed)
			})
		}
	}
	t.Run("two hosts/4", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		sandbox.Must("acprun", "-np", "4", "-nodefile", sandbox.Nodefile(0, 0, 1, 1), "-smemsize", "32k", program, "-seed", seed)
	})
}

// TestOrdersAtFullRate does the same with 10 million operations on longer memory, 300,000 of them over sockets, where
// each takes longer. In some rounds thousands are in flight, in others almost every operation waits for other
// operations.
func TestOrdersAtFullRate(t *testing.T) {
	seed := strconv.FormatUint(rand.Uint64(), 10)
	t.Log("seed", seed)
	const steps = 5000
	program := suite.Go(t, "orders") + " -seed " + seed + " -steps " + strconv.Itoa(steps)
	for _, run := range []struct {
		net        string
		np, rounds int
	}{{"shm", 2, 500}, {"shm", 3, 320}, {"tcp", 2, 12}, {"tcp", 3, 12}} {
		t.Run(fmt.Sprintf("%s/%d", run.net, run.np), func(t *testing.T) {
			command := append([]string{"acprun", "-np", strconv.Itoa(run.np), "-net", run.net, "-smemsize", "256k"}, strings.Fields(program)...)
			suite.Sandbox(t).Must(append(command, "-rounds", strconv.Itoa(run.rounds))...)
		})
	}
}

// TestOrdersOfWindowsAtFullRate does the same by windows of MPI, with 1.7 million operations. MPICH over UCX executes
// each when the target calls MPI, so there are fewer with it.
func TestOrdersOfWindowsAtFullRate(t *testing.T) {
	seed := strconv.FormatUint(rand.Uint64(), 10)
	t.Log("seed", seed)
	for _, run := range []struct {
		mpi        string
		np, rounds int
	}{{"openmpi", 2, 100}, {"openmpi", 3, 45}, {"mpich", 2, 1}} {
		t.Run(fmt.Sprintf("%s/%d", run.mpi, run.np), func(t *testing.T) {
			mpi := suite.NeedMPI(t, run.mpi)
			program := fmt.Sprintf("%s -seed %s -steps 5000 -rounds %d", suite.GoMPI(t, "orders", mpi), seed, run.rounds)
			windowed(t, suite.Sandbox(t), mpi, []int{run.np}, program, "-smemsize", "256k")
		})
	}
}
