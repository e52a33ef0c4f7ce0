package survey

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/goacp/goacp/internal/ground/activity"
)

// Find returns all runs of this user: those from the launchers at sockets, and those of processes of this
// host, named host, that belong to none of these launchers. The error names the launchers that have not
// answered.
func Find(sockets []string, host string) ([]Run, error) {
	var runs []Run
	var failed error
	known := map[activity.Run]bool{}
	for _, path := range sockets {
		var r Run
		if err := Ask(path, &r); err != nil {
			failed = errors.Join(failed, fmt.Errorf("the launcher of %s does not answer: %w", filepath.Base(filepath.Dir(path)), err))
			continue
		}
		known[r.Identity] = true
		runs = append(runs, r)
	}
	h := NewHost()
	defer h.Close()
	here, err := h.Look()
	return append(runs, WithoutLauncher(host, here, known)...), errors.Join(failed, err)
}
