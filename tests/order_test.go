package tests

import (
	"fmt"
	"math/rand/v2"
	"strconv"
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
				suite.Place(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, "-smemsize", "32k", program, "-seed", seed)
			})
		}
	}
	t.Run("two hosts/4", func(t *testing.T) {
		place := suite.Place(t)
		place.Hosts(2)
		place.Must("acprun", "-np", "4", "-nodefile", place.Nodefile(0, 0, 1, 1), "-smemsize", "32k", program, "-seed", seed)
	})
}
