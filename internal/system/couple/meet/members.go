package meet

import (
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// MostMembers bounds the bytes of a list of members, where it is left out if it is longer.
const MostMembers = 1 << 10

// EncodeMembers returns members as they travel.
func EncodeMembers(members []int) []byte {
	var b points.Builder
	for _, m := range members {
		b.Add(int64(m))
	}
	list := b.List()
	return list.Bytes()
}

// DecodeMembers returns the members of a list, of a run with a number of processes. Fails with wire.ErrMalformed.
func DecodeMembers(b []byte, procs int) (members []int, err error) {
	l, err := points.Decode(b, 0, int64(procs), false)
	if err != nil || l.Len() > int64(procs) {
		return nil, wire.ErrMalformed
	}
	for it := l.All(); ; {
		r, ok := it.Next()
		if !ok {
			return members, nil
		}
		for i := range r.Count {
			members = append(members, int(r.Start+i*r.Stride))
		}
	}
}
