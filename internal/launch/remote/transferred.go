package remote

import (
	"encoding/json"
	"fmt"
	"hash/maphash"

	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/launch/account"
	"github.com/goacp/goacp/internal/launch/message"
)

// tables records which tables of its ranks a proxy has sent to the launcher. The zero value has sent none.
type tables struct {
	seed     maphash.Seed
	reported map[int]uint64 // by member: the hash of the latest table that the launcher has
	last     int            // the member of the latest one

	lines *account.Lines
}

// maxNews is how many bytes of tables a proxy sends at once during the run; it sends the other tables next
// time. So the output of the ranks is not delayed for long.
const maxNews = 1 << 20

// news returns frames with the tables of a directory that have changed since they were last sent. If there
// are many, it returns some, and continues behind these the next time. dir may be empty.
func (t *tables) news(dir string) (frames []message.Frame) {
	if t.reported == nil {
		t.seed, t.reported = maphash.MakeSeed(), map[int]uint64{}
	}
	all := t.gather(dir)
	first := 0
	for first < len(all) && all[first].Member <= t.last {
		first++
	}
	bytes := 0
	for i := range all {
		f := frameOf(&all[(first+i)%len(all)])
		hash := maphash.Bytes(t.seed, f.Payload)
		member := int(f.Number)
		if known, reported := t.reported[member]; reported && known == hash {
			continue
		}
		if bytes += len(f.Payload); bytes > maxNews && len(frames) > 0 {
			break
		}
		t.reported[member], t.last = hash, member
		frames = append(frames, f)
	}
	return frames
}

// tellTransfers sends the tables of the ranks of this host, if they have counted. They have ended.
func (p *proxy) tellTransfers() {
	// The lock keeps older tables from being sent after these.
	p.looking.Lock()
	defer p.looking.Unlock()
	for _, s := range p.reported.gather(p.runDir) {
		p.out.Send(frameOf(&s))
	}
}

// gather returns the tables in the private directory of a proxy, with the lines of the programs. A token
// holder that has not made the directory returns none: the process that has made it sends them.
func (t *tables) gather(dir string) []traffic.Snapshot {
	if dir == "" {
		return nil
	}
	all, _ := account.Gather(dir) // the launcher reports ranks without a table
	if t.lines == nil {
		t.lines = account.NewLines()
	}
	t.lines.Locate(all)
	return all
}

// frameOf returns the frame of a table.
func frameOf(s *traffic.Snapshot) message.Frame {
	// This type always has a JSON form.
	text, _ := json.Marshal(s)
	return message.Frame{Kind: message.FrameTraffic, Number: uint32(s.Member), Payload: text}
}

// transferred handles a table of a rank on the host of the proxy.
func (c *client) transferred(f message.Frame) error {
	table, err := account.Decode(f.Payload)
	if err != nil {
		return fmt.Errorf("%w: %w", message.ErrFrame, err)
	}
	c.hosts.Transferred(&table)
	return nil
}
