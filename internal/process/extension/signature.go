package extension

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/network/am"
)

// Signature is what all ranks have to agree on about an extension.
type Signature struct {
	Name                string
	First               am.Op // of the range of numbers; 0: it needs none
	Operations, Notices int
	Names               uint32 // checksum of the names of operations and notices, in order
	Optional            bool   // ranks may be without it
}

// maxName, maxCount are the greatest length of a name and number of operations or notices that
// a message can carry.
const (
	maxName  = 255
	maxCount = 255
)

// check returns why there can be no such extension, or nil.
func (s Signature) check() error {
	switch {
	case s.Name == "" || len(s.Name) > maxName:
		return fmt.Errorf("extension %q: a name has 1 to %d bytes", s.Name, maxName)
	case s.Operations > maxCount || s.Notices > maxCount:
		return fmt.Errorf("extension %s: %d operations and %d notices, of each at most %d are possible", s.Name, s.Operations, s.Notices, maxCount)
	case s.First != s.First.Range():
		return fmt.Errorf("extension %s: no range of numbers begins with %#x", s.Name, s.First)
	case s.First == 0 && s.Operations+s.Notices > 0:
		return fmt.Errorf("extension %s: %d operations and %d notices without a range of numbers", s.Name, s.Operations, s.Notices)
	}
	return nil
}

// collides reports whether two different extensions have the same numbers.
func (s Signature) collides(other Signature) bool {
	return s.Name != other.Name && s.First == other.First && s.First != 0
}

// String describes the extension.
func (s Signature) String() string {
	return fmt.Sprintf("%s (numbers from %#x on, operations: %d, notices: %d, checksum of their names: %08x)", s.Name, s.First, s.Operations, s.Notices, s.Names)
}

// Signatures returns those of entries.
func Signatures(entries []Entry) []Signature {
	var list []Signature
	for _, e := range entries {
		list = append(list, e.Signature)
	}
	return list
}

// Append appends the message that tells other ranks of extensions.
func Append(b []byte, list []Signature) []byte {
	for _, s := range list {
		b = append(b, byte(len(s.Name)), byte(s.Operations), byte(s.Notices), flag(s.Optional))
		b = binary.LittleEndian.AppendUint32(b, s.Names)
		b = binary.LittleEndian.AppendUint16(b, uint16(s.First))
		b = append(b, s.Name...)
	}
	return b
}

// flag is how a message carries a bool.
func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

var errMalformed = errors.New("malformed list of extensions")

// Decode takes the message of another rank apart.
func Decode(b []byte) ([]Signature, error) {
	const head = 4 + 4 + 2
	var list []Signature
	for len(b) > 0 {
		if len(b) < head || b[3] > 1 || len(b) < head+int(b[0]) {
			return nil, errMalformed
		}
		end := head + int(b[0])
		s := Signature{
			Name: string(b[head:end]), Operations: int(b[1]), Notices: int(b[2]), Optional: b[3] == 1,
			Names: binary.LittleEndian.Uint32(b[4:]), First: am.Op(binary.LittleEndian.Uint16(b[8:])),
		}
		if s.check() != nil {
			return nil, errMalformed
		}
		list = append(list, s)
		b = b[end:]
	}
	return list, nil
}
