package rendezvous

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/endpoint"
)

// Rendezvous is the rendezvous of a run, in one of its launchers. Its methods may be called on a nil value:
// that of a run whose rendezvous has not been opened. It is not safe for concurrent use.
type Rendezvous struct {
	addrs     []string
	token     bridge.Token
	tokenFile string         // on this host, and on those with a token holder
	secure    bool           // connections of the run are encrypted
	server    *bridge.Server // nil in a part of a run, whose macprun has it
}

// Config describes the rendezvous of a whole run.
type Config struct {
	RunDir               string // private directory of the run, where the token is put
	Secure               bool
	Interface, PortRange string   // options of these names
	RemoteHosts          []string // the other hosts of the run
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
	addrs, err := listenAddrs(choice, c.RemoteHosts)
	if err != nil {
		return nil, err
	}
	config := bridge.ServerConfig{Token: token, Secure: c.Secure, Events: c.Events, Jobs: c.Jobs}
	if config.Sockets, err = choice.Listen(addrs); err != nil {
		return nil, fmt.Errorf("rendezvous: %w", err)
	}
	if r.server, err = bridge.Listen(config); err != nil {
		return nil, err
	}
	for _, addr := range r.server.Addrs() {
		r.addrs = append(r.addrs, addr.String())
	}
	reach := "this host only, where all processes are"
	if len(c.RemoteHosts) > 0 {
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

// Token returns the token of the run as text, for other hosts.
func (r *Rendezvous) Token() string { return r.token.String() }

// Identity returns the public identity of the run.
func (r *Rendezvous) Identity() [16]byte {
	if r == nil {
		return [16]byte{}
	}
	return r.token.Run()
}

// Abort ends all processes that have joined the run. text is the reason.
func (r *Rendezvous) Abort(text string) {
	if r != nil && r.server != nil {
		r.server.Abort(text)
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

// MayStillJoin reports whether jobs may still be about to join each other.
func (r *Rendezvous) MayStillJoin() bool {
	members, err := r.members()
	return members == nil && err == nil
}

// Routes returns lines that list the universes and routes of the run. known is false until they are settled,
// and always in a part of a run.
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
