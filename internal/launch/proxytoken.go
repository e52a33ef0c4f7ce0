package launch

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/process"
)

// keep makes the run's private directory. If it is there already this host is the
// launcher's own under another name, or has two names, and whatever made the
// directory removes it.
func (p *proxy) keep(job *message.ProxyJob) error {
	err := os.Mkdir(job.Keep, 0o700)
	if err == nil {
		p.owns(job.Keep)
	} else if !errors.Is(err, os.ErrExist) {
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

// makePlace makes a private directory for the processes that this proxy starts, and
// puts the token there. It is not the directory of a keeper, which may outlive it.
func (p *proxy) makePlace(job *message.ProxyJob) error {
	dir, err := process.MakeRunDir()
	if err != nil {
		return err
	}
	p.owns(dir)
	return p.placeToken(dir, job.Token)
}

// owns records a directory that this proxy has made, and has it removed in every
// ending.
func (p *proxy) owns(dir string) {
	p.runDir = dir
	p.janitor.RemoveAtEnd(dir)
}

// placeToken puts the token of the run into dir, whose path shows which processes of
// this host belong to the run.
func (p *proxy) placeToken(dir, text string) error {
	token, err := bridge.ParseToken(text)
	if err != nil {
		return err
	}
	if _, err := bridge.WriteTokenFile(dir, token); err != nil {
		return err
	}
	p.belong.SetRunDir(dir)
	p.janitor.NameRun(dir)
	return nil
}
