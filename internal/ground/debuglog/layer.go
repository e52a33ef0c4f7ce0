package debuglog

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// Layer is a part of the launchers or of the library that makes decisions.
type Layer uint8

// The layers.
const (
	Launch     Layer = iota // launchers: hosts, plan, commands that are started, why the run ends
	Remote                  // launchers: remote shells, proxies and token holders
	Rendezvous              // how a process becomes a rank: bootstrap, addresses that were tried, ranks that come and go
	Bridge                  // jobs of MPI that are joined, and why other jobs are not
	Route                   // which fabric serves which ranks, and why other fabrics do not
	TCP                     // connections between agents: opened, refused, ended
	SHM                     // memory of other ranks that is mapped, and why some is not
	RMA                     // windows of MPI, and memory that is in none
	Liveness                // hosts and processes that seem to be dead, and why
	Couple                  // links between fields: which ranks open them, and how much they move

	layers // the number of layers
)

var names = [layers]string{"launch", "remote", "rendezvous", "bridge", "route", "tcp", "shm", "rma", "liveness", "couple"}

// All is the name that stands for all layers.
const All = "all"

// String returns the name by which users choose the layer.
func (l Layer) String() string { return names[l] }

// Names returns the names of all layers, with commas between.
func Names() string { return strings.Join(names[:], ", ") }

// set has a bit for each layer.
type set uint32

// enabled is the set of layers that write.
var enabled atomic.Uint32

// On reports whether the layer writes. Callers check it before they prepare an expensive line.
func (l Layer) On() bool { return enabled.Load()&(1<<l) != 0 }

// Printf writes a line if the layer is on. Safe for concurrent use.
func (l Layer) Printf(format string, args ...any) {
	if l.On() {
		log.print(l, fmt.Sprintf(format, args...))
	}
}

// Check returns an error if text is not a list of layers: names separated by commas. The error lists all
// names. An empty list is no error.
func Check(text string) error {
	_, err := parse(text)
	return err
}

func parse(text string) (s set, err error) {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(names[:], name)
		switch {
		case i >= 0:
			s |= 1 << i
		case name == All:
			s = 1<<layers - 1
		case name != "":
			return 0, fmt.Errorf("there is no layer %q; expected some of %s with commas between, or %s", name, Names(), All)
		}
	}
	return s, nil
}
