package launch

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// Bounds of what is held back of lines whose ends have not come.
const (
	// maxLine is how much of a line is kept together, in bytes. A longer one is passed
	// on in parts.
	maxLine = 4 << 20
	// maxHeld is how much all streams of a sink hold together. Beyond that lines are
	// passed on in parts, however short they are.
	maxHeld = 64 << 20
	// maxCopy is up to which length the begin of a line is copied to join it to the
	// rest. It is more than any tag of a launcher.
	maxCopy = 64 << 10
)

// lineSink is the writing end of several relays: it writes whole lines, so that
// the output of two processes never mixes within a line. Parts of long lines stand on
// lines of their own if anything else came between them.
type lineSink struct {
	held atomic.Int64 // bytes that the relays hold back

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

// write passes on text of relay r in chunks: complete lines, and perhaps the begin of
// one that r will go on with. Text after another relay's unterminated line begins a new
// line. again is what a part of a line begins with if it does not stand behind the part
// before it; "" for the begin of a line.
func (s *lineSink) write(r *lineRelay, again string, chunks ...[]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != r {
		chunks = append([][]byte{[]byte(again)}, chunks...)
		if s.last != nil {
			chunks = append([][]byte{{'\n'}}, chunks...)
		}
	}
	var text []byte
	for _, chunk := range chunks {
		if len(text)+len(chunk) <= 2*maxCopy {
			text = append(text, chunk...)
			continue
		}
		s.out(text)
		s.out(chunk)
		text = nil
	}
	s.out(text)
	s.last = nil
	if last := chunks[len(chunks)-1]; len(last) > 0 && last[len(last)-1] != '\n' {
		s.last = r
	}
	return s.err
}

// out writes text, unless writing has failed before.
func (s *lineSink) out(text []byte) {
	if s.err != nil || len(text) == 0 {
		return
	}
	if _, s.err = s.w.Write(text); s.err != nil && s.failed != nil {
		s.failed()
	}
}

// message writes one line of the launcher itself.
func (s *lineSink) message(line string) error { return s.write(nil, "", append([]byte(line), '\n')) }

// lineRelay cuts a stream of one process into lines and hands them to a sink.
type lineRelay struct {
	sink *lineSink
	// tag returns what to write before a line, and what to write of it, given without
	// its newline; nil = the line as it is.
	tag  func(line []byte) (prefix string, rest []byte)
	see  func(line []byte) // looks at each line, given without its newline; nil = none does
	held []byte            // a line whose end has not come yet, or the next part of one

	open   bool   // a part of the line has been passed on
	prefix string // what was written before it
}

// Write takes the next bytes of the stream. Errors are those of the sink; the
// bytes are taken all the same, because a process must not be stopped by an
// output that nothing reads any more. Not for concurrent use.
func (r *lineRelay) Write(p []byte) (int, error) {
	n := len(p)
	var err error
	if end := bytes.LastIndexByte(p, '\n'); end >= 0 {
		err = r.pass(p[:end+1])
		p = p[end+1:]
	}
	if len(p) == 0 {
		return n, err
	}
	if len(r.held)+len(p) > maxLine || r.sink.held.Load()+int64(len(p)) > maxHeld {
		return n, errors.Join(err, r.pass(p))
	}
	r.sink.held.Add(int64(len(p)))
	r.held = append(r.held, p...)
	return n, err
}

// close passes on a last line without newline.
func (r *lineRelay) close() error { return r.pass(nil) }

// pass hands what is held, followed by p, to the sink.
func (r *lineRelay) pass(p []byte) error {
	held, again := r.held, ""
	if len(held)+len(p) == 0 {
		return nil
	}
	if r.open {
		again = r.prefix
	}
	r.sink.held.Add(-int64(len(held)))
	// The buffer of a long line is given back.
	if r.held = held[:0]; cap(held) > maxCopy {
		r.held = nil
	}
	if len(held) <= maxCopy {
		return r.sink.write(r, again, r.tagged(append(held, p...)))
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
	return r.sink.write(r, again, chunks...)
}

// begin passes the begin of a line to see and makes its tag, unless it is a further part
// of the line before.
func (r *lineRelay) begin(line []byte) (prefix string, rest []byte) {
	if r.open {
		return "", line
	}
	r.prefix = ""
	if r.see != nil {
		r.see(line)
	}
	if r.tag != nil {
		r.prefix, line = r.tag(line)
	}
	return r.prefix, line
}

// tagged puts the tags before the lines of text.
func (r *lineRelay) tagged(text []byte) []byte {
	if r.see == nil && r.tag == nil {
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
