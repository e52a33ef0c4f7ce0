package control

import (
	"encoding/json"
	"fmt"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/config"
)

// SocketName is the name of the socket in the private directory of a run.
const SocketName = "control"

// version is the version of the messages.
const version = 5

// Request asks for seats for the processes of the jobs of a launcher.
type Request struct {
	Version int               `json:"version"`
	Jobs    []bridge.GuestJob `json:"jobs"`
	Secure  bool              `json:"secure,omitempty"` // the user has asked for encrypted connections
	Remote  bool              `json:"remote,omitempty"` // processes run on other hosts than the launcher of the run
	PID     int               `json:"pid"`              // of the launcher
	Host    string            `json:"host"`             // of the launcher
	Command string            `json:"command"`          // of the launcher, with its arguments, for people
	Resize  *Resize           `json:"resize,omitempty"` // not nil: the request is for other ranks of the run, and not for seats
}

// Resize asks for other ranks of a run.
type Resize struct {
	Add   int    `json:"add,omitempty"`   // processes to start
	Job   string `json:"job,omitempty"`   // the job to which they belong; "" = the only one that can grow
	Heap  int64  `json:"heap,omitempty"`  // bytes of the heap of each; 0 = as for the other processes of the job
	Leave []int  `json:"leave,omitempty"` // ranks that are asked to leave
	Nodes bool   `json:"nodes,omitempty"` // asks for a list of the processes of a run of DMI instead
	// Hosts has the host of each process to start. If it is empty, the launcher of the run chooses.
	Hosts []string `json:"hosts,omitempty"`
	// Named: the user has named the hosts. Otherwise they are those of the allocation.
	Named bool `json:"named,omitempty"`
	// Allocation is the job of a batch system in which the request is made; nil = none.
	Allocation *Allocation `json:"allocation,omitempty"`
}

// Allocation is a job of a batch system.
type Allocation struct {
	System string   `json:"system"` // as in package allocation
	Job    string   `json:"job"`    // by which the batch system knows it
	Hosts  []string `json:"hosts"`
}

// Same reports whether two allocations are the same job; false if one of them is nil.
func (a *Allocation) Same(b *Allocation) bool {
	return a != nil && b != nil && a.System == b.System && a.Job == b.Job
}

// Resized is what a launcher has begun on request.
type Resized struct {
	Answer string // for people; "" = nothing was done
	Failed string // the reason for which processes were not started, for people; "" = all were
	Ranks  []int  // of the processes that were started
	// Ended is closed when these processes have ended. It is nil if the launcher that has asked need not wait for that.
	Ended <-chan struct{}
	// Notified is called when that launcher has the last message, or has ended. It may be nil.
	Notified func()
}

// Admission has the data that the processes of the jobs need to join the run.
type Admission struct {
	Run        string   `json:"run"`   // name of the run
	Token      string   `json:"token"` // of the run
	Rendezvous []string `json:"rendezvous"`
	Secure     bool     `json:"secure,omitempty"` // connections of the run are encrypted
	Job        int      `json:"job"`              // number of the first job
	Rank       int      `json:"rank"`             // of the first process
	Names      []string `json:"names"`            // of the jobs
	Seats      int      `json:"seats"`            // ranks that the run can ever have
}

// reply is the first message of the launcher of the run.
type reply struct {
	Refused string     `json:"refused,omitempty"` // why there is no admission
	Run     *Admission `json:"run,omitempty"`
	Done    string     `json:"done,omitempty"`   // the answer to a Resize
	Failed  string     `json:"failed,omitempty"` // why processes of a Resize were not started
	Stays   bool       `json:"stays,omitempty"`  // an ended follows when the processes have ended that the Resize has added
}

// ended is the last message of the launcher of the run to one that has added processes. A connection that ends without it
// is lost.
type ended struct {
	Ended bool `json:"ended"` // the processes have ended
}

// notice is a later message of the launcher of the run.
type notice struct {
	Event bridge.Event `json:"event"`
}

// command is a later message of the launcher of guests.
type command struct {
	// Abort is the reason for which the processes of its jobs are ended, or those that it has added are asked to leave; "" = they are not.
	Abort string `json:"abort"`
	// Last: a launcher that has added processes waits for them no longer.
	Last bool `json:"last,omitempty"`
}

// encode returns the text of a request. It fails if a launcher does not take so long a text.
func (q *Request) encode() ([]byte, error) {
	text, err := json.Marshal(q)
	if err != nil || len(text) < maxRequest {
		return append(text, '\n'), err
	}
	cause := fmt.Sprintf("the command line of this launcher has %d bytes", len(q.Command))
	if q.Resize != nil {
		cause = fmt.Sprintf("it names the hosts of %d processes", len(q.Resize.Hosts))
	}
	return nil, fmt.Errorf("the request to the launcher of the run has %d bytes, more than the %d that are possible: %s", len(text), maxRequest, cause)
}

// check returns why a request is malformed, "" if it is not.
func (q *Request) check() string {
	if q.Version != version {
		return fmt.Sprintf("the launcher of the run speaks version %d of the control protocol, the other launcher version %d; use the same release of both", version, q.Version)
	}
	if r := q.Resize; r != nil && (r.Add < 0 || r.Add == 0 && len(r.Leave) == 0 && !r.Nodes) {
		return fmt.Sprintf("malformed request: %d processes are to join and %d ranks to leave", r.Add, len(r.Leave))
	}
	if r := q.Resize; r != nil && r.Job != "" {
		if err := bridge.CheckJobName(r.Job); err != nil {
			return err.Error()
		}
	}
	if r := q.Resize; r != nil && len(r.Hosts) != 0 {
		if len(r.Hosts) != r.Add {
			return fmt.Sprintf("malformed request: %d processes are to join on %d hosts", r.Add, len(r.Hosts))
		}
		for _, host := range r.Hosts {
			if err := config.CheckHost(host); err != nil {
				return err.Error()
			}
		}
	}
	for _, job := range q.Jobs {
		if err := bridge.CheckJobName(job.Name); err != nil {
			return err.Error()
		}
	}
	return ""
}
