package launch

import (
	"github.com/goacp/goacp/internal/launch/rendezvous"
	"github.com/goacp/goacp/internal/launch/stdio"
)

// routeReport says which routes the ranks use when they have chosen them, if the user has asked
// for it by -verbose.
type routeReport struct{ waiting bool }

// look reports the routes as soon as they are known.
func (t *routeReport) look(r *rendezvous.Rendezvous, console *stdio.Console) {
	if !t.waiting {
		return
	}
	lines, known := r.Routes()
	t.waiting = !known
	for _, line := range lines {
		console.Verbose("%s", line)
	}
}
