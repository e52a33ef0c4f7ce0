package launch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
)

// What launchers, proxies and macprun tell each other is decoded here. All of it may
// have come through other programs or from another version; so nothing is used before
// it was checked.

// Bounds of what a message may hold.
const (
	maxPID    = 1 << 22  // of Linux
	maxReason = 4096     // bytes of a text for the user
	maxNote   = 64 << 10 // bytes of a line of a report
)

var errMessage = errors.New("malformed message")

// check reports whether this can be the number and the host of a process.
func (p proxyStart) check() error {
	if p.PID < 0 || p.PID > maxPID || len(p.Host) > maxReason || p.Host != oneLineOfText(p.Host) {
		return fmt.Errorf("%w: process %d on host %.99q", errMessage, p.PID, p.Host)
	}
	return nil
}

// decodeStart reads how a proxy reports the start of a process.
func decodeStart(payload []byte) (p proxyStart, err error) {
	if err := json.Unmarshal(payload, &p); err != nil {
		return proxyStart{}, fmt.Errorf("%w: %w", errMessage, err)
	}
	return p, p.check()
}

// decodeStatus reads how a proxy reports the end of a process.
func decodeStatus(payload []byte) (s exit.Status, err error) {
	if err := json.Unmarshal(payload, &s); err != nil {
		return exit.Status{}, fmt.Errorf("%w: %w", errMessage, err)
	}
	if !s.Valid() {
		return exit.Status{}, fmt.Errorf("%w: status %d, signal %d", errMessage, s.Code, s.Signal)
	}
	return s, nil
}

// decodeJob reads what a proxy is to start, or of what it is to be the keeper.
func decodeJob(payload []byte) (proxyJob, error) {
	var job proxyJob
	if err := json.Unmarshal(payload, &job); err != nil {
		return proxyJob{}, fmt.Errorf("%w: %w", errMessage, err)
	}
	if job.Keep != "" {
		if !filepath.IsAbs(job.Keep) || job.Keep != filepath.Clean(job.Keep) || !strings.HasPrefix(filepath.Base(job.Keep), runDirPrefix) {
			return proxyJob{}, fmt.Errorf("%w: %.99q is not the directory of a run", errMessage, job.Keep)
		}
		return job, nil
	}
	if len(job.Argv) == 0 || len(job.Ranks) == 0 {
		return proxyJob{}, fmt.Errorf("%w: no program or no ranks", errMessage)
	}
	seen := map[int]bool{}
	for _, spec := range job.Ranks {
		if spec.Rank < 0 || spec.Rank >= config.MaxProcesses || seen[spec.Rank] {
			return proxyJob{}, fmt.Errorf("%w: rank %d", errMessage, spec.Rank)
		}
		seen[spec.Rank] = true
	}
	return job, nil
}

// decodeNote reads a line of the report of an acprun whose job has size processes.
func decodeNote(line []byte, size int) (rankNote, error) {
	var n rankNote
	if err := json.Unmarshal(line, &n); err != nil {
		return rankNote{}, fmt.Errorf("%w: %w", errMessage, err)
	}
	if n.Rank < 0 || n.Rank >= size || n.Status < 0 || n.Status > 255 {
		return rankNote{}, fmt.Errorf("%w: rank %d of %d, status %d", errMessage, n.Rank, size, n.Status)
	}
	if n.Failure != "" && n.Status == 0 {
		return rankNote{}, fmt.Errorf("%w: a failure with status 0", errMessage)
	}
	if n.Ended != nil && !n.Ended.Valid() {
		return rankNote{}, fmt.Errorf("%w: status %d, signal %d", errMessage, n.Ended.Code, n.Ended.Signal)
	}
	n.Failure = oneLineOfText(n.Failure)
	return n, proxyStart{PID: n.PID, Host: n.Host}.check()
}

// readReport reads the report of an acprun to its end. Lines that are no notes are left
// out: a redirection in the runtime line may have put the output of a program there.
func readReport(from io.Reader, size int, take func(rankNote)) {
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

// oneLineOfText makes a text from elsewhere fit for a message: characters that do
// something to a terminal become question marks, and what is too long is cut off.
func oneLineOfText(text string) string {
	if len(text) > maxReason {
		text = text[:maxReason]
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}
