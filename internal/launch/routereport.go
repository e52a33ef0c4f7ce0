package launch

import "github.com/goacp/goacp/bridge"

// routeReport waits for the contacts of the members and then says which fabric
// each pair of jobs uses.
type routeReport struct{ waiting bool }

// settled returns the members of the run with their universes, or nil as long as
// they have not all told each other what they are.
func (r *runner) settled() (*bridge.Members, error) {
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

// look reports as soon as the members have exchanged their contacts.
func (t *routeReport) look(r *runner) {
	if !t.waiting || r.server == nil {
		return
	}
	members, err := r.settled()
	if members == nil && err == nil {
		return
	}
	t.waiting = false
	if err != nil {
		r.verbose("fabrics are unknown: %v", err)
		return
	}
	for _, line := range append(describeUniverses(members), describeRoutes(members)...) {
		r.verbose("%s", line)
	}
}
