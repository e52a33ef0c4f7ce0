package meet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/acptest/script"
	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// sides sets the members of the models of both sides, in order:
//
//	sides sending=0,1 receiving=2-4 [link=NAME]
func (s *stage) sides(a *script.Arguments) string {
	s.members = [2][]int{a.Numbers("sending"), a.Numbers("receiving")}
	s.link = a.Text("link", s.link)
	return ""
}

// arrival returns the arrival of the member that is the first argument. Arguments side, index and size replace the
// values that follow from the sides, and id the link that was agreed on last.
func (s *stage) arrival(a *script.Arguments, question Question) (from int, at Arrival) {
	from = a.Number(a.Next())
	sd := side.Sending
	if !slices.Contains(s.members[sd], from) {
		sd = side.Receiving
	}
	switch name := a.Text("side", sd.String()); name {
	case "sending", "receiving":
		sd = map[string]side.Side{"sending": side.Sending, "receiving": side.Receiving}[name]
	default:
		a.Fail("there is no side %s", name)
	}
	at = Arrival{Question: question, Link: s.link, Side: sd, Index: a.Value("index", slices.Index(s.members[sd], from)), Size: a.Value("size", len(s.members[sd]))}
	if question != AboutIntroduction {
		at.ID = uint64(a.Value("id", int(s.id)))
	}
	if at.Index < 0 || at.Index >= at.Size {
		a.Fail("member %d is on no side", from)
	}
	return from, at
}

// callerOf returns the rank that a member is. Ranks differ from members.
func callerOf(a *script.Arguments, member int) Caller {
	return Caller{Member: member, Rank: member + 10, Cohort: a.Value("cohort", 0)}
}

// introduce lets a member arrive with its introduction:
//
//	introduce MEMBER [watching] [sums] [fortran] [type=NAME] [values=N] [levels=N] [every=N] [points=N-N] [members=N,N] [grid=NxN]
//	        [entries=N own=N] [cohort=N]
func (s *stage) introduce(a *script.Arguments) string {
	from, at := s.arrival(a, AboutIntroduction)
	in := Introduction{Element: element.Type{Kind: kindOf(a), Values: a.Value("values", 1)}, Levels: a.Value("levels", 0), Every: a.Value("every", 1), Sums: a.Flag("sums")}
	if a.Flag("watching") {
		in.Way = Watching
	}
	in.Members = EncodeMembers(s.members[at.Side])
	if a.Has("members") {
		in.Members = EncodeMembers(a.Numbers("members"))
	}
	if all := a.Numbers("points"); len(all) > 0 {
		in.Bounds = directory.Range{Lo: int64(all[0]), Hi: int64(all[len(all)-1]) + 1}
	}
	if shape := a.Text("grid", ""); shape != "" {
		in.Grid = &points.Grid{Fortran: a.Flag("fortran")}
		for _, n := range strings.Split(shape, "x") {
			in.Grid.Sizes = append(in.Grid.Sizes, a.Number(n))
		}
	}
	in.Weights.All = Entries{Count: int64(a.Value("entries", 0)), Sum: uint64(a.Value("entries", 0))}
	in.Weights.Own = Entries{Count: int64(a.Value("own", 0)), Sum: uint64(a.Value("sum", a.Value("own", 0)))}
	at.Body = in.Encode()
	before := len(s.host.agreed)
	answers := s.host.Arrive(&at, callerOf(a, from), ticket{from, s.agreement})
	for _, answer := range answers {
		if agreed, err := DecodeAgreement(answer.Body); len(s.host.agreed) > before && err == nil && agreed.Err() != nil {
			a.Fail("the host keeps a link that it has refused")
		}
	}
	return text(answers)
}

// kindOf returns the type with the name that argument type has.
func kindOf(a *script.Arguments) datatype.Kind {
	name := a.Text("type", "float64")
	for k := datatype.Kind(1); k <= datatype.Last; k++ {
		if k.String() == name {
			return k
		}
	}
	a.Fail("there is no type %s", name)
	return 0
}

// agreement shows an Agreement.
func (s *stage) agreement(body []byte) (string, error) {
	g, err := DecodeAgreement(body)
	if err == nil {
		err = g.Err()
	}
	if err != nil {
		return "", err
	}
	s.id = g.ID
	var members [2][]int
	for i, list := range g.Members {
		if members[i], err = DecodeMembers(list, 8); err != nil {
			return "", err
		}
	}
	shown := fmt.Sprintf("link %#x from %v to %v, %d levels, every %d and %d steps, points %d to %d", g.ID, members[0], members[1], g.Levels, g.Every[0], g.Every[1], g.Bounds.Lo, g.Bounds.Hi)
	if g.Sums {
		shown += ", sums"
	}
	return shown, nil
}

// ready lets a member report that it is ready, or the reason why it is not:
//
//	ready MEMBER [why=TEXT]
func (s *stage) ready(a *script.Arguments) string {
	from, at := s.arrival(a, AboutReadiness)
	at.Body = []byte(a.Text("why", ""))
	return text(s.host.Arrive(&at, callerOf(a, from), ticket{from, outcomeAs("all are ready")}))
}

// connected lets a member report that it is connected, or the reason why it is not:
//
//	connected MEMBER [why=TEXT]
func (s *stage) connected(a *script.Arguments) string {
	from, at := s.arrival(a, AboutConnection)
	at.Body = []byte(a.Text("why", ""))
	return text(s.host.Arrive(&at, callerOf(a, from), ticket{from, outcomeAs("all are connected")}))
}

// agreed shows how many links the host keeps whose ranks have not all got their last answer:
//
//	agreed
func (s *stage) agreed(*script.Arguments) string {
	return fmt.Sprintf("%d links\n", len(s.host.agreed))
}

// outcomeAs returns a function that shows an Outcome, and a text if that is no error.
func outcomeAs(fine string) func(body []byte) (string, error) {
	return func(body []byte) (string, error) {
		o, err := DecodeOutcome(body)
		if err == nil {
			err = o.Err()
		}
		return fine, err
	}
}

// leave lets a member give up its wait for the introductions, permanently if it gives a reason:
//
//	leave MEMBER [why=TEXT]
func (s *stage) leave(a *script.Arguments) string {
	from, at := s.arrival(a, AboutIntroduction)
	at.Body = []byte(a.Text("why", ""))
	d, answers := s.host.Leave(&at, from)
	b := d.Encode()
	d, err := DecodeDeparture(b)
	if err != nil {
		a.Fail("%w", err)
	}
	return fmt.Sprintf("left %v, met %v, missing %v\n%s", d.Left, d.Met, d.Missing, text(answers))
}

// refuse ends the meeting, since the first member of a side has found out that the other side never comes:
//
//	refuse MEMBER why=TEXT
func (s *stage) refuse(a *script.Arguments) string {
	from, at := s.arrival(a, AboutIntroduction)
	why := problem(ErrField, "%s", a.Text("why", ""))
	at.Body = why.Encode()
	answers, err := s.host.Refuse(&at, callerOf(a, from).Cohort)
	if err != nil {
		a.Fail("%w", err)
	}
	return text(answers)
}
