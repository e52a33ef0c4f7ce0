package remote

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/process"
)

// holdToken makes the run's private directory and puts the token there. If the directory
// exists already, this host is the launcher's own or has two names. Then another process has
// made the directory and removes it, unless that one was killed.
func (p *proxy) holdToken(job *message.ProxyJob) error {
	err := os.Mkdir(job.Keep, 0o700)
	if err == nil || job.Inherit {
		p.owns(job.Keep)
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return err
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
	dir, err := process.MakeRunDir()
	if err != nil {
		return err
	}
	p.owns(dir)
	return p.placeToken(dir, job.Token)
}

// owns records that this proxy has made a directory, and has to remove it, or its cleaner.
func (p *proxy) owns(dir string) {
	p.runDir = dir
	p.children.RemoveIfKilled(dir)
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
