package message

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Frame is a message between a launcher and its proxy on another host. Frames travel through
// the standard input and output of the remote shell. The layout of a frame is:
//
//	byte 0      kind
//	bytes 1-4   number, little-endian: a rank of the job, a signal, or that of a question
//	bytes 5-8   length of the payload, little-endian
//	bytes 9-    payload
//	last byte   a newline, since srun passes the output of a program on by lines
type Frame struct {
	Kind    byte
	Number  uint32
	Payload []byte
}

// The kinds of frames.
const (
	FrameJob       = 'J' // to the proxy: its job, a ProxyJob in JSON
	FrameStdin     = 'I' // to the proxy: input of a rank; empty = its end
	FrameSignal    = 'S' // to the proxy: pass on a signal
	FrameStarted   = 'P' // from the proxy: a ProxyStart in JSON
	FrameStdout    = 'O' // from the proxy: output of a rank; empty = its end
	FrameStderr    = 'E'
	FrameEnded     = 'Z' // from the proxy: a Status in JSON
	FrameFailed    = 'F' // from the proxy: why it cannot start the rank
	FrameInputRead = 'R' // from the proxy: a FrameStdin has been passed on
	FrameKept      = 'K' // from a token holder: the token is in the run's directory on its host
	FrameSurvey    = 'Q' // to the proxy: asks for the states of the ranks; the answer has the same number
	FrameCount     = 'C' // to the proxy: as FrameSurvey, and asks for the tables of transfers
	FrameReading   = 'A' // from the proxy: a survey.Reading in JSON
	FrameTraffic   = 'T' // from the proxy, before its answer to FrameCount and when its ranks have ended: a traffic.Snapshot in JSON; the number is the member
	frameHeaderLen = 9
)

// maxFramePayload bounds what a receiver allocates for one frame, maxAtOnce what it
// allocates before the payload comes.
const (
	maxFramePayload = 16 << 20
	maxAtOnce       = 64 << 10
)

// MaxInputFrames is how many frames of standard input may be on their way: the launcher has sent
// them, and the proxy has not sent a FrameInputRead for them. So the proxy can read signals and
// the end of the launcher while the rank does not read its input.
const MaxInputFrames = 8

// ProxyGreeting is the first line of a proxy. The launcher skips output of a remote login before it.
const ProxyGreeting = "goacp-proxy 6"

// maxBanner is how much a remote login may print before the proxy's greeting.
const maxBanner = 1 << 20

// ErrFrame: the other side does not send frames of this version.
var ErrFrame = errors.New("malformed frame")

// WriteFrame writes one frame by one call of Write. It writes nothing if the frame is longer than a receiver takes.
func WriteFrame(w io.Writer, f Frame) error {
	if len(f.Payload) > maxFramePayload {
		return tooLong(len(f.Payload))
	}
	buf := make([]byte, frameHeaderLen, frameHeaderLen+len(f.Payload)+1)
	buf[0] = f.Kind
	binary.LittleEndian.PutUint32(buf[1:], f.Number)
	binary.LittleEndian.PutUint32(buf[5:], uint32(len(f.Payload)))
	_, err := w.Write(append(append(buf, f.Payload...), '\n'))
	return err
}

// ReadFrame reads one frame. The error io.EOF means that the stream has ended between two
// frames.
func ReadFrame(r io.Reader) (Frame, error) {
	var head [frameHeaderLen]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Frame{}, err
	}
	n := binary.LittleEndian.Uint32(head[5:])
	if n > maxFramePayload {
		return Frame{}, tooLong(int(n))
	}
	f := Frame{Kind: head[0], Number: binary.LittleEndian.Uint32(head[1:])}
	var err error
	if n <= maxAtOnce {
		f.Payload = make([]byte, n)
		_, err = io.ReadFull(r, f.Payload)
	} else {
		// The buffer grows with the bytes that arrive, not with the length that was announced.
		var payload bytes.Buffer
		_, err = io.CopyN(&payload, r, int64(n))
		f.Payload = payload.Bytes()
	}
	var last [1]byte
	if err == nil {
		_, err = io.ReadFull(r, last[:])
	}
	switch {
	case err != nil:
		return Frame{}, fmt.Errorf("%w: %w", ErrFrame, io.ErrUnexpectedEOF)
	case last[0] != '\n':
		return Frame{}, fmt.Errorf("%w: no newline at its end", ErrFrame)
	}
	return f, nil
}

// tooLong is the error of a frame whose payload has n bytes.
func tooLong(n int) error {
	return fmt.Errorf("%w: payload of %d bytes, at most %d are allowed", ErrFrame, n, maxFramePayload)
}

// AwaitGreeting reads up to and including the proxy's greeting. It blocks until the greeting
// comes or the stream ends.
func AwaitGreeting(r *bufio.Reader) error {
	begins := true // the next bytes begin a line
	for read := 0; read < maxBanner; {
		line, err := r.ReadSlice('\n')
		if begins && string(line) == ProxyGreeting+"\n" {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		begins = err == nil
		read += len(line)
	}
	return fmt.Errorf("%w: more than %d bytes before the greeting", ErrFrame, maxBanner)
}

// FrameWriter writes frames. It is safe for concurrent use.
type FrameWriter struct {
	sending atomic.Int64 // calls of Send that have not returned

	mu sync.Mutex
	w  io.Writer
}

// NewFrameWriter returns a writer of frames to w.
func NewFrameWriter(w io.Writer) *FrameWriter { return &FrameWriter{w: w} }

// Send writes a frame. It ignores errors: if the launcher has been killed, the input of the proxy ends as
// well, and the proxy handles that.
func (w *FrameWriter) Send(f Frame) {
	w.sending.Add(1)
	defer w.sending.Add(-1)
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = WriteFrame(w.w, f)
}

// Sending reports whether a frame is being sent.
func (w *FrameWriter) Sending() bool { return w.sending.Load() > 0 }
