package pmix

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// watch waits for the end of the launcher. libpmix signals it by an eventfd: more than one event is harmless
// there, while a write to a pipe without a reader ends a process by SIGPIPE.
type watch struct {
	lost       chan struct{} // closed when the launcher has ended
	descriptor int           // of events
	events     *os.File
}

// newWatch returns a watch that lasts until stop.
func newWatch() (*watch, error) {
	descriptor, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("PMIx: eventfd: %w", err)
	}
	w := &watch{lost: make(chan struct{}), descriptor: descriptor, events: os.NewFile(uintptr(descriptor), "eventfd")}
	go func() {
		if n, _ := w.events.Read(make([]byte, 8)); n > 0 {
			close(w.lost)
		}
	}()
	return w, nil
}

// stop ends the watch. libpmix does not write any more.
func (w *watch) stop() { w.events.Close() }
