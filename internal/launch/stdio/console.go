package stdio

import (
	"fmt"
	"os"
	"sync"
)

// Console is the standard input, output and error of a launcher.
type Console struct {
	Out, Err *Sink // the same sink if both are one file

	name       string // of the launcher
	verbose    bool
	stdin      *os.File
	stdinTaken bool
	forwarding sync.WaitGroup // goroutines that pass output on
	own        lines          // of the launcher itself
}

// NewConsole returns the console of the launcher called name. verbose is the option -verbose.
func NewConsole(name string, verbose bool, stdin, stdout, stderr *os.File) *Console {
	c := &Console{name: name, verbose: verbose, stdin: stdin}
	c.Out, c.Err = newSinks(stdout, stderr)
	return c
}

// Say prints one line of the launcher on standard error, behind the lines of earlier calls. It does not wait until the
// line has been written: while the reader of standard error pauses, a launcher must still react to signals. Safe for
// concurrent use.
func (c *Console) Say(format string, args ...any) {
	line := c.name + ": " + fmt.Sprintf(format, args...)
	c.own.add(func() {
		// If standard error is closed, the line is lost.
		_ = c.Err.message(line)
	})
}

// Said returns a channel that is closed when the lines of all calls of Say have been written.
func (c *Console) Said() <-chan struct{} {
	said := make(chan struct{})
	c.own.add(func() { close(said) })
	return said
}

// Verbose writes one line of the launcher if the user has asked for it by -verbose. Safe for
// concurrent use.
func (c *Console) Verbose(format string, args ...any) {
	if c.verbose {
		c.Say(format, args...)
	}
}

// ChildFiles are the standard input, output and error of a child.
type ChildFiles []*os.File

// Close closes the files. The child has its own.
func (f ChildFiles) Close() {
	for _, file := range f {
		file.Close()
	}
}

// ChildFiles returns the standard files of a child. It gets the input of the launcher if it is the first
// child of the run. forwarder returns the line forwarder of its output, for each sink. done, which may be
// nil, counts until the output has ended. The caller closes the files when it has started the child.
func (c *Console) ChildFiles(first bool, forwarder func(*Sink) *LineForwarder, done *sync.WaitGroup) (ChildFiles, error) {
	stdin, err := c.ChildStdin(first)
	if err != nil {
		return nil, err
	}
	files := ChildFiles{stdin}
	for _, sink := range []*Sink{c.Out, c.Err} {
		out, err := c.Pipe(forwarder(sink), done)
		if err != nil {
			files.Close()
			return nil, err
		}
		files = append(files, out)
	}
	return files, nil
}

// Pipe returns the writing end of a pipe for the output of a child. The output of the child goes through
// forwarder. The caller closes the file when it has started the child. done, which may be nil, counts until
// the output has ended.
func (c *Console) Pipe(forwarder *LineForwarder, done *sync.WaitGroup) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if done != nil {
		done.Add(1)
	}
	c.Go(func() {
		if done != nil {
			defer done.Done()
		}
		defer read.Close()
		forwarder.copyFrom(read)
	})
	return write, nil
}

// Go calls f, which passes output on, on a goroutine for which [Console.Passed] waits.
func (c *Console) Go(f func()) { c.forwarding.Go(f) }

// Passed returns a channel that is closed when all output has been passed on. Processes that have left the run may
// keep their output open; the channel is closed when nothing has been written for OutputLimit in total. While a write
// blocks, because the reader of the launcher's output pauses, that limit does not count.
func (c *Console) Passed() <-chan struct{} {
	all, passed := make(chan struct{}), make(chan struct{})
	go func() {
		c.forwarding.Wait()
		close(all)
	}()
	go func() {
		Await(all, func() bool { return c.Out.writing.Load() > 0 || c.Err.writing.Load() > 0 }, OutputLimit)
		close(passed)
	}()
	return passed
}

// TakeStdin records that the launcher has read standard input itself. Then no process gets it.
func (c *Console) TakeStdin() { c.stdinTaken = true }

// StdinTaken reports whether the launcher has read standard input itself.
func (c *Console) StdinTaken() bool { return c.stdinTaken }

// ChildStdin returns the standard input of a child. It is empty unless the child is the first
// of the run and the launcher has not read standard input itself. The caller closes the file
// when it has started the child.
func (c *Console) ChildStdin(first bool) (*os.File, error) {
	if !first || c.stdinTaken {
		return os.Open(os.DevNull)
	}
	return childStdin(c.stdin)
}
