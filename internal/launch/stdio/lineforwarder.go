package stdio

import (
	"bytes"
	"errors"
	"io"
)

// Forwarders hold back lines whose ends have not come. These are the bounds, in bytes.
const (
	// maxLine is how much of one line a forwarder holds. It passes a longer line on in parts.
	maxLine = 4 << 20
	// maxHeld is how much all forwarders of a sink hold together. Beyond it they pass lines
	// on in parts, however short the lines are.
	maxHeld = 64 << 20
	// maxCopy is the largest begin of a line that a forwarder copies to join it to the rest.
	// It is longer than any tag of a launcher.
	maxCopy = 64 << 10
)

// LineForwarder cuts a stream of one process into lines and passes them to a sink. Not for
// concurrent use.
type LineForwarder struct {
	Sink *Sink
	// Tag returns the prefix of a line, and the part of the line to write. It gets the line without its
	// newline. nil = the line as it is.
	Tag  func(line []byte) (prefix string, rest []byte)
	See  func(line []byte) // is called with each line, without its newline; nil = no call
	held []byte            // a line whose end has not come yet, or the next part of it

	open   bool   // a part of the line has been passed on
	prefix string // of the line
}

// Write takes the next bytes of the stream. Errors are those of the sink. Write takes the bytes even after an
// error: a process must not stop because nothing reads its output any more.
func (r *LineForwarder) Write(p []byte) (int, error) {
	n := len(p)
	var err error
	if end := bytes.LastIndexByte(p, '\n'); end >= 0 {
		err = r.pass(p[:end+1])
		p = p[end+1:]
	}
	if len(p) == 0 {
		return n, err
	}
	if len(r.held)+len(p) > maxLine || r.Sink.held.Load()+int64(len(p)) > maxHeld {
		return n, errors.Join(err, r.pass(p))
	}
	r.Sink.held.Add(int64(len(p)))
	r.held = append(r.held, p...)
	return n, err
}

// Close passes on a last line that has no newline.
func (r *LineForwarder) Close() error { return r.pass(nil) }

// pass passes the held bytes, followed by p, to the sink.
func (r *LineForwarder) pass(p []byte) error {
	held, again := r.held, ""
	if len(held)+len(p) == 0 {
		return nil
	}
	if r.open {
		again = r.prefix
	}
	r.Sink.held.Add(-int64(len(held)))
	// Drop the buffer of a long line.
	if r.held = held[:0]; cap(held) > maxCopy {
		r.held = nil
	}
	if len(held) <= maxCopy {
		return r.Sink.write(r, again, r.tagged(append(held, p...)))
	}
	prefix, rest := r.begin(held)
	end := bytes.IndexByte(p, '\n') + 1
	if end == 0 {
		end = len(p)
	}
	r.open = end == 0 || p[end-1] != '\n'
	chunks := [][]byte{[]byte(prefix), rest}
	if end > 0 {
		chunks = append(chunks, p[:end])
	}
	if end < len(p) {
		chunks = append(chunks, r.tagged(p[end:]))
	}
	return r.Sink.write(r, again, chunks...)
}

// begin calls see and tag with the begin of a line. It does nothing if line is a further part
// of the line before.
func (r *LineForwarder) begin(line []byte) (prefix string, rest []byte) {
	if r.open {
		return "", line
	}
	r.prefix = ""
	if r.See != nil {
		r.See(line)
	}
	if r.Tag != nil {
		r.prefix, line = r.Tag(line)
	}
	return r.prefix, line
}

// tagged returns text with the tags before its lines.
func (r *LineForwarder) tagged(text []byte) []byte {
	if r.See == nil && r.Tag == nil {
		r.open = text[len(text)-1] != '\n'
		return text
	}
	var tagged []byte
	for len(text) > 0 {
		line, next, complete := bytes.Cut(text, []byte{'\n'})
		prefix, rest := r.begin(line)
		tagged = append(append(tagged, prefix...), rest...)
		if complete {
			tagged = append(tagged, '\n')
		}
		r.open = !complete
		text = next
	}
	return tagged
}

// copyFrom passes on what src has until src ends. It drops bytes that the sink cannot write, because the sink
// keeps the error.
func (r *LineForwarder) copyFrom(src io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := src.Read(buf)
		_, _ = r.Write(buf[:n])
		if err != nil {
			_ = r.Close()
			return
		}
	}
}
