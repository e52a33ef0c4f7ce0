package meet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/acptest/script"
	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// place returns the process and the side that the next arguments name, of link 1 unless argument id names another
// link:
//
//	MEMBER SIDE INDEX [id=N]
func place(a *script.Arguments) (from int, id uint64, sd side.Side, index int) {
	from = a.Number(a.Next())
	switch name := a.Next(); name {
	case "sending":
	case "receiving":
		sd = side.Receiving
	default:
		a.Fail("there is no side %s", name)
	}
	return from, uint64(a.Value("id", 1)), sd, a.Number(a.Next())
}

// hold lets a member send points that it has, or has masked:
//
//	hold MEMBER SIDE INDEX [points=N-N] [masked=N-N] [why=TEXT] [more] [id=N]
func (s *stage) hold(a *script.Arguments) string {
	from, id, sd, index := place(a)
	all := Pieces(id, sd, index, pointsOf(a, "points"), pointsOf(a, "masked"))
	last := &all[len(all)-1]
	last.Last, last.Why = !a.Flag("more"), a.Text("why", "")
	for _, p := range all {
		p, err := DecodePiece(p.Encode())
		if err == nil {
			err = s.shards.Hold(&p, from)
		}
		if err != nil {
			return err.Error() + "\n"
		}
	}
	return fmt.Sprintf("%d ranks have sent all their points\n", s.shards.Of(id).Whole())
}

// match matches the points from the ranks, in a range of points:
//
//	match range=N-N sending=N,N receiving=N,N [sums] [id=N]
func (s *stage) match(a *script.Arguments) string {
	of := s.shards.Of(uint64(a.Value("id", 1)))
	rng := a.Numbers("range")
	members := [2][]int{a.Numbers("sending"), a.Numbers("receiving")}
	m, err := of.Take().Match(directory.Range{Lo: int64(rng[0]), Hi: int64(rng[len(rng)-1]) + 1}, members, a.Flag("sums"), asRank)
	if err != nil {
		return err.Error() + "\n"
	}
	return text(s.shards.Publish(of, members, Findings(m, members)))
}

// fetch lets a member fetch its finding:
//
//	fetch MEMBER SIDE INDEX [offset=N] [id=N]
func (s *stage) fetch(a *script.Arguments) string {
	from, id, sd, index := place(a)
	f, err := DecodeFetch((&Fetch{ID: id, Side: sd, Index: index, Offset: a.Value("offset", 0)}).Encode())
	if err != nil {
		a.Fail("%w", err)
	}
	return text(s.shards.Fetch(&f, from, ticket{from, finding}))
}

// finding shows a Finding that one Part holds.
func finding(body []byte) (string, error) {
	p, err := DecodePart(body)
	if err == nil {
		err = p.Err()
	}
	if err != nil {
		return "", err
	}
	f, err := DecodeFinding(p.Bytes)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	if f.Missing != directory.None {
		fmt.Fprintf(&out, "no sender has point %d, ", f.Missing)
	}
	if f.Twice != directory.None {
		fmt.Fprintf(&out, "senders %v both have point %d, ", f.Senders, f.Twice)
	}
	fmt.Fprintf(&out, "%d partners", len(f.Partners))
	slices.SortFunc(f.Partners, func(a, b PartnerPoints) int { return a.Index - b.Index }) // they come in any order
	for _, partner := range f.Partners {
		l, err := points.Decode(partner.Points, 0, points.Max, true)
		if err != nil {
			return "", err
		}
		lo, hi := (&points.Layout{Points: l}).Bounds()
		fmt.Fprintf(&out, "; with process %d %d points from %d to %d", partner.Index, l.Len(), lo, hi)
	}
	return out.String(), nil
}

// TestManyLinks: requests about links that there are not take no memory without bound.
func TestManyLinks(t *testing.T) {
	s := NewShards(1)
	for id := range uint64(MaxShards) {
		if s.Of(id) == nil {
			t.Fatalf("no room for link %d", id)
		}
	}
	if s.Of(MaxShards) != nil || s.Of(0) == nil {
		t.Error("the number of shards has no bound")
	}
	if s.Hold(&Piece{ID: MaxShards, Last: true}, 0) == nil || s.Fetch(&Fetch{ID: MaxShards}, 0, ticket{})[0].Err == nil {
		t.Error("a request about a link that has no room is served")
	}
}

// TestManyPieces: a list of points that is longer than a message arrives in parts, and so does a long finding.
func TestManyPieces(t *testing.T) {
	s := NewShards(2)
	var b points.Builder
	const n = 200000
	at := int64(0)
	for i := range int64(n) {
		at += 1 + i%3*(1+i%7)
		b.Add(at)
	}
	list := b.List()
	members := [2][]int{{0}, {1}}
	for sd := range members {
		all := Pieces(5, side.Side(sd), 0, list.Bytes(), nil)
		if len(all) < 2 {
			t.Fatalf("%d bytes in %d pieces", len(list.Bytes()), len(all))
		}
		for _, p := range all {
			if err := s.Hold(&p, sd); err != nil {
				t.Fatal(err)
			}
		}
	}
	of := s.Of(5)
	m, err := of.Take().Match(directory.Range{Lo: 0, Hi: at + 1}, members, false, asRank)
	if err != nil {
		t.Fatal(err)
	}
	s.Publish(of, members, Findings(m, members))
	var all []byte
	for left := 1; left > 0; {
		answer := s.Fetch(&Fetch{ID: 5, Side: side.Receiving, Offset: len(all)}, 1, ticket{})[0]
		p, err := DecodePart(answer.Body)
		if answer.Err != nil || err != nil {
			t.Fatal(answer.Err, err)
		}
		all, left = append(all, p.Bytes...), p.Left
	}
	f, err := DecodeFinding(all)
	if err != nil || len(f.Partners) != 1 || string(f.Partners[0].Points) != string(list.Bytes()) {
		t.Errorf("%d partners, %v", len(f.Partners), err)
	}
}

// asRank is the rank of a member that has the same number.
func asRank(member int) int { return member }
