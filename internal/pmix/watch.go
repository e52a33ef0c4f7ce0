package pmix

import "os"

// watch waits for the news that the launcher has ended. libpmix tells it by a byte in a pipe.
type watch struct {
	lost chan struct{} // closed by then
	tell *os.File
}

// newWatch returns a watch that lasts until stop.
func newWatch() (*watch, error) {
	news, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	w := &watch{lost: make(chan struct{}), tell: tell}
	go func() {
		defer news.Close()
		if n, _ := news.Read(make([]byte, 1)); n > 0 {
			close(w.lost)
		}
	}()
	return w, nil
}

// stop ends the watch. libpmix does not write any more.
func (w *watch) stop() { w.tell.Close() }
