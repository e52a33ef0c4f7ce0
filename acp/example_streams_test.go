package acp_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/goacp/goacp/acp"
)

// A channel brings messages from one rank to another, whole and in order.
func ExampleChannel() {
	asRanks(2, func(p *acp.Process) error {
		ch, err := p.NewChannel(0, 1, acp.ChannelOptions{})
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			first, err := ch.Send([]byte("first"))
			if err != nil {
				return err
			}
			second, err := ch.Send([]byte("second"))
			if err != nil {
				return err
			}
			// The bytes may change when the request is finished.
			return errors.Join(acp.WaitAll(context.Background(), first, second), ch.Close())
		}
		buf := make([]byte, 100)
		for range 2 {
			r, err := ch.Recv(buf)
			if err != nil {
				return err
			}
			n, err := r.Wait()
			if err != nil {
				return err
			}
			fmt.Printf("%s\n", buf[:n])
		}
		return ch.Close()
	})
	// Output:
	// first
	// second
}

// Values of Go travel through a channel from a Sender to a Receiver.
func ExampleSender() {
	type move struct{ from, to int32 }
	asRanks(2, func(p *acp.Process) error {
		if p.Rank() == 0 {
			s, err := acp.NewSender[move](p, 1)
			if err != nil {
				return err
			}
			return errors.Join(s.Send(move{12, 28}), s.Send(move{6, 21}), s.Close())
		}
		r, err := acp.NewReceiver[move](p, 0, acp.ChannelOptions{})
		if err != nil {
			return err
		}
		for range 2 {
			m, err := r.Recv()
			if err != nil {
				return err
			}
			fmt.Println(m.from, "to", m.to)
		}
		return r.Close()
	})
	// Output:
	// 12 to 28
	// 6 to 21
}

// A loop over the values that arrive ends when the sender closes its end.
func ExampleReceiver_All() {
	asRanks(2, func(p *acp.Process) error {
		if p.Rank() == 0 {
			s, err := acp.NewSender[string](p, 1)
			if err != nil {
				return err
			}
			for _, line := range []string{"one", "", "three"} {
				if err := s.Send(line); err != nil {
					return err
				}
			}
			return s.Close()
		}
		r, err := acp.NewReceiver[string](p, 0, acp.ChannelOptions{})
		if err != nil {
			return err
		}
		for line := range r.All() {
			fmt.Printf("%q\n", line)
		}
		return errors.Join(r.Err(), r.Close())
	})
	// Output:
	// "one"
	// ""
	// "three"
}

// A segmented buffer streams segments of one size. Both ends use them where they lie.
func ExampleSegBuf() {
	const segment, segments, total = 8, 4, 6
	asRanks(2, func(p *acp.Process) error {
		ring := make([]byte, segment*segments)
		if p.Rank() == 0 {
			s, err := p.NewSegBufSource(1, ring, segment)
			if err != nil {
				return err
			}
			if err := s.Connect(); err != nil {
				return err
			}
			for sent := 0; sent < total; {
				free, err := s.IsReady()
				if err != nil {
					return err
				}
				if !free {
					continue
				}
				i, err := s.Tail()
				if err != nil {
					return err
				}
				copy(ring[i*segment:], fmt.Sprintf("piece %02d", sent))
				if err := s.Ack(); err != nil { // publishes the segment
					return err
				}
				sent++
			}
			return errors.Join(s.Disconnect(), s.Close())
		}
		d, err := p.NewSegBufDestination(0, ring, segment)
		if err != nil {
			return err
		}
		if err := d.Connect(); err != nil {
			return err
		}
		for got := 0; got < total; {
			published, err := d.IsAcked()
			if err != nil {
				return err
			}
			if !published {
				continue
			}
			i, err := d.Head()
			if err != nil {
				return err
			}
			fmt.Printf("%s in segment %d\n", ring[i*segment:][:segment], i)
			if err := d.Ready(); err != nil { // gives the segment back
				return err
			}
			got++
		}
		return errors.Join(d.Disconnect(), d.Close())
	})
	// Output:
	// piece 00 in segment 0
	// piece 01 in segment 1
	// piece 02 in segment 2
	// piece 03 in segment 3
	// piece 04 in segment 0
	// piece 05 in segment 1
}

// All ranks read and write a workspace at offsets, wherever its pieces lie.
func ExampleWorkspace() {
	asRanks(2, func(p *acp.Process) error {
		if err := p.SetWorkspaceParams(0, 16); err != nil { // pieces of 16 bytes, the first on rank 0
			return err
		}
		ws, err := p.NewWorkspace(40)
		if err != nil {
			return err
		}
		if p.Rank() == 1 {
			if _, err := ws.WriteAt([]byte("over the end of a piece"), 10); err != nil {
				return err
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		if p.Rank() == 0 {
			text := make([]byte, 23)
			if _, err := ws.ReadAt(text, 10); err != nil {
				return err
			}
			fmt.Printf("%s, of %d pieces\n", text, ws.Pieces())
		}
		return ws.Destroy()
	})
	// Output: over the end of a piece, of 3 pieces
}
