package extensiontest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// Elastic is a run to which ranks come, and which they leave.
type Elastic struct {
	server *bridge.Server
	env    bridge.Env
	cfg    acp.Config
	body   func(r *Elastic, p *acp.Process) error
	ctx    context.Context

	all    sync.WaitGroup
	mu     sync.Mutex
	failed []error
}

// RunElastic is Run for a run of n ranks that can have limit ranks ever. Ranks that join execute body, too.
func RunElastic(t testing.TB, n, limit int, cfg acp.Config, body func(r *Elastic, p *acp.Process) error) {
	t.Helper()
	token, err := bridge.NewToken()
	if err != nil {
		t.Fatal(err)
	}
	r := &Elastic{env: bridge.Env{Token: token, JobName: "test"}, cfg: cfg, body: body}
	asked := func(e bridge.Event) {
		if e.Kind == bridge.JoinAsked {
			if err := r.Grow(e.Asks.Count); err != nil {
				r.fail(err)
			}
		}
	}
	r.server, err = bridge.Listen(bridge.ServerConfig{
		Jobs: []bridge.Job{{Name: "test", Size: n, Max: limit}}, Token: token, Listen: []string{"127.0.0.1:0"}, Events: asked,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.server.Close()
	for _, a := range r.server.Addrs() {
		r.env.Rendezvous = append(r.env.Rendezvous, a.String())
	}
	var cancel context.CancelFunc
	r.ctx, cancel = context.WithTimeout(context.Background(), deadline)
	defer cancel()
	stuck := time.AfterFunc(deadline, func() { panic("ranks are stuck: " + t.Name()) })
	defer stuck.Stop()
	for rank := range n {
		r.start(rank)
	}
	r.all.Wait()
	if err := errors.Join(r.failed...); err != nil {
		t.Fatal(err)
	}
}

// Grow starts count more ranks. Any rank may call it. Does not block.
func (r *Elastic) Grow(count int) error {
	members, err := r.server.Grow(0, count)
	for _, member := range members {
		r.start(member) // the job is alone, so its process numbers are those of the members
	}
	return err
}

// AskLeave asks a rank to leave.
func (r *Elastic) AskLeave(rank int) error { return r.server.AskLeave(rank) }

// start starts one rank.
func (r *Elastic) start(number int) {
	r.all.Go(func() {
		if err := r.rank(number); err != nil {
			r.fail(fmt.Errorf("rank %d: %w", number, err))
			r.server.Abort("the test has failed")
		}
	})
}

func (r *Elastic) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, err)
}

// rank is the life of one rank.
func (r *Elastic) rank(number int) error {
	env := r.env
	env.JobRank = number
	cfg := r.cfg
	var err error
	if cfg.Bootstrap, err = bridge.Dial(r.ctx, env, bridge.Identity{PID: os.Getpid(), Host: "test"}); err != nil {
		return err
	}
	p, err := acp.Open(r.ctx, cfg)
	if err != nil && strings.Contains(err.Error(), "the run has ended before it has adopted this rank") {
		return nil
	}
	if err != nil {
		return err
	}
	if err := r.body(r, p); err != nil {
		p.Abort(err.Error())
		return err
	}
	return p.Finalize()
}
