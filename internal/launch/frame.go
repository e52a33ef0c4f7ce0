package launch

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A launcher and its proxy on another host talk in frames through the remote
// shell's standard input and output:
//
//	byte 0      kind
//	bytes 1-4   number, little-endian: a rank of the job, or a signal
//	bytes 5-8   length of the payload, little-endian
//	bytes 9-    payload
type frame struct {
	kind    byte
	number  uint32
	payload []byte
}

// The kinds of frames.
const (
	frameJob       = 'J' // to the proxy: what to start, a proxyJob in JSON
	frameStdin     = 'I' // to the proxy: input of a rank; empty = its end
	frameSignal    = 'S' // to the proxy: pass on a signal
	frameStarted   = 'P' // from the proxy: a proxyStart in JSON
	frameStdout    = 'O' // from the proxy: output of a rank; empty = its end
	frameStderr    = 'E'
	frameEnded     = 'Z' // from the proxy: a Status in JSON
	frameFailed    = 'F' // from the proxy: why it cannot start the rank
	frameKept      = 'K' // from the proxy: the run's directory exists on its host
	frameHeaderLen = 9
)

// maxFramePayload bounds what a receiver allocates for one frame, maxAtOnce what it
// allocates before the payload comes.
const (
	maxFramePayload = 16 << 20
	maxAtOnce       = 64 << 10
)

// proxyGreeting is the line with which a proxy begins; whatever a remote login
// prints before it is skipped.
const proxyGreeting = "goacp-proxy 1"

// maxBanner is how much a remote login may print before the proxy's greeting.
const maxBanner = 1 << 20

var errFrame = errors.New("malformed frame")

// writeFrame writes one frame in one piece.
func writeFrame(w io.Writer, f frame) error {
	buf := make([]byte, frameHeaderLen, frameHeaderLen+len(f.payload))
	buf[0] = f.kind
	binary.LittleEndian.PutUint32(buf[1:], f.number)
	binary.LittleEndian.PutUint32(buf[5:], uint32(len(f.payload)))
	_, err := w.Write(append(buf, f.payload...))
	return err
}

// readFrame reads one frame; io.EOF means that the stream ended between two.
func readFrame(r io.Reader) (frame, error) {
	var head [frameHeaderLen]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	n := binary.LittleEndian.Uint32(head[5:])
	if n > maxFramePayload {
		return frame{}, fmt.Errorf("%w: payload of %d bytes, at most %d are allowed", errFrame, n, maxFramePayload)
	}
	f := frame{kind: head[0], number: binary.LittleEndian.Uint32(head[1:])}
	var err error
	if n <= maxAtOnce {
		f.payload = make([]byte, n)
		_, err = io.ReadFull(r, f.payload)
	} else {
		// Memory grows with what has come, not with what was announced.
		var payload bytes.Buffer
		_, err = io.CopyN(&payload, r, int64(n))
		f.payload = payload.Bytes()
	}
	if err != nil {
		return frame{}, fmt.Errorf("%w: %w", errFrame, io.ErrUnexpectedEOF)
	}
	return f, nil
}

// awaitGreeting skips everything up to and including the proxy's greeting.
func awaitGreeting(r *bufio.Reader) error {
	begins := true // line begins a line, and does not go on with one
	for read := 0; read < maxBanner; {
		line, err := r.ReadSlice('\n')
		if begins && string(line) == proxyGreeting+"\n" {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		begins = err == nil
		read += len(line)
	}
	return fmt.Errorf("%w: more than %d bytes before the greeting", errFrame, maxBanner)
}
