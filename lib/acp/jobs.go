//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

// jobNames are the names of jobs as C programs have them, by number. They live until acp_finalize.
type jobNames struct {
	mu    sync.Mutex
	texts map[int]*C.char
}

// of returns the name of a job.
func (n *jobNames) of(job acp.Job) *C.char {
	n.mu.Lock()
	defer n.mu.Unlock()
	text := n.texts[job.Number]
	if text == nil {
		if n.texts == nil {
			n.texts = make(map[int]*C.char)
		}
		text = C.CString(job.Name)
		n.texts[job.Number] = text
	}
	return text
}

// free frees all names.
func (n *jobNames) free() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, text := range n.texts {
		C.free(unsafe.Pointer(text))
	}
	n.texts = nil
}

//export goacp_jobs
func goacp_jobs() C.int {
	return call(-1, func(p *acp.Process) (C.int, error) {
		jobs := p.Jobs()
		return C.int(jobs[len(jobs)-1].Number + 1), nil
	})
}

//export goacp_job
func goacp_job(rank C.int) C.int {
	return call(-1, func(p *acp.Process) (C.int, error) {
		job, err := p.JobOf(acp.Rank(rank))
		return C.int(job.Number), err
	})
}

//export goacp_job_name
func goacp_job_name(number C.int) *C.char {
	return call(nil, func(p *acp.Process) (*C.char, error) {
		job, err := p.JobAt(int(number))
		if err != nil {
			return nil, err
		}
		return lib.jobNames.of(job), nil
	})
}

//export goacp_job_find
func goacp_job_find(name *C.char) C.int {
	return call(-1, func(p *acp.Process) (C.int, error) {
		if name == nil {
			return -1, fmt.Errorf("%w: a name at NULL", acp.ErrBadAddress)
		}
		if job, found := p.FindJob(C.GoString(name)); found {
			return C.int(job.Number), nil
		}
		return -1, nil
	})
}

//export goacp_job_procs
func goacp_job_procs(number C.int) C.int {
	return call(-1, func(p *acp.Process) (C.int, error) {
		job, err := p.JobAt(int(number))
		return C.int(job.Procs()), err
	})
}

//export goacp_job_rank
func goacp_job_rank(number, process C.int) C.int {
	return call(-1, func(p *acp.Process) (C.int, error) {
		job, err := p.JobAt(int(number))
		if err != nil {
			return -1, err
		}
		if process < 0 || int(process) >= job.Procs() {
			return -1, fmt.Errorf("no process %d in job %s of %d", process, job.Name, job.Procs())
		}
		return C.int(job.Rank(int(process))), nil
	})
}
