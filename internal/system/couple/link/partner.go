package link

import (
	"context"
	"fmt"
	"strings"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/couple/meet"
)

// partner is the request whether the field at the other side of a link can still be declared. The first rank of
// a side sends it while it waits.
type partner struct {
	s            *System
	model, field string
	number       uint64
	reply        *reply
}

// checkPartner returns an error unless a name is a valid name of a field of a model.
func checkPartner(name string) error {
	model, field, ok := strings.Cut(name, ".")
	if !ok {
		return fmt.Errorf("%w: %q is no name of a field: that has the name of the model, a full stop and the name of the field", ErrModel, name)
	}
	if err := checkName("model", model); err != nil {
		return err
	}
	return checkName("field", field)
}

// partnerOf returns the names of the model and the field at the other side.
func (o *opening) partnerOf() (model, field string) {
	model, field, _ = strings.Cut(meet.Partner(o.name, o.side), ".")
	return model, field
}

// askPartner sends the request to the registry. The reply arrives when the field can no longer be declared.
func (o *opening) askPartner() *partner {
	p := &partner{s: o.s}
	p.model, p.field = o.partnerOf()
	p.number = o.s.inquiries.Add(1)
	p.reply = p.inquire(meet.AskWait, verdictBytes)
	return p
}

// verdictBytes bounds the bytes of an answer about a field.
const verdictBytes = 8 << 10

// inquire sends a request to the registry in a manner. The reply has at most capacity bytes.
func (p *partner) inquire(manner meet.Manner, capacity int) *reply {
	q := meet.Inquiry{Manner: manner, Number: p.number, Model: p.model, Field: p.field}
	return p.s.start(p.s.registryHost(), opInquiry, q.Encode(), capacity)
}

// watchPartner ends the wait for the reply r of the host of the link if the other side can never come.
func (o *opening) watchPartner(r *reply, a *meet.Arrival) {
	p := o.askPartner()
	select {
	case <-r.done:
		p.forgo()
	case <-p.reply.done:
		if p.reply.err == nil && len(p.reply.answer) > 0 {
			a.Body = p.reply.answer
			o.s.start(o.host, opRefuse, a.Encode(), 0)
		}
	case <-o.s.p.Lifecycle.Running().Done():
	}
}

// forgo cancels the request.
func (p *partner) forgo() { p.inquire(meet.AskNoMore, 0) }

// situation requests the state of the other side from the registry.
func (o *opening) situation(ctx context.Context) (meet.Situation, error) {
	q := meet.Inquiry{Manner: meet.AskNow, Own: o.f.model.name, Link: o.name}
	q.Model, q.Field = o.partnerOf()
	answer, err := o.s.ask(ctx, o.s.registryHost(), opInquiry, q.Encode(), fabric.CallMax)
	if err != nil {
		return meet.Situation{}, err
	}
	return meet.DecodeSituation(answer)
}
