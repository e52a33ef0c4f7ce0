package extension

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Signature is what all ranks have to agree on about an extension.
type Signature struct {
	Name                string
	Operations, Notices int
	Names               uint32 // checksum of the names of operations and notices, in order
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
	}
	return nil
}

// String describes the extension.
func (s Signature) String() string {
	return fmt.Sprintf("%s (operations: %d, notices: %d, checksum of their names: %08x)", s.Name, s.Operations, s.Notices, s.Names)
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
		b = append(b, byte(len(s.Name)), byte(s.Operations), byte(s.Notices))
		b = binary.LittleEndian.AppendUint32(b, s.Names)
		b = append(b, s.Name...)
	}
	return b
}

var errMalformed = errors.New("malformed list of extensions")

// Decode takes the message of another rank apart.
func Decode(b []byte) ([]Signature, error) {
	const head = 3 + 4
	var list []Signature
	for len(b) > 0 {
		if len(b) < head || b[0] == 0 || len(b) < head+int(b[0]) {
			return nil, errMalformed
		}
		end := head + int(b[0])
		list = append(list, Signature{string(b[head:end]), int(b[1]), int(b[2]), binary.LittleEndian.Uint32(b[3:])})
		b = b[end:]
	}
	return list, nil
}

// Compare returns an error that names a rank and an extension if not all ranks, whose lists are
// in order of ranks, have the same. All ranks get the same error.
func Compare(lists [][]Signature) error {
	for rank, list := range lists {
		if err := differ(rank, list, lists[0]); err != nil {
			return err
		}
	}
	return nil
}

// differ returns what is different between the list of a rank and that of rank 0.
func differ(rank int, list, first []Signature) error {
	if slices.Equal(list, first) {
		return nil
	}
	named := func(l []Signature, name string) int {
		return slices.IndexFunc(l, func(s Signature) bool { return s.Name == name })
	}
	for _, s := range first {
		switch i := named(list, s.Name); {
		case i < 0:
			return fmt.Errorf("rank %d does not have the extension %s, which rank 0 has", rank, s.Name)
		case list[i] != s:
			return fmt.Errorf("rank %d has the extension %v, rank 0 has %v", rank, list[i], s)
		}
	}
	for _, s := range list {
		if named(first, s.Name) < 0 {
			return fmt.Errorf("rank %d has the extension %s, which rank 0 does not have", rank, s.Name)
		}
	}
	return fmt.Errorf("rank %d has its extensions in another order than rank 0", rank)
}
