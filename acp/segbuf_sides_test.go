package acp_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"golang.org/x/sys/unix"
)

// sides are the ways in which two ranks may fail to map each other.
var sides = []struct {
	name    string
	refuses func(from, to int) bool
}{
	{"sender maps nothing", func(from, to int) bool { return from == 0 }},
	{"receiver maps nothing", func(from, to int) bool { return from == 1 }},
	{"neither maps the other", func(from, to int) bool { return true }},
	{"only odd ranks map", func(from, to int) bool { return from%2 == 0 }},
}

// forEachSide runs body on two ranks that share memory, for each way in which one fails to map
// the other.
func forEachSide(t *testing.T, body func(p *member) error) {
	for _, side := range sides {
		t.Run(side.name, func(t *testing.T) {
			config := func(from int) acp.Config {
				cfg := acp.Config{Mode: bridge.ModeSHM}
				cfg.RefuseMapping(func(to int) error {
					if side.refuses(from, to) {
						return unix.EACCES
					}
					return nil
				})
				return cfg
			}
			runEach(t, 2, config, body)
		})
	}
}

// Segmented buffers work whichever rank can map the other.
func TestSegBufOneSided(t *testing.T) {
	// The race detector does not see the counters of segments, nor this memory.
	bufs := [2][]byte{foreign(t, segmentBytes), foreign(t, segmentBytes)}
	forEachSide(t, func(p *member) error { return segments(p, bufs[p.Rank()]) })
}

// segmentBytes is the size of a buffer of four segments.
const segmentBytes = 400

// segments sends 20 segments from rank 0 to rank 1 through a buffer of four.
func segments(p *member, buf []byte) error {
	const count, total = 4, 20
	const size = segmentBytes / count
	var e *acp.SegBuf
	if p.Rank() == 0 {
		e = must(p.NewSegBufSource(1, buf, size))
	} else {
		e = must(p.NewSegBufDestination(0, buf, size))
	}
	if err := e.Connect(); err != nil {
		return err
	}
	for i := range total {
		ready, act := e.IsReady, e.Ack
		if p.Rank() == 1 {
			ready, act = e.IsAcked, e.Ready
		}
		for deadline := time.Now().Add(deadline); !must(ready()); time.Sleep(10 * time.Microsecond) {
			if time.Now().After(deadline) {
				return fmt.Errorf("segment %d does not come", i)
			}
		}
		segment := buf[i%count*size:][:size]
		if p.Rank() == 0 {
			copy(segment, message(0, 1, i, size))
		} else if string(segment) != string(message(0, 1, i, size)) {
			return fmt.Errorf("segment %d is not as it was sent", i)
		}
		if err := act(); err != nil {
			return err
		}
	}
	if err := e.Disconnect(); err != nil {
		return err
	}
	return e.Close()
}
