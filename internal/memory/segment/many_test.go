package segment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"
)

// processorTime returns the time that this process has had on processors.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkMillionRegions registers, publishes and unregisters a million regions. It reports the processor time of both.
func BenchmarkMillionRegions(b *testing.B) {
	const regions, stride = 1000000, 4096
	forward := make([]int, regions)
	for i := range forward {
		forward[i] = i
	}
	backward := slices.Clone(forward)
	slices.Reverse(backward)
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, add := range []struct {
		name  string
		order []int
	}{{"in order", forward}, {"at random", rnd.Perm(regions)}} {
		for _, remove := range []struct {
			name  string
			order []int
		}{{"in order", forward}, {"in reverse", backward}, {"at random", rnd.Perm(regions)}} {
			b.Run(fmt.Sprintf("registered %s/unregistered %s", add.name, remove.name), func(b *testing.B) {
				table := newTable(b)
				keys := make([]Key, regions)
				var adding, removing time.Duration
				for b.Loop() {
					r := newRegistry(table, func(uintptr, uint64) (uint64, bool) { return 0, false })
					start := processorTime(b)
					for _, i := range add.order {
						addr := uintptr(1<<32 + i*stride)
						var err error
						if keys[i], err = r.register(addr, 64, 0); err == nil {
							_, err = r.translate(keys[i], addr)
						}
						if err != nil {
							b.Fatal(err)
						}
					}
					between := processorTime(b)
					for _, i := range remove.order {
						if _, _, err := r.unregister(keys[i]); err != nil {
							b.Fatal(err)
						}
					}
					adding, removing = adding+between-start, removing+processorTime(b)-between
				}
				b.ReportMetric(adding.Seconds()/float64(b.N), "s/registering")
				b.ReportMetric(removing.Seconds()/float64(b.N), "s/unregistering")
			})
		}
	}
}
