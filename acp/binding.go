package acp

import (
	"github.com/goacp/goacp/internal/binding"
	"github.com/goacp/goacp/internal/direct"
)

func init() {
	binding.Provide(&binding.Hidden[*Process, Config, *Channel, *Request]{
		OnFailed:      func(cfg *Config, f func(error)) { cfg.onFailed = f },
		EndOnLoss:     endOnLoss,
		Table:         func(p *Process) *direct.Table { return p.direct },
		FinishSync:    (*Process).finishSync,
		Report:        (*Process).report,
		ChannelNumber: func(c *Channel) uint64 { return uint64(c.name) },
		Channel:       (*Process).channelNumbered,
		RequestNumber: (*Request).number,
		Request:       (*Process).requestNumbered,
		Wake:          (*Channel).wakeOther,
	})
}
