package remote

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/stdio"
)

// lastFramesLimit is how long the end of a remote shell waits for the frames that its proxy has
// sent before. If the shell has ended with status 0, the proxy has ended in order, and the limit is stdio.OutputLimit: on
// a busy machine the frames may stay in the pipe for longer.
const lastFramesLimit = 250 * time.Millisecond

// client is the launcher's side of one proxy.
type client struct {
	hosts *Hosts
	host  string
	job   string           // of Slurm to which the host belongs; "" = that around the launcher, or none
	shell string           // name of the remote shell, for messages
	argv  []string         // of the remote shell
	id    process.Identity // of the remote shell

	to          chan message.Frame // frames with jobs and signals
	input       chan message.Frame // standard input, which may arrive faster than the proxy accepts it
	free        chan struct{}      // an element for each frame of input that may be sent
	quit        chan struct{}      // closed when the launcher closes the proxy
	once        sync.Once
	outputEnded chan struct{} // closed when the output of the proxy has ended
	taking      atomic.Bool   // a frame of the proxy is being handled, which blocks while the reader of the output pauses
	sign        chan struct{} // closed when the proxy has greeted the launcher

	closed time.Time // when the launcher has closed the proxy; for the goroutine of the run only

	questions questions

	// The remains of a killed proxy on its host. For the goroutine of the run only.
	dir    string // its private directory; "" = not known
	killed bool   // the remote shell has ended before the launcher closed it
	token  string // of the run

	// Of a proxy that starts ranks.
	ranks      []int
	events     RankEvents
	forwarders map[byte]map[int]*stdio.LineForwarder // by kind of frame and rank
	ended      map[int]bool                          // ranks; for the goroutine of the run only

	// Of a token holder.
	lost     func(host, remoteShell string, status exit.Status)
	answer   chan error // gets nil when the token is in its place, otherwise an error
	answered bool       // for the goroutine that reads from the proxy only
}

// newClient returns a client for a proxy that has not been started. ranks is nil for a token
// holder.
func (h *Hosts) newClient(host string, ranks []int) *client {
	c := &client{hosts: h, host: host, ranks: ranks, to: make(chan message.Frame, 64), input: make(chan message.Frame),
		free: make(chan struct{}, message.MaxInputFrames), quit: make(chan struct{}), outputEnded: make(chan struct{}), sign: make(chan struct{}),
		answer: make(chan error, 1), ended: map[int]bool{}}
	for range message.MaxInputFrames {
		c.free <- struct{}{}
	}
	return c
}

// send queues a frame. It does not block: if the proxy takes no frames and the queue is full,
// the frame is lost.
func (c *client) send(f message.Frame) {
	select {
	case c.to <- f:
	case <-c.quit:
	default:
	}
}

// close ends the proxy's input. The proxy then ends its processes and itself.
func (c *client) close() { c.once.Do(func() { close(c.quit) }) }

// describe sends the proxy its job, which may not have been started yet. It fails if the job is too long.
func (c *client) describe(job message.ProxyJob) error {
	f, err := message.JobFrame(job)
	if err != nil {
		return fmt.Errorf("host %s: %w", c.host, err)
	}
	c.send(f)
	return nil
}

// write writes frames to the proxy until the launcher closes it. If the proxy is stopped, write
// waits.
func (c *client) write(to *os.File) {
	defer to.Close()
	for {
		f, ok := c.next()
		if !ok || message.WriteFrame(to, f) != nil {
			return
		}
	}
}

// next returns the next frame for the proxy. It takes input last, so that input follows the
// job. ok is false if the launcher has closed the proxy.
func (c *client) next() (f message.Frame, ok bool) {
	select {
	case f = <-c.to:
		return f, true
	default:
	}
	select {
	case f = <-c.to:
		return f, true
	case f = <-c.input:
		return f, true
	case <-c.quit:
		return f, false
	}
}

// passInput sends a frame of standard input. It blocks while MaxInputFrames are on their way,
// and returns false if the launcher closes the proxy.
func (c *client) passInput(f message.Frame) bool {
	select {
	case <-c.free:
	case <-c.quit:
		return false
	}
	select {
	case c.input <- f:
		return true
	case <-c.quit:
		return false
	}
}

// sendInput sends standard input to the proxy.
func (c *client) sendInput(input *os.File) {
	defer input.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := input.Read(buf)
		if n > 0 && !c.passInput(message.Frame{Kind: message.FrameStdin, Payload: slices.Clone(buf[:n])}) {
			return
		}
		if err != nil {
			c.passInput(message.Frame{Kind: message.FrameStdin})
			return
		}
	}
}

// read takes the frames of the proxy until it ends.
func (c *client) read(from *os.File) {
	defer close(c.outputEnded)
	defer from.Close()
	reader := bufio.NewReader(from)
	err := message.AwaitGreeting(reader)
	if err == nil {
		close(c.sign)
	}
	for err == nil {
		var f message.Frame
		if f, err = message.ReadFrame(reader); err == nil {
			c.taking.Store(true)
			err = c.take(f)
			c.taking.Store(false)
		}
	}
	for _, byRank := range c.forwarders {
		for _, forwarder := range byRank {
			_ = forwarder.Close()
		}
	}
	if err != io.EOF {
		// A frame is malformed. The launcher reads no more, so the proxy must end.
		c.close()
	}
}

// take handles one frame of the proxy.
func (c *client) take(f message.Frame) error {
	rank := int(f.Number)
	if f.Kind == message.FrameReading {
		return c.questions.answered(f)
	}
	if f.Kind == message.FrameTraffic {
		return c.transferred(f)
	}
	if c.ranks == nil {
		return c.tokenAnswer(f)
	}
	if !slices.Contains(c.ranks, rank) {
		return fmt.Errorf("%w: rank %d does not run on host %s", message.ErrFrame, rank, c.host)
	}
	switch f.Kind {
	case message.FrameStdout, message.FrameStderr:
		forwarder := c.forwarders[f.Kind][rank]
		if len(f.Payload) == 0 {
			_ = forwarder.Close()
		} else {
			_, _ = forwarder.Write(f.Payload)
		}
	case message.FrameInputRead:
		select {
		case c.free <- struct{}{}:
		default:
			return fmt.Errorf("%w: more input was read than sent", message.ErrFrame)
		}
	case message.FrameStarted:
		start, err := message.DecodeStart(f.Payload)
		if err != nil {
			return err
		}
		debuglog.Remote.Printf("host %s has started rank %d of the job: pid %d", start.Host, rank, start.PID)
		c.hosts.Post(func() {
			c.dir = start.Dir
			c.events.RankStarted(rank, start.PID, start.Host)
		})
	case message.FrameEnded:
		status, err := message.DecodeStatus(f.Payload)
		if err != nil {
			return err
		}
		c.hosts.Post(func() { c.rankEnded(rank, status) })
	case message.FrameFailed:
		reason := message.OneLine(string(f.Payload))
		debuglog.Remote.Printf("host %s cannot start rank %d of the job: %s", c.host, rank, reason)
		c.hosts.Post(func() {
			c.events.RankFailed(rank, c.host, reason)
			c.rankEnded(rank, exit.Status{Code: exit.Failure})
		})
	default:
		return fmt.Errorf("%w: kind %q", message.ErrFrame, f.Kind)
	}
	return nil
}

// rankEnded handles the end of a rank.
func (c *client) rankEnded(rank int, status exit.Status) {
	c.ended[rank] = true
	c.events.RankEnded(rank, status)
}

// shellEnded handles the end of the remote shell. If ranks have not ended, the host is lost. If the launcher
// has not closed a token holder, its host is lost as well.
func (c *client) shellEnded(status exit.Status) {
	debuglog.Remote.Printf("host %s: %s %v", c.host, c.shell, status)
	if c.ranks == nil {
		c.hosts.Post(func() {
			select {
			case <-c.quit:
			default:
				c.close()
				c.killed = true
				c.lost(c.host, c.shell, status)
			}
		})
		return
	}
	// The last frames of the proxy may still be in the pipe, behind one whose output cannot be written at present.
	limit := lastFramesLimit
	if status.OK() {
		limit = stdio.OutputLimit
	}
	stdio.Await(c.outputEnded, c.taking.Load, limit)
	c.hosts.Post(func() {
		early := !isClosed(c.quit)
		c.close()
		for _, rank := range c.ranks {
			if !c.ended[rank] {
				c.killed = early
				c.events.HostLost(rank, c.host, c.shell, status)
				c.rankEnded(rank, exit.Status{Code: exit.Failure})
			}
		}
	})
}
