package meet

import (
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Finding is the result of a shard for one rank.
type Finding struct {
	Missing, Twice int64  // the first such points, or directory.None
	Senders        [2]int // that have the point twice
	Partners       Partners
}

// PartnerPoints is the points in common with a rank of the other side.
type PartnerPoints struct {
	Index  int
	Points []byte // as a list
}

// Partners are the ranks of the other side that have points in common with a rank.
type Partners []PartnerPoints

// Encode returns the finding as a message.
func (f *Finding) Encode() []byte {
	size := 64
	for _, p := range f.Partners {
		size += len(p.Points) + 16
	}
	w := make(wire.Writer, 0, size)
	w.Signed(f.Missing)
	w.Signed(f.Twice)
	w.Number(uint64(f.Senders[0]))
	w.Number(uint64(f.Senders[1]))
	w.Number(uint64(len(f.Partners)))
	for _, p := range f.Partners {
		w.Number(uint64(p.Index))
		w.Bytes(p.Points)
	}
	return w
}

// DecodeFinding is the inverse of Finding.Encode. Fails with wire.ErrMalformed.
func DecodeFinding(b []byte) (f Finding, err error) {
	r := wire.NewReader(b)
	f.Missing, f.Twice = r.Signed(), r.Signed()
	f.Senders = [2]int{r.Count(MaxRanks), r.Count(MaxRanks)}
	for range r.Count(r.Left()) {
		f.Partners = append(f.Partners, PartnerPoints{r.Count(MaxRanks), r.Bytes()})
	}
	return f, r.End()
}

// MaxFinding bounds the bytes of a finding.
const MaxFinding = 1 << 40

// Fetch is a request for a part of a finding.
type Fetch struct {
	ID     uint64 // of the link
	Side   side.Side
	Index  int
	Offset int
}

// Encode returns the request as a message.
func (f *Fetch) Encode() []byte {
	var w wire.Writer
	w.Number(f.ID)
	w.Side(f.Side)
	w.Number(uint64(f.Index))
	w.Number(uint64(f.Offset))
	return w
}

// DecodeFetch is the inverse of Fetch.Encode. Fails with wire.ErrMalformed.
func DecodeFetch(b []byte) (Fetch, error) {
	r := wire.NewReader(b)
	f := Fetch{ID: r.Number(), Side: r.Side(), Index: r.Count(MaxRanks), Offset: r.Count(MaxFinding)}
	return f, r.End()
}

// Part is the answer to a Fetch.
type Part struct {
	Outcome     // why the shard has no findings
	Left    int // bytes of the finding after the part
	Bytes   []byte
}

// Encode returns the part as a message.
func (p *Part) Encode() []byte {
	var w wire.Writer
	p.Outcome.append(&w)
	w.Number(uint64(p.Left))
	w.Bytes(p.Bytes)
	return w
}

// DecodePart is the inverse of Part.Encode. Fails with wire.ErrMalformed.
func DecodePart(b []byte) (Part, error) {
	r := wire.NewReader(b)
	p := Part{readOutcome(r), r.Count(MaxFinding), r.Bytes()}
	return p, r.End()
}
