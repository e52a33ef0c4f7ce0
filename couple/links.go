package couple

import (
	"context"

	"github.com/goacp/goacp/internal/system/couple/link"
)

// Links are the ends of a model of the links that the description of the run lists.
type Links struct{ core *link.Links }

// Open seals the model and opens the links that the description of the run has for its fields: the list couple of a
// YAML description, the option -couple of the launchers, or ACP_COUPLE. The program does not contain the names of
// other models. Links without this model are ignored. Without a description there are no links.
//
// Fails with ErrField if the model has not declared a field of the description, with ErrOptions for a malformed
// description, and as SendTo, ReceiveFrom, PublishTo and Watch do. On failure none of the links is open. Collective
// for the ranks of this model and of the models to which it has links. Blocks until all ranks have called, except in
// models that watch.
func (m *Model) Open(ctx context.Context) (*Links, error) {
	l, err := m.core.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &Links{l}, nil
}

// Send sends the fields of all links that begin at this model and have a message in this step. Fails as Sender.Send
// and Publisher.Send do. If it is called again with the same step, it continues with the link that has failed: the others have sent.
// Local. Blocks while receivers are as many messages behind as their links have levels.
func (l *Links) Send(ctx context.Context, step int) error { return l.core.Send(ctx, int64(step)) }

// Receive receives the fields of all links that end at this model and have a message in this step. Watched links are
// left out. Fails as Receiver.Receive does. If it is called again with the same step, it continues with the link that has failed: the
// others have received. Local. Blocks until the values of the step have arrived.
func (l *Links) Receive(ctx context.Context, step int) error {
	return l.core.Receive(ctx, int64(step))
}

// Save writes the states of the operations in time of all links to files in a folder, between two steps. The names of the files
// have those of the link, the side and the process. Fails as Sender.Save does. Local. Does not block, apart from writing.
func (l *Links) Save(folder string) error { return l.core.Save(folder) }

// Load continues from the files that Save has written to a folder, and returns the last step before they were written, or -1 if
// no link has operations in time. The program calls it before the first step. Otherwise links with a lag send the initial
// values of the description in the first call of Send or Receive: those of a file, or of the field at that time. Fails as
// Sender.Load does, and with ErrFile if the files are not of one step. Local. Does not block, apart from reading.
func (l *Links) Load(ctx context.Context, folder string) (step int, err error) {
	last, err := l.core.Load(ctx, folder)
	return int(last), err
}

// Watcher returns the end of the watched link to a field of this model, or nil if the description has none. Local. Does
// not block.
func (l *Links) Watcher(field string) *Watcher {
	if w := l.core.Watchers()[field]; w != nil {
		return &Watcher{w}
	}
	return nil
}

// Close closes all links, including watched links. Fails as Sender.Close does, and may be called again if ctx ends
// first. Local. Blocks until all sent messages have left this process.
func (l *Links) Close(ctx context.Context) error { return l.core.Close(ctx) }
