package acp_test

import (
	"errors"
	"testing"

	"github.com/goacp/goacp/acp"
)

// BenchmarkChannelSendRecv sends messages of 8 bytes and receives each at once, on one goroutine. It measures
// the cost of the two ends of a channel when neither waits.
func BenchmarkChannelSendRecv(b *testing.B) {
	receivers, done := make(chan *acp.Channel), make(chan struct{})
	benchEachMode(b, func(b *testing.B, p *acp.Process) error {
		out, in := must(p.NewChannel(p.Rank(), 1, acp.ChannelOptions{})), <-receivers
		var message, buf [8]byte
		var err error
		for i := 0; b.Loop() && err == nil; i++ {
			message[0] = byte(i)
			if err = send(out, message[:]); err == nil {
				err = recv(in, buf[:], 8)
			}
		}
		freed, ferr := in.BeginClose()
		done <- struct{}{}
		return errors.Join(err, ferr, out.Close(), wait(freed, ferr, 0))
	}, func(_ *testing.B, p *acp.Process) error {
		receivers <- must(p.NewChannel(0, p.Rank(), acp.ChannelOptions{}))
		<-done
		return nil
	})
}

// BenchmarkChannelPingPong sends messages of 8 bytes there and back.
func BenchmarkChannelPingPong(b *testing.B) {
	bounce := func(b *testing.B, p *acp.Process) error {
		other := 1 - p.Rank()
		out, in := must(p.NewChannel(p.Rank(), other, acp.ChannelOptions{})), must(p.NewChannel(other, p.Rank(), acp.ChannelOptions{}))
		var message, buf [8]byte
		err := p.Sync()
		if p.Rank() == 0 {
			b.ResetTimer()
		}
		for i := 0; i < b.N && err == nil; i++ {
			if p.Rank() == 0 {
				err = send(out, message[:])
			}
			if err == nil {
				err = recv(in, buf[:], 8)
			}
			if p.Rank() == 1 && err == nil {
				err = send(out, message[:])
			}
		}
		freed, ferr := out.BeginClose()
		return errors.Join(err, in.Close(), wait(freed, ferr, 0))
	}
	benchEachMode(b, bounce, bounce)
}
