package rendezvous

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/launch/control"
)

// Rendezvous is the rendezvous of a run, in one of its launchers. Its methods may be called on a nil value:
// that of a run whose rendezvous has not been opened. It is not safe for concurrent use.
type Rendezvous struct {
	addrs     []string
	token     bridge.Token
	tokenFile string         // on this host, and on those with a token holder
	secure    bool           // connections of the run are encrypted
	seats     int            // ranks that the run can ever have; 0 in a part of a run
	hostOnly  bool           // only processes of this host can reach it
	server    *bridge.Server // nil in a part of a run and for guests: another launcher has it

	attachment *control.Attachment // of guests
}

// Config describes the rendezvous of a whole run.
type Config struct {
	RunDir               string // private directory of the run, where the token is put
	Secure               bool
	Interface, PortRange string   // options of these names
	RemoteHosts          []string // the other hosts of the run
	Network              bool     // guests may come from any host
	Guests               int      // how many processes can ever attach
	Jobs                 []bridge.Job
	Events               func(bridge.Event) // called by goroutines of the server; must not block
}

// Open writes the token of a run into its private directory and starts the server.
func Open(c Config) (*Rendezvous, error) {
	token, err := bridge.NewToken()
	if err != nil {
		return nil, err
	}
	r := &Rendezvous{token: token, tokenFile: filepath.Join(c.RunDir, bridge.TokenFileName), secure: c.Secure}
	if _, err := bridge.WriteTokenFile(c.RunDir, token); err != nil {
		return nil, err
	}
	choice, err := endpoint.Parse(c.Interface, c.PortRange)
	if err != nil {
		return nil, err
	}
	r.hostOnly = len(c.RemoteHosts) == 0 && !c.Network
	addrs, err := listenAddrs(choice, c.RemoteHosts, c.Network)
	if err != nil {
		return nil, err
	}
	config := bridge.ServerConfig{Token: token, Secure: c.Secure, Events: c.Events, Jobs: c.Jobs, Guests: c.Guests}
	if config.Sockets, err = choice.Listen(addrs); err != nil {
		return nil, fmt.Errorf("rendezvous: %w", err)
	}
	if r.server, err = bridge.Listen(config); err != nil {
		return nil, err
	}
	r.seats = c.Guests
	for _, job := range c.Jobs {
		r.seats += max(job.Size, job.Max)
	}
	for _, addr := range r.server.Addrs() {
		r.addrs = append(r.addrs, addr.String())
	}
	reach := "this host only, where all processes are"
	switch {
	case c.Network:
		reach = "all hosts"
	case !r.hostOnly:
		reach = "hosts " + strings.Join(c.RemoteHosts, ",")
	}
	debuglog.Rendezvous.Printf("listens at %s, for %s", strings.Join(r.addrs, ","), reach)
	return r, nil
}

// OfPart returns the rendezvous of a run for an acprun that starts a part of it. env is the place in the run
// that macprun has given to that acprun.
func OfPart(env bridge.Env) *Rendezvous {
	return &Rendezvous{addrs: env.Rendezvous, token: env.Token, tokenFile: env.TokenFile, secure: env.Secure}
}

// Environ returns the variables by which a process of a job finds the rendezvous. jobRank is -1 if
// the launcher of the job gives out the job ranks.
func (r *Rendezvous) Environ(job int, name string, jobRank int) []string {
	return bridge.Env{Rendezvous: r.addrs, TokenFile: r.tokenFile, Secure: r.secure, Job: job, JobName: name, JobRank: jobRank}.Environ()
}

// Dir returns the directory with the token, where ranks put files for the launcher. It is closed to other
// users.
func (r *Rendezvous) Dir() string {
	if r == nil {
		return ""
	}
	return filepath.Dir(r.tokenFile)
}

// Seats returns how many ranks the run can ever have, 0 if this launcher does not know it.
func (r *Rendezvous) Seats() int {
	if r == nil {
		return 0
	}
	return r.seats
}

// HostOnly reports whether only processes of this host can reach the rendezvous.
func (r *Rendezvous) HostOnly() bool { return r.hostOnly }

// Token returns the token of the run as text, for other hosts.
func (r *Rendezvous) Token() string { return r.token.String() }

// Identity returns the public identity of the run.
func (r *Rendezvous) Identity() [16]byte {
	if r == nil {
		return [16]byte{}
	}
	return r.token.Run()
}

// Abort ends all processes of this launcher that have joined the run. text is the reason.
func (r *Rendezvous) Abort(text string) {
	switch {
	case r == nil:
	case r.server != nil:
		r.server.Abort(text)
	case r.attachment != nil:
		r.attachment.Abort(text)
	}
}

// Close closes the server when all processes of the run have ended.
func (r *Rendezvous) Close() {
	if r != nil && r.server != nil {
		// The processes have ended, so errors of their connections mean nothing.
		_ = r.server.Close()
	}
}

// members returns the members of the run with their universes. It returns nil until all members have
// exchanged their contacts and have joined their universes.
func (r *Rendezvous) members() (*bridge.Members, error) {
	contacts := r.server.Contacts()
	if contacts == nil {
		return nil, nil
	}
	members, err := bridge.NewMembers(contacts)
	if err != nil || !members.MayJoin() {
		return members, err
	}
	universes := r.server.Universes()
	if universes == nil {
		return nil, nil
	}
	return members, members.Settle(universes)
}

// MayStillJoin reports whether jobs may still be about to join each other. The launcher of guests does not know it.
func (r *Rendezvous) MayStillJoin() bool {
	if r.server == nil {
		return true
	}
	members, err := r.members()
	return members == nil && err == nil
}

// Routes returns lines that list the universes and routes of the run. known is false until they are settled,
// and always in a part of a run and for guests.
func (r *Rendezvous) Routes() (lines []string, known bool) {
	if r == nil || r.server == nil {
		return nil, false
	}
	members, err := r.members()
	switch {
	case err != nil:
		return []string{fmt.Sprintf("fabrics are unknown: %v", err)}, true
	case members == nil:
		return nil, false
	}
	return append(describeUniverses(members), describeRoutes(members)...), true
}
