package remote

import (
	"encoding/json"
	"fmt"

	"github.com/goacp/goacp/internal/launch/account"
	"github.com/goacp/goacp/internal/launch/message"
)

// tellTransfers sends what the ranks of this host have transferred, if they have counted. They have ended.
// A token holder that has not made the directory leaves that to the process that has.
func (p *proxy) tellTransfers() {
	if p.runDir == "" {
		return
	}
	tables, _ := account.Gather(p.runDir) // the launcher says of which ranks it knows nothing
	for i := range tables {
		// This type always has a JSON form.
		text, _ := json.Marshal(&tables[i])
		p.out.Send(message.Frame{Kind: message.FrameTraffic, Number: uint32(tables[i].Member), Payload: text})
	}
}

// transferred takes what a rank on the host of the proxy has transferred.
func (c *client) transferred(f message.Frame) error {
	table, err := account.Decode(f.Payload)
	if err != nil {
		return fmt.Errorf("%w: %w", message.ErrFrame, err)
	}
	c.hosts.Transferred(&table)
	return nil
}
