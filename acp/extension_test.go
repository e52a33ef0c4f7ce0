package acp_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/process/extension"
)

var idle = extension.Register(extension.Extension[*extension.Process]{
	Name: "idle",
	Open: func(p *extension.Process) (*extension.Process, error) { return p, nil },
})

// TestExtensionsDiffer opens two ranks of which one does not have an extension of the other.
func TestExtensionsDiffer(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	w := newWorld(t, 2)
	errs := make([]error, 2)
	var opened sync.WaitGroup
	for rank := range errs {
		opened.Go(func() {
			var cfg acp.Config
			if rank == 1 {
				cfg.LeaveOutExtensions()
			}
			_, errs[rank] = w.open(ctx, rank, cfg)
		})
	}
	opened.Wait()
	const want = "rank 1 does not have the extension idle, which rank 0 has"
	for rank, err := range errs {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("rank %d: %v, want %q", rank, err, want)
		}
	}
}

// TestExtensionOfProcess: each process has its own instance of a system.
func TestExtensionOfProcess(t *testing.T) {
	run(t, 2, acp.Config{}, func(p *member) error {
		if s := idle.Of(p.Process); s.Ranks.Own() != int(p.Rank()) || s.Memory.Ranks().Size() != 2 {
			t.Errorf("rank %d has the system of rank %d", p.Rank(), s.Ranks.Own())
		}
		return nil
	})
}
