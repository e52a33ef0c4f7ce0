package extensiontest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// deadline bounds every run of Run.
const deadline = 120 * time.Second

// Run opens n ranks in this process as cfg says, gives each a goroutine that executes body, and
// finalizes them. It fails the test if a body returns an error.
func Run(t testing.TB, n int, cfg acp.Config, body func(p *acp.Process) error) {
	t.Helper()
	RunOnHosts(t, n, 1, cfg, body)
}

// Alone opens the only rank of a run. It finalizes the rank when the test ends.
func Alone(t testing.TB, cfg acp.Config) *acp.Process {
	t.Helper()
	p, err := acp.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Finalize(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// RunOnHosts is Run for ranks that pretend to be on several hosts, in turn. With bridge.ModeAuto those of
// one host share memory, and those of different ones use sockets.
func RunOnHosts(t testing.TB, n, hosts int, cfg acp.Config, body func(p *acp.Process) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	stuck := time.AfterFunc(deadline, func() { panic("ranks are stuck: " + t.Name()) })
	defer stuck.Stop()
	if err := onHosts(ctx, n, hosts, cfg, body); err != nil {
		t.Fatal(err)
	}
}

// Ranks is Run for examples. It returns the errors of all ranks. If a body fails, its rank ends the
// run. That a rank cannot finalize because the run is over is no error.
func Ranks(ctx context.Context, n int, cfg acp.Config, body func(p *acp.Process) error) error {
	return onHosts(ctx, n, 1, cfg, body)
}

// onHosts is Ranks on several hosts.
func onHosts(ctx context.Context, n, hosts int, cfg acp.Config, body func(p *acp.Process) error) error {
	token, err := bridge.NewToken()
	if err != nil {
		return err
	}
	server, err := bridge.Listen(bridge.ServerConfig{
		Jobs: []bridge.Job{{Name: "test", Size: n}}, Token: token, Listen: []string{"127.0.0.1:0"},
		Events: func(bridge.Event) {},
	})
	if err != nil {
		return err
	}
	defer server.Close()
	errs := make([]error, n)
	var all sync.WaitGroup
	for rank := range n {
		env := bridge.Env{Token: token, JobRank: rank, JobName: "test"}
		for _, a := range server.Addrs() {
			env.Rendezvous = append(env.Rendezvous, a.String())
		}
		all.Go(func() {
			if err := one(ctx, env, rank%hosts, cfg, body); err != nil {
				errs[rank] = fmt.Errorf("rank %d: %w", rank, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// one is the life of one rank on a host.
func one(ctx context.Context, env bridge.Env, host int, cfg acp.Config, body func(p *acp.Process) error) error {
	boot, err := bridge.Dial(ctx, env, bridge.Identity{PID: os.Getpid(), Host: "test"})
	if err != nil {
		return err
	}
	if cfg.Bootstrap, err = pretend(boot, host); err != nil {
		return err
	}
	p, err := acp.Open(ctx, cfg)
	if err != nil {
		return err
	}
	if err := body(p); err != nil {
		p.Abort(err.Error())
		return err
	}
	if err := p.Finalize(); !errors.Is(err, acp.ErrPeerDead) {
		return err
	}
	return nil
}

// EachMode runs f as a subtest over shared memory and over sockets.
func EachMode(t *testing.T, f func(t *testing.T, mode bridge.Mode)) {
	for _, mode := range []bridge.Mode{bridge.ModeSHM, bridge.ModeTCP} {
		t.Run(mode.String(), func(t *testing.T) { f(t, mode) })
	}
}
