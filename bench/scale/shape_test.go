package main

import (
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/bridge"
)

// TestShape gives the contacts of runs of random shapes to the table of members, which checks them.
func TestShape(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		s := shape{ranks: 1 + random.IntN(300), perHost: 1 + random.IntN(40)}
		s.jobs = 1 + random.IntN(s.ranks)
		if err := s.check(); err != nil {
			t.Fatal(err)
		}
		blobs := make([][]byte, s.ranks)
		for rank := range blobs {
			c := bridge.Contact{MemSize: 1 << 20}
			s.contact(&c, rank)
			blobs[rank] = c.Append(nil)
		}
		m, err := bridge.NewMembers(blobs)
		if err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		if m.Hosts() != s.hosts() || m.Jobs() != s.jobs {
			t.Errorf("%+v: %d hosts and %d jobs", s, m.Hosts(), m.Jobs())
		}
		for j, job := range s.jobList() {
			if first, end := m.JobRange(j); end-first != job.Size || m.JobName(j) != job.Name {
				t.Errorf("%+v: job %d is %s of %d ranks, and the launcher has %+v", s, j, m.JobName(j), end-first, job)
			}
		}
		a, b := random.IntN(s.ranks), random.IntN(s.ranks)
		if m.SameHost(a, b) != (s.host(a) == s.host(b)) {
			t.Errorf("%+v: ranks %d and %d", s, a, b)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		shape shape
		hosts int
		want  int // ranks on each host; 0: an error
	}{
		{shape{10, 3, 1}, 0, 3}, {shape{10, 3, 1}, 4, 3}, {shape{10, 3, 10}, 10, 1}, {shape{1 << 20, 128, 1}, 0, 128},
		{shape{0, 3, 1}, 0, 0}, {shape{1<<20 + 1, 3, 1}, 0, 0}, {shape{10, 0, 1}, 0, 0}, {shape{10, -1, 1}, 0, 0},
		{shape{10, 3, 0}, 0, 0}, {shape{10, 3, 11}, 0, 0}, {shape{10, 3, 1}, -1, 0}, {shape{10, 3, 1}, 11, 0},
	} {
		err := c.shape.spread(c.hosts)
		if (err == nil) != (c.want != 0) || err == nil && c.shape.perHost != c.want {
			t.Errorf("%+v with %d hosts: %v", c.shape, c.hosts, err)
		}
	}
}
