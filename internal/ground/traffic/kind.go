package traffic

import "fmt"

// Kind is the kind of a transfer. The comment of each kind names the member at the other end.
type Kind uint8

// The kinds of transfers.
//
//goacp:c GOACP_TRAFFIC_
const (
	Put       Kind = iota // a copy from memory of this process: the owner of the destination
	Get                   // a copy from memory of another member to memory of this process: that member
	Atomic                // an atomic: the owner of the integer
	Copy                  // a copy between two other members: the owner of the destination
	Message               // a message of a channel or of a link of coupled models that this process sends: the receiver
	Structure             // an operation on a structure, or a transfer of one: the owner of its memory

	Kinds // the number of kinds
)

var kindNames = [Kinds]string{Put: "put", Get: "get", Atomic: "atomic", Copy: "copy", Message: "message", Structure: "structure"}

// String returns the kind in one word.
func (k Kind) String() string {
	if k >= Kinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// MarshalText implements [encoding.TextMarshaler].
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (k *Kind) UnmarshalText(text []byte) error {
	for i, name := range kindNames {
		if name == string(text) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no kind of transfer", text)
}

// Path is the carrier of a transfer.
type Path uint8

// The paths.
//
//goacp:c GOACP_TRAFFIC_
const (
	SHM Path = iota // memory of one host: loads, stores, atomic instructions and copies by the kernel
	RMA             // windows of MPI
	TCP             // the agents

	Paths // the number of paths
)

var pathNames = [Paths]string{SHM: "shm", RMA: "rma", TCP: "tcp"}

// String returns the name of the path.
func (p Path) String() string {
	if p >= Paths {
		return fmt.Sprintf("Path(%d)", uint8(p))
	}
	return pathNames[p]
}

// MarshalText implements [encoding.TextMarshaler].
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *Path) UnmarshalText(text []byte) error {
	for i, name := range pathNames {
		if name == string(text) {
			*p = Path(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no path", text)
}

// OfCopy returns the kind of a copy between the memory of two ranks by rank self, and the rank at the
// other end.
func OfCopy(self, dst, src int) (Kind, int) {
	switch self {
	case src:
		return Put, dst
	case dst:
		return Get, src
	}
	return Copy, dst
}
