package message

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// RankNote is one line of the report of an acprun to the macprun that has started it: a
// process has started or ended, or the job fails.
type RankNote struct {
	Rank  int          `json:"rank"` // number in the job
	PID   int          `json:"pid,omitempty"`
	Host  string       `json:"host,omitempty"`
	Ended *exit.Status `json:"ended,omitempty"`

	// Failure is the reason why the job fails; "" = it does not. Then Status is the exit status of the run. Unless Alone is
	// set, it fails as a whole.
	Failure string `json:"failure,omitempty"`
	Status  int    `json:"status,omitempty"`
	// Alone: Failure is why the process of Rank has ended or was not started, without its rank, and its status will not be known. The
	// other processes of the job go on unless macprun ends them.
	Alone bool `json:"alone,omitempty"`
}

// Reporter is the end of the pipe to which acprun writes its report.
type Reporter struct{ pipe *os.File }

// NewReporter opens the pipe whose number is in the environment. It returns nil if the
// variable is not set. The processes of acprun do not inherit the pipe.
func NewReporter(environ []string) (*Reporter, error) {
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
	return &Reporter{os.NewFile(uintptr(fd), "report")}, nil
}

// Tell writes one note to the pipe. It does nothing on a nil reporter. It ignores errors: if macprun has been
// killed, this process is about to end too.
func (t *Reporter) Tell(n RankNote) {
	if t == nil {
		return
	}
	if line, err := json.Marshal(n); err == nil {
		_, _ = t.pipe.Write(append(line, '\n'))
	}
}

// decodeNote decodes a line of the report of an acprun whose job has size processes.
func decodeNote(line []byte, size int) (RankNote, error) {
	var n RankNote
	if err := json.Unmarshal(line, &n); err != nil {
		return RankNote{}, fmt.Errorf("%w: %w", errMessage, err)
	}
	if n.Rank < 0 || n.Rank >= size || n.Status < 0 || n.Status > 255 {
		return RankNote{}, fmt.Errorf("%w: rank %d of %d, status %d", errMessage, n.Rank, size, n.Status)
	}
	if n.Failure != "" && n.Status == 0 {
		return RankNote{}, fmt.Errorf("%w: a failure with status 0", errMessage)
	}
	if n.Ended != nil && !n.Ended.Valid() {
		return RankNote{}, fmt.Errorf("%w: status %d, signal %d", errMessage, n.Ended.Code, n.Ended.Signal)
	}
	n.Failure = OneLine(n.Failure)
	return n, ProxyStart{PID: n.PID, Host: n.Host}.check()
}

// ReadReport reads the report of an acprun to its end and calls take for each note. It skips
// other lines: a redirection in the runtime line may have put the output of a program there.
// It blocks until the pipe ends.
func ReadReport(from io.Reader, size int, take func(RankNote)) {
	lines := bufio.NewReaderSize(from, maxNote)
	tooLong := false
	for {
		line, err := lines.ReadSlice('\n')
		if !tooLong && !errors.Is(err, bufio.ErrBufferFull) {
			if n, err := decodeNote(line, size); err == nil {
				take(n)
			}
		}
		tooLong = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !tooLong {
			return
		}
	}
}
