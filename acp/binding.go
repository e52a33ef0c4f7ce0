package acp

import (
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/binding"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/structure/channel"
)

func init() {
	extension.Provide(func(process any) *extension.Set { return process.(*Process).extensions })
	binding.Provide(&binding.Hidden[*Process, Config, *Channel]{
		OnFailed:      func(cfg *Config, f func(error)) { cfg.onFailed = f },
		SetPool:       func(cfg *Config, pool segment.Pool) { cfg.pool = &pool },
		EndOnLoss:     endOnLoss,
		Table:         func(p *Process) *maptable.Table { return p.direct },
		Abort:         func(p *Process, a bridge.Abort) { p.lifecycle.Abort(a) },
		FinishSync:    (*Process).finishSync,
		MPIFinalizing: func(p *Process) { p.watchdog.MPIFinalizing() },
		Report:        (*Process).report,
		ChannelHandle: func(c *Channel) uint64 { return uint64(c.c.Handle()) },
		Channel:       (*Process).channelByHandle,
		Request:       (*Process).requestByHandle,
		KeepRequest:   func(p *Process, handle uint64, r *channel.Request) { p.channels.Keep(handle, r) },
	})
}
