package remote

import (
	"os"

	"github.com/goacp/goacp/internal/launch/message"
)

// openInput returns the standard input of a rank. If the rank has that of the launcher, a separate goroutine
// passes the pieces on. The rank may read them late or never, and meanwhile the proxy must read other frames
// of the launcher and detect its end.
func (p *proxy) openInput(rank int, ofLauncher bool) (*os.File, error) {
	if !ofLauncher {
		return os.Open(os.DevNull)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.input = make(chan []byte, message.MaxInputFrames)
	go p.passInput(write, rank)
	return read, nil
}

// passInput writes the pieces of input to a rank, and acknowledges each to the launcher.
func (p *proxy) passInput(to *os.File, rank int) {
	defer to.Close()
	for data := range p.input {
		if len(data) == 0 {
			return
		}
		// It is no error if the process does not read its input.
		_, _ = to.Write(data)
		p.out.Send(message.Frame{Kind: message.FrameInputRead, Number: uint32(rank)})
	}
}

// queueInput queues a piece of input. It returns false if the launcher sends more than it may.
func (p *proxy) queueInput(data []byte) bool {
	if p.input == nil {
		return true // the rank could not be started
	}
	select {
	case p.input <- data:
		return true
	default:
		return false
	}
}
