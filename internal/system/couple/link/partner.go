package link

import (
	"context"
	"fmt"
	"strings"

	"github.com/goacp/goacp/internal/fabric"
)

// partner is the question whether the field at the other side of a link may still come. The first rank of a side
// asks it while it waits.
type partner struct {
	s            *System
	model, field string
	number       uint64
	reply        *reply
}

// checkPartner returns an error unless a name can be that of a field of a model.
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
	model, field, _ = strings.Cut(partnerOf(o.name, o.side), ".")
	return model, field
}

// askPartner asks the host of the models. The answer comes if the field cannot come any more.
func (o *opening) askPartner() *partner {
	p := &partner{s: o.s}
	p.model, p.field = o.partnerOf()
	o.s.registry.mu.Lock()
	o.s.registry.number++
	p.number = o.s.registry.number
	o.s.registry.mu.Unlock()
	p.reply = o.s.start(o.s.registryHost(), opPartner, p.encode(askWait), verdictBytes)
	return p
}

// verdictBytes bounds the bytes of an answer about a field.
const verdictBytes = 8 << 10

// How a process asks for a partner.
const (
	askWait   = iota // and waits until the field cannot come
	askNoMore        // it waits no more
	askNow           // what is known
	asks
)

func (p *partner) encode(how uint64) []byte {
	var w writer
	w.number(how)
	w.number(p.number)
	w.text(p.model)
	w.text(p.field)
	return w
}

// watchPartner ends the wait for the answer r of the host of the link if the other side can never come.
func (o *opening) watchPartner(r *reply, a *attendance) {
	p := o.askPartner()
	select {
	case <-r.done:
		p.forgo()
	case <-p.reply.done:
		if p.reply.err == nil && len(p.reply.answer) > 0 {
			a.body = p.reply.answer
			o.s.start(o.host, opRefuse, a.encode(), 0)
		}
	case <-o.s.p.Lifecycle.Running().Done():
	}
}

// forgo says that the answer is not wanted any more.
func (p *partner) forgo() { p.s.start(p.s.registryHost(), opPartner, p.encode(askNoMore), 0) }

// situation asks the host of the models what is known while the other side does not come.
func (o *opening) situation(ctx context.Context) (situation, error) {
	p := &partner{s: o.s}
	p.model, p.field = o.partnerOf()
	request := writer(p.encode(askNow))
	request.text(o.f.model.name)
	request.text(o.name)
	answer, err := o.s.ask(ctx, o.s.registryHost(), opPartner, request, fabric.CallMax)
	if err != nil {
		return situation{}, err
	}
	return decodeSituation(answer)
}

// servePartner answers a question about a field, at once or when the field cannot come any more.
func (s *System) servePartner(r fabric.Request) (int, error) {
	in := reader{rest: r.Body}
	how, q := in.count(asks-1), question{r.From, in.number()}
	model, field := string(in.bytes()), string(in.bytes())
	var own, link string // of the rank that asks
	if how == askNow {
		own, link = string(in.bytes()), string(in.bytes())
	}
	if err := in.end(); err != nil {
		return 0, err
	}
	g := &s.registry
	if how == askNow {
		n := g.situation(own, model, field, link, s.p.Members.Jobs())
		answer := n.encode()
		if len(answer) > len(r.Reply) {
			return 0, errMalformed
		}
		return copy(r.Reply, answer), nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.of(model)
	if how == askNoMore {
		if a, waits := m.asking[q]; waits {
			a.done.Complete(0, nil)
			delete(m.asking, q)
		}
		return 0, nil
	}
	if o := m.verdict(model, field); o.code != 0 {
		return copy(r.Reply, o.encode()), nil
	}
	m.asking[q] = asked{field, r.Reply, r.Later.Defer()}
	return 0, nil
}
