package launch

import (
	"bytes"
	"io"
	"os"
	"sync"
	"syscall"
)

// maxLine is how much of a line is kept together. A longer line is passed on in
// pieces of this size, between which others may write.
const maxLine = 64 << 20

// lineSink is the writing end of several relays: it writes whole lines, so that
// the output of two processes never mixes within a line.
type lineSink struct {
	mu   sync.Mutex
	w    io.Writer
	last *lineRelay // whose unterminated line stands at the end of the output; nil after a newline
	err  error      // first error of w; nothing is written after it

	failed func() // called once after the first error; nil = not
}

func newLineSink(w io.Writer) *lineSink { return &lineSink{w: w} }

// newSinks returns the sinks for standard output and standard error. If both
// are the same file they share one sink, since their lines meet there.
func newSinks(stdout, stderr *os.File) (out, err *lineSink) {
	out = newLineSink(stdout)
	if sameFile(stdout, stderr) {
		return out, out
	}
	return out, newLineSink(stderr)
}

func sameFile(a, b *os.File) bool {
	infoA, errA := a.Stat()
	infoB, errB := b.Stat()
	if errA != nil || errB != nil {
		return false
	}
	statA, okA := infoA.Sys().(*syscall.Stat_t)
	statB, okB := infoB.Sys().(*syscall.Stat_t)
	return okA && okB && statA.Dev == statB.Dev && statA.Ino == statB.Ino
}

// write passes on text of relay r: complete lines or, if partial, the end of
// what r has. Text after somebody else's unterminated line begins a new line.
func (s *lineSink) write(r *lineRelay, text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || len(text) == 0 {
		return s.err
	}
	if s.last != nil && s.last != r {
		text = append([]byte{'\n'}, text...)
	}
	if _, s.err = s.w.Write(text); s.err != nil && s.failed != nil {
		s.failed()
	}
	s.last = nil
	if text[len(text)-1] != '\n' {
		s.last = r
	}
	return s.err
}

// message writes one line of the launcher itself.
func (s *lineSink) message(line string) error { return s.write(nil, append([]byte(line), '\n')) }

// lineRelay cuts a stream of one process into lines and hands them to a sink.
type lineRelay struct {
	sink *lineSink
	tag  func(line []byte) []byte // rewrites one line, given without its newline; nil = as it is
	see  func(line []byte)        // looks at each line, given without its newline; nil = nobody does
	held []byte                   // a line whose end has not come yet
}

// Write takes the next bytes of the stream. Errors are those of the sink; the
// bytes are taken all the same, because a process must not be stopped by an
// output that nobody reads any more. Not for concurrent use.
func (r *lineRelay) Write(p []byte) (int, error) {
	end := bytes.LastIndexByte(p, '\n')
	if end < 0 {
		r.held = append(r.held, p...)
		if len(r.held) < maxLine {
			return len(p), nil
		}
		err := r.emit(r.held)
		r.held = nil
		return len(p), err
	}
	err := r.emit(append(r.held, p[:end+1]...))
	r.held = append(r.held[:0], p[end+1:]...)
	if cap(r.held) > 1<<20 && len(r.held) < 1<<16 {
		r.held = bytes.Clone(r.held)
	}
	return len(p), err
}

// close passes on a last line without newline.
func (r *lineRelay) close() error {
	err := r.emit(r.held)
	r.held = nil
	return err
}

// emit hands lines to the sink, with tags if there are any.
func (r *lineRelay) emit(text []byte) error {
	if r.see == nil && r.tag == nil || len(text) == 0 {
		return r.sink.write(r, text)
	}
	var tagged []byte
	for len(text) > 0 {
		line, rest, complete := bytes.Cut(text, []byte{'\n'})
		if r.see != nil {
			r.see(line)
		}
		if r.tag != nil {
			line = r.tag(line)
		}
		tagged = append(tagged, line...)
		if complete {
			tagged = append(tagged, '\n')
		}
		text = rest
	}
	return r.sink.write(r, tagged)
}

// copyFrom relays src until it ends. Errors of the sink do not end it.
func (r *lineRelay) copyFrom(src io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := src.Read(buf)
		// What cannot be written is dropped: the sink remembers the error.
		_, _ = r.Write(buf[:n])
		if err != nil {
			_ = r.close()
			return
		}
	}
}
