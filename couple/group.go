package couple

import (
	"context"

	"github.com/goacp/goacp/internal/system/couple/link"
)

// Group is several links that a rank opens at once. The order in which it begins them does not matter, and neither
// does the order in which other models open them. So models that have several links with each other, or are coupled
// in a ring, cannot deadlock. Other models may open the same links with a Group or one after the other. Only one
// goroutine at a time may call methods.
type Group struct{ core *link.Group }

// Begin returns a Group without links. ctx bounds how long Wait waits for other ranks. Local. Does not block.
func Begin(ctx context.Context) *Group { return &Group{link.Begin(ctx)} }

// SendTo begins Field.SendTo of a field. The Sender may be used when Wait has returned nil. Local. Does not block.
func (g *Group) SendTo(f *Field, field string, o Options) *Sender {
	return g.sender(f, func(ctx context.Context) (*link.Sender, error) {
		return f.core.SendTo(ctx, field, o.core())
	})
}

// ReceiveFrom begins Field.ReceiveFrom of a field. The Receiver may be used when Wait has returned nil. Local. Does not
// block.
func (g *Group) ReceiveFrom(f *Field, field string, o Options) *Receiver {
	return g.receiver(f, func(ctx context.Context) (*link.Receiver, error) {
		return f.core.ReceiveFrom(ctx, field, o.core())
	})
}

// SendWeighted begins Field.SendWeighted of a field. Otherwise as SendTo. The weights may be changed afterwards. Local. Does
// not block.
func (g *Group) SendWeighted(f *Field, field string, weights []Weight, o Options) *Sender {
	entries := entriesOf(weights)
	return g.sender(f, func(ctx context.Context) (*link.Sender, error) {
		return f.core.SendWeighted(ctx, field, entries, o.core())
	})
}

// ReceiveWeighted begins Field.ReceiveWeighted of a field. Otherwise as ReceiveFrom. The weights may be changed afterwards.
// Local. Does not block.
func (g *Group) ReceiveWeighted(f *Field, field string, weights []Weight, o Options) *Receiver {
	entries := entriesOf(weights)
	return g.receiver(f, func(ctx context.Context) (*link.Receiver, error) {
		return f.core.ReceiveWeighted(ctx, field, entries, o.core())
	})
}

// Wait waits until all links of the Group are open. If a link fails, Wait returns its error, which names the link,
// and closes the other links, so that their other sides get ErrEnded. Fails as SendTo and ReceiveFrom of Field do.
// The Group must not be used afterwards. Collective for the ranks of all models of the links. Blocks until all ranks
// have opened them.
func (g *Group) Wait() error { return g.core.Wait() }

// sender begins to open a link of a field by a function, and returns what gets the sending end.
func (g *Group) sender(f *Field, open func(ctx context.Context) (*link.Sender, error)) *Sender {
	s := new(Sender)
	link.Open(g.core, f.core, open, func(core *link.Sender) { s.core = core })
	return s
}

// receiver is sender for a receiving end.
func (g *Group) receiver(f *Field, open func(ctx context.Context) (*link.Receiver, error)) *Receiver {
	r := new(Receiver)
	link.Open(g.core, f.core, open, func(core *link.Receiver) { r.core = core })
	return r
}
