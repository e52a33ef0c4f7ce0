package remote

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/shell"
)

// tokenLimit is how long all token holders together may take to answer: each needs a remote
// login.
const tokenLimit = time.Minute

// TokenHolders describes the hosts that are to get the token of a run.
type TokenHolders struct {
	Hosts  []string
	RunDir string // private directory of the run on all hosts
	Token  string
	// Lost is called on the goroutine of the run if the remote shell to a host ends before the
	// launcher closes it. The token holder ends the ranks there.
	Lost func(host, remoteShell string, status exit.Status)
	// Signals are the signals that the launcher receives, and the end of its time limit.
	// HandleSignal acts on one. It returns an error if the run ends because of it.
	Signals      <-chan os.Signal
	HandleSignal func(os.Signal) error
}

// HoldToken starts a token holder on each host, and waits until the token is there. It blocks
// no longer than a minute. A signal that ends the run ends the wait.
func (h *Hosts) HoldToken(t TokenHolders) error {
	program, err := besideThis("acprun")
	if err != nil {
		return err
	}
	var holders []*client
	for _, host := range t.Hosts {
		c := h.newClient(host, nil)
		c.lost, c.dir, c.token = t.Lost, t.RunDir, t.Token
		err := c.describe(message.ProxyJob{Keep: t.RunDir, Token: t.Token, Log: h.Log})
		if err == nil {
			err = h.startProxy(c, program)
		}
		if err != nil {
			return err
		}
		holders = append(holders, c)
	}
	limit := time.After(tokenLimit)
	for _, c := range holders {
		if err := c.awaitAnswer(t, limit); err != nil {
			return fmt.Errorf("host %s cannot be given the token of the run: %w", c.host, err)
		}
	}
	return nil
}

// besideThis returns the path of a program in the folder of this one.
func besideThis(name string) (string, error) {
	exe, err := os.Executable()
	return filepath.Join(filepath.Dir(exe), name), err
}

// awaitAnswer waits until a token holder has put the token into its place.
func (c *client) awaitAnswer(t TokenHolders, limit <-chan time.Time) error {
	for {
		select {
		case err := <-c.answer:
			return err
		case <-c.outputEnded:
			select {
			case err := <-c.answer:
				return err
			default:
				return fmt.Errorf("%s ended without an answer", shell.Join(c.argv))
			}
		case <-limit:
			return fmt.Errorf("%s did not answer within %v", shell.Join(c.argv), tokenLimit)
		case sig := <-t.Signals:
			if err := t.HandleSignal(sig); err != nil {
				return err
			}
		}
	}
}

// tokenAnswer handles the only answer of a token holder to its job.
func (c *client) tokenAnswer(f message.Frame) error {
	if c.answered || f.Kind != message.FrameKept && f.Kind != message.FrameFailed {
		return fmt.Errorf("%w: kind %q from a token holder", message.ErrFrame, f.Kind)
	}
	c.answered = true
	var refusal error
	if f.Kind == message.FrameFailed {
		refusal = errors.New(message.OneLine(string(f.Payload)))
		debuglog.Remote.Printf("host %s cannot hold the token of the run: %v", c.host, refusal)
	} else {
		debuglog.Remote.Printf("host %s holds the token of the run, for the ranks that launchers of MPI start there", c.host)
	}
	c.answer <- refusal
	return nil
}
