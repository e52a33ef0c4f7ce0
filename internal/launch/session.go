package launch

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/endpoint"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/stdio"
	"github.com/goacp/goacp/internal/launch/supervise"
)

// newRunner prepares a runner: everything but the plan's processes.
func newRunner(c *command, local *localNames, runDir string, plan *plan.Plan) (*runner, error) {
	r := &runner{
		std: c.std, program: c.program, opts: c.opts, plan: plan, runDir: runDir, local: local,
		loop: newEventLoop(), sup: supervise.New(plan, c.program == config.Acprun, local.host),
	}
	var err error
	if r.belong, err = process.NewScope(); err != nil {
		return nil, err
	}
	r.watched = map[int]*process.ExitWatch{}
	r.out, r.err = stdio.NewSinks(c.std.Stdout, c.std.Stderr)
	// Orphans of a part of a run are the whole's.
	reaper, err := process.NewChildReaper(!r.partOfRun())
	if err != nil {
		return nil, err
	}
	r.reaper = reaper
	return r, nil
}

// open starts the rendezvous and the janitor of a whole run.
func (r *runner) open() error {
	token, err := bridge.NewToken()
	if err != nil {
		return err
	}
	r.token, r.secure = token, r.opts.Secure
	r.tokenFile = filepath.Join(r.runDir, bridge.TokenFileName)
	r.belong.SetRunDir(r.runDir)
	if r.janitor, err = process.StartCleaner(r.reaper); err != nil {
		return err
	}
	r.belong.Exempt(r.janitor.Id)
	r.janitor.NameRun(r.runDir)
	r.janitor.RemoveAtEnd(r.runDir)
	// Only now does something else remove the file if this process is killed.
	if _, err := bridge.WriteTokenFile(r.runDir, token); err != nil {
		return err
	}
	config := bridge.ServerConfig{Token: token, Secure: r.opts.Secure, Events: func(e bridge.Event) {
		r.loop.post(func() { r.memberEvent(e) })
	}}
	for _, job := range r.plan.Jobs {
		config.Jobs = append(config.Jobs, bridge.Job{Name: job.Name, Size: job.Size})
	}
	choice, err := endpoint.Parse(r.opts.Interface, r.opts.PortRange)
	if err != nil {
		return err
	}
	addrs, err := rendezvousAddrs(choice, plan.RemoteHosts(r.plan, r.local.isLocal))
	if err != nil {
		return err
	}
	if config.Sockets, err = choice.Listen(addrs); err != nil {
		return fmt.Errorf("rendezvous: %w", err)
	}
	if r.server, err = bridge.Listen(config); err != nil {
		return err
	}
	for _, addr := range r.server.Addrs() {
		r.rdv = append(r.rdv, addr.String())
	}
	return nil
}

// memberEnv is what tells the processes of a job their place.
func (r *runner) memberEnv(job, jobRank int) []string {
	return bridge.Env{Rendezvous: r.rdv, TokenFile: r.tokenFile, Secure: r.secure, Job: job, JobRank: jobRank}.Environ()
}

// removeUnused removes the private directory of a run that does not start, if there
// is one, and returns why it does not.
func removeUnused(dir string, why error) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("%w; and %w", why, err)
	}
	return why
}
