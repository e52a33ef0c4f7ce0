package remote

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/process"
)

// holdToken makes the run's private directory and puts the token there. If the directory exists already, this
// host is the launcher's own or has two names. Then the process that has made the directory removes it,
// unless that process was killed.
func (p *proxy) holdToken(job *message.ProxyJob) error {
	if !job.Inherit {
		process.RemoveDeadRuns(noteRemoved)
	}
	err := os.Mkdir(job.Keep, 0o700)
	if err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err == nil || job.Inherit {
		if err := p.children.OwnRunDir(job.Keep); err != nil {
			return err
		}
		p.runDir = job.Keep
	}
	info, err := os.Lstat(job.Keep)
	if err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", job.Keep)
	}
	if err := p.placeToken(job.Keep, job.Token); err != nil {
		return err
	}
	p.out.Send(message.Frame{Kind: message.FrameKept})
	return nil
}

// makeRunDir makes a private directory for the processes that this proxy starts, and puts the
// token there. It is not the directory of a token holder, which may live longer.
func (p *proxy) makeRunDir(job *message.ProxyJob) error {
	process.RemoveDeadRuns(noteRemoved)
	dir, err := p.children.MakeRunDir(func(place string, err error) {
		debuglog.Remote.Printf("the private directory of the run is not in %s: %v", place, err)
	})
	if err != nil {
		return err
	}
	p.runDir = dir
	return p.placeToken(dir, job.Token)
}

// noteRemoved logs the removed directory of a run whose processes were all killed.
func noteRemoved(dir string, err error) {
	if err != nil {
		debuglog.Remote.Printf("%s stays, which a run has left whose launcher was killed: %v", dir, err)
		return
	}
	debuglog.Remote.Printf("removed %s, which a run has left whose launcher was killed", dir)
}

// placeToken puts the token of the run into dir. From then on the path of dir shows which
// processes of this host belong to the run.
func (p *proxy) placeToken(dir, text string) error {
	token, err := bridge.ParseToken(text)
	if err != nil {
		return err
	}
	if _, err := bridge.WriteTokenFile(dir, token); err != nil {
		return err
	}
	p.children.SetRunDir(dir)
	p.identity = token.Run()
	return nil
}
