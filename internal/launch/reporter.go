package launch

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/goacp/goacp/internal/envvar"
	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// rankNote is one line from acprun to the macprun above it: a process has
// started or ended.
type rankNote struct {
	Rank  int          `json:"rank"` // number in the job
	PID   int          `json:"pid,omitempty"`
	Host  string       `json:"host,omitempty"`
	Ended *exit.Status `json:"ended,omitempty"`

	// Failure says why the job as a whole fails, with the exit status for it.
	Failure string `json:"failure,omitempty"`
	Status  int    `json:"status,omitempty"`
}

// reporter writes notes to macprun.
type reporter struct{ pipe *os.File }

// newReporter opens the pipe whose number the environment tells; nil without it.
// The processes of acprun don't inherit it.
func newReporter(environ []string) (*reporter, error) {
	text, set := envvar.Lookup(environ, envvar.Report)
	if !set {
		return nil, nil
	}
	fd, err := strconv.Atoi(text)
	if err != nil || fd < 3 {
		return nil, fmt.Errorf("environment: %s=%q: expected the number of an open pipe", envvar.Report, text)
	}
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil || info.Mode&unix.S_IFMT != unix.S_IFIFO {
		return nil, fmt.Errorf("environment: %s=%q: this is no pipe; was it closed by a redirection?", envvar.Report, text)
	}
	unix.CloseOnExec(fd)
	return &reporter{os.NewFile(uintptr(fd), "report")}, nil
}

// tell writes one note. macprun may be gone; then this process is about to end too.
func (t *reporter) tell(n rankNote) {
	if t == nil {
		return
	}
	if line, err := json.Marshal(n); err == nil {
		_, _ = t.pipe.Write(append(line, '\n'))
	}
}
