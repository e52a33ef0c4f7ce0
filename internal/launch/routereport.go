package launch

import (
	"github.com/goacp/goacp/internal/launch/rendezvous"
	"github.com/goacp/goacp/internal/launch/stdio"
)

// routeReport prints the routes of the ranks as soon as they have chosen them, with -verbose.
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
