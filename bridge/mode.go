package bridge

import (
	"fmt"
	"slices"
	"strings"
)

// Mode is the choice of the user with -net or ACP_NET: one route for all pairs, or the best route of each
// pair. The numbers travel in contacts.
type Mode uint8

// The modes. A mode other than auto has the number of the route that it allows.
const (
	ModeAuto Mode = 0         // the best fabric of each pair
	ModeSHM       = Mode(SHM) // shared memory only
	ModeRMA       = Mode(RMA) // MPI only, also on one host
	ModeTCP       = Mode(TCP) // sockets only, also on one host
)

func (m Mode) valid() bool { return m < Mode(RouteEnd) }

// allows reports whether the mode allows a route between two processes.
func (m Mode) allows(r Route) bool { return m == ModeAuto || m == Mode(r) }

// NeedsWindows reports whether the mode allows windows of MPI and no other route. Pure.
func (m Mode) NeedsWindows() bool {
	return m != ModeAuto && m.valid() && routes[m].access == byWindows
}

// advice returns a hint for users if the mode does not connect a pair, or "".
func (m Mode) advice() string {
	if !m.valid() {
		return ""
	}
	return routes[m].advice
}

// String returns the name that [ParseMode] accepts.
func (m Mode) String() string {
	switch {
	case m == ModeAuto:
		return "auto"
	case m.valid():
		return routes[m].name
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// ParseMode parses the name of a mode: auto, shm, rma or tcp, or a historical name of a
// network in capital or small letters: udp is tcp; ib and infiniband (also inifiniband) are
// rma. The empty text is auto. tofu is an error, because no such network is supported. Pure.
func ParseMode(text string) (Mode, error) {
	switch text {
	case "", "auto", "AUTO":
		return ModeAuto, nil
	case "tofu", "TOFU", "tofu2", "TOFU2":
		return 0, fmt.Errorf("network %q is not supported: expected %s", text, modeNames())
	}
	for r := SHM; r < RouteEnd; r++ {
		name := routes[r].name
		if text == name || text == strings.ToUpper(name) || slices.Contains(routes[r].aliases, text) {
			return Mode(r), nil
		}
	}
	return 0, fmt.Errorf("unknown network %q: expected %s", text, modeNames())
}

// modeNames lists the modes for messages, with one historical name of each: auto, shm, rma
// (ib) or tcp (udp).
func modeNames() string {
	list := ModeAuto.String()
	for r := SHM; r < RouteEnd; r++ {
		if r == RouteEnd-1 {
			list += " or "
		} else {
			list += ", "
		}
		list += routes[r].name
		if aliases := routes[r].aliases; len(aliases) > 0 {
			list += " (" + aliases[0] + ")"
		}
	}
	return list
}

// PairMode returns the mode of a pair whose members ask for a and b. If one of them asks for
// auto, it is the mode of the other. If one asks for shm, it is shm. If they differ otherwise,
// it is tcp, which works between any two processes. Pure and symmetric.
func PairMode(a, b Mode) Mode {
	switch {
	case a == b, b == ModeAuto:
		return a
	case a == ModeAuto:
		return b
	case a == ModeSHM || b == ModeSHM:
		return ModeSHM
	}
	return ModeTCP
}
