package stdio

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// Sink writes the lines of several forwarders to one output. It writes whole lines, so
// that the output of two processes never mixes within a line. A line that is passed on in
// parts stands on several lines if other output comes between the parts. Safe for concurrent
// use.
type Sink struct {
	held    atomic.Int64 // bytes that the forwarders hold back
	writing atomic.Int64 // calls of write that have not returned

	mu   sync.Mutex
	w    io.Writer
	last *LineForwarder // whose unterminated line stands at the end of the output; nil after a newline
	err  error          // first error of w; nothing is written after it

	Failed func(error) // called once, with the first error; nil = no call
}

func newSink(w io.Writer) *Sink { return &Sink{w: w} }

// newSinks returns the sinks for standard output and standard error. If both are the same
// file, they share one sink.
func newSinks(stdout, stderr *os.File) (out, err *Sink) {
	out = newSink(stdout)
	if sameFile(stdout, stderr) {
		return out, out
	}
	return out, newSink(stderr)
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

// write writes text of the forwarder r, which consists of chunks: complete lines, and perhaps
// the begin of a line that r continues later. If the output ends with an unterminated line of
// another forwarder, the text begins a new line. again is the prefix of text that continues a
// line but does not stand behind the part before it; "" if the text begins a line.
func (s *Sink) write(r *LineForwarder, again string, chunks ...[]byte) error {
	s.writing.Add(1)
	defer s.writing.Add(-1)
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

// out writes text. It does nothing if writing has failed before.
func (s *Sink) out(text []byte) {
	if s.err != nil || len(text) == 0 {
		return
	}
	if _, s.err = s.w.Write(text); s.err != nil && s.Failed != nil {
		s.Failed(s.err)
	}
}

// message writes one line of the launcher itself.
func (s *Sink) message(line string) error { return s.write(nil, "", append([]byte(line), '\n')) }
