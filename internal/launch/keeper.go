package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/supervise"
)

// A keeper is a proxy that starts nothing: it makes the run's private directory
// on a host where MPI launchers start processes through their own means, and puts
// the run's token there, which those means would carry in clear. When the run is
// over, or the launcher is lost, it ends what is left of the run on that host and
// removes the directory.

// keeperLimit is how long keepers may take to answer: a remote login each, all at
// the same time.
const keeperLimit = time.Minute

// startKeepers starts a keeper on every other host of MPI jobs.
func (r *runner) startKeepers() error {
	hosts := plan.RemoteHosts(&plan.Plan{Jobs: plan.MPIJobs(r.plan)}, r.local.isLocal)
	if len(hosts) == 0 {
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	program := filepath.Join(filepath.Dir(exe), "acprun")
	var keepers []*proxyClient
	for _, host := range hosts {
		p, err := r.startProxy(host, program, nil)
		if err != nil {
			return err
		}
		keepers = append(keepers, p)
		p.describe(message.ProxyJob{Keep: r.runDir, Token: r.token.String()})
	}
	limit := time.After(keeperLimit)
	for _, p := range keepers {
		if err := r.awaitKeeper(p, limit); err != nil {
			return fmt.Errorf("host %s cannot be given the token of the run: %w", p.host, err)
		}
	}
	return nil
}

// awaitKeeper waits until a keeper has done its work. A signal ends the wait.
func (r *runner) awaitKeeper(p *proxyClient, limit <-chan time.Time) error {
	for {
		select {
		case err := <-p.answer:
			return err
		case <-p.heard:
			select {
			case err := <-p.answer:
				return err
			default:
				return fmt.Errorf("%s ended without an answer", shell.Join(p.argv))
			}
		case <-limit:
			return fmt.Errorf("%s did not answer within %v", shell.Join(p.argv), keeperLimit)
		case sig := <-r.signals.c:
			if r.signal(sig); r.sup.Outcome() != nil {
				return errors.New(r.sup.Outcome().Text)
			}
		}
	}
}

// keeperEnded takes the end of a keeper's remote shell. If this launcher has not closed it,
// the host is lost: a keeper without its launcher ends the ranks there.
func (r *runner) keeperEnded(p *proxyClient, status exit.Status) {
	select {
	case <-p.quit:
		return
	default:
	}
	p.close()
	r.conclude(supervise.Verdict{Text: fmt.Sprintf("host %s is lost: %s %v while MPI jobs ran there", p.host, p.shell, status),
		Status: max(status.ExitStatus(), 1), Member: -1})
}
