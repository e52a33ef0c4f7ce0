package link

import "github.com/goacp/goacp/internal/system/couple/points"

// mostMembers bounds the bytes of a list of members, where it is left out if it is longer.
const mostMembers = 1 << 10

// encodeMembers returns members as they travel.
func encodeMembers(members []int) []byte {
	var b points.Builder
	for _, m := range members {
		b.Add(int64(m))
	}
	list := b.List()
	return list.Bytes()
}

// decodeMembers returns the members of a list, of a run with a number of processes.
func decodeMembers(b []byte, procs int) (members []int, err error) {
	l, err := points.Decode(b, 0, int64(procs), false)
	if err != nil || l.Len() > int64(procs) {
		return nil, errMalformed
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
