package message

import (
	"encoding/json"
	"fmt"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/process"
)

// ProxyJob is the job that a launcher gives to its proxy: to start ranks, or to hold the token.
type ProxyJob struct {
	Argv  []string   `json:"argv"`
	Dir   string     `json:"dir"`
	Env   []string   `json:"env"` // of all ranks, but for what only the host itself can know
	Ranks []RankSpec `json:"ranks"`
	Stdin int        `json:"stdin"` // rank that gets the launcher's standard input; -1 = none
	Token string     `json:"token"` // of the run, as text

	// Log configures the log of the proxy. The proxy chooses its name in the log.
	Log debuglog.Config `json:"log"`

	// Keep is the run's private directory that a token holder makes on its host. If it is
	// set, the proxy is a token holder and starts no ranks.
	Keep string `json:"keep,omitempty"`
	// Inherit is true if the proxy that made Keep was killed. Then this proxy removes Keep.
	Inherit bool `json:"inherit,omitempty"`
}

// RankSpec is one process that a proxy starts.
type RankSpec struct {
	Rank int      `json:"rank"`
	Env  []string `json:"env"` // in addition to that of all ranks
}

// ProxyStart reports that a process was started.
type ProxyStart struct {
	PID  int    `json:"pid"`
	Host string `json:"host"`
	Dir  string `json:"dir,omitempty"` // private directory that the proxy has made on its host
}

// check returns an error if the pid or the host of a process is impossible.
func (p ProxyStart) check() error {
	if p.PID < 0 || p.PID > maxPID || len(p.Host) > maxReason || p.Host != OneLine(p.Host) || p.Dir != "" && !process.IsRunDir(p.Dir) {
		return fmt.Errorf("%w: process %d on host %.99q, directory %.99q", errMessage, p.PID, p.Host, p.Dir)
	}
	return nil
}

// DecodeStart decodes the report of a proxy that a process was started.
func DecodeStart(payload []byte) (p ProxyStart, err error) {
	if err := json.Unmarshal(payload, &p); err != nil {
		return ProxyStart{}, fmt.Errorf("%w: %w", errMessage, err)
	}
	return p, p.check()
}

// DecodeStatus decodes the report of a proxy that a process has ended.
func DecodeStatus(payload []byte) (s exit.Status, err error) {
	if err := json.Unmarshal(payload, &s); err != nil {
		return exit.Status{}, fmt.Errorf("%w: %w", errMessage, err)
	}
	if !s.Valid() {
		return exit.Status{}, fmt.Errorf("%w: status %d, signal %d", errMessage, s.Code, s.Signal)
	}
	return s, nil
}

// JobFrame returns the frame with the job of a proxy. It fails if the job is too long for a frame.
func JobFrame(job ProxyJob) (Frame, error) {
	// This type always has a JSON form.
	payload, _ := json.Marshal(job)
	if len(payload) > maxFramePayload {
		return Frame{}, fmt.Errorf("the environments and the arguments of its processes have %d bytes, at most %d are possible", len(payload), maxFramePayload)
	}
	return Frame{Kind: FrameJob, Payload: payload}, nil
}

// DecodeJob decodes the job of a proxy.
func DecodeJob(payload []byte) (ProxyJob, error) {
	var job ProxyJob
	if err := json.Unmarshal(payload, &job); err != nil {
		return ProxyJob{}, fmt.Errorf("%w: %w", errMessage, err)
	}
	if job.Keep != "" {
		if !process.IsRunDir(job.Keep) {
			return ProxyJob{}, fmt.Errorf("%w: %.99q is not the directory of a run", errMessage, job.Keep)
		}
		return job, nil
	}
	if len(job.Argv) == 0 || len(job.Ranks) == 0 {
		return ProxyJob{}, fmt.Errorf("%w: no program or no ranks", errMessage)
	}
	seen := map[int]bool{}
	for _, spec := range job.Ranks {
		if spec.Rank < 0 || spec.Rank >= config.MaxProcesses || seen[spec.Rank] {
			return ProxyJob{}, fmt.Errorf("%w: rank %d", errMessage, spec.Rank)
		}
		seen[spec.Rank] = true
	}
	return job, nil
}
