package meet

import (
	"fmt"
	"strings"

	"github.com/goacp/goacp/internal/acptest/script"
)

// newRegistry begins with a registry without models, of a run with a number of jobs:
//
//	registry jobs=N
func (s *stage) newRegistry(a *script.Arguments) string {
	s.registry = NewRegistry(8, a.Value("jobs", 1))
	return ""
}

// factNames are the facts as scripts call them.
var factNames = map[string]Fact{
	"declared": Declared, "has": Has, "sealed": Sealed, "ended": Ended, "waits": Waits, "gives-up": GivesUp, "waits-no-more": WaitsNoMore, "left": Left,
}

// report lets a member send a fact about a model. The name is the name of a field or a link:
//
//	report MEMBER FACT MODEL [NAME] [members=N,N]
func (s *stage) report(a *script.Arguments) string {
	from := a.Number(a.Next())
	fact, known := factNames[a.Next()]
	if !known {
		a.Fail("there is no such fact")
	}
	r := Report{Fact: fact, Model: a.Next()}
	if members := a.Numbers("members"); members != nil {
		r.Name = string(EncodeMembers(members))
	} else if a.More() {
		r.Name = a.Next()
	}
	r, err := DecodeReport(r.Encode())
	if err != nil {
		a.Fail("%w", err)
	}
	answers, err := s.registry.Report(&r, callerOf(a, from))
	if err != nil {
		return err.Error() + "\n"
	}
	if len(answers) == 0 {
		return ""
	}
	return text(answers)
}

// inquiry returns the inquiry of the member and about the field that are the next arguments:
//
//	MEMBER MODEL.FIELD [number=N]
func inquiry(a *script.Arguments, manner Manner) (from int, q Inquiry) {
	from = a.Number(a.Next())
	q = Inquiry{Manner: manner, Number: uint64(a.Value("number", 1))}
	q.Model, q.Field, _ = strings.Cut(a.Next(), ".")
	return from, q
}

// ask lets a member wait until a field cannot come any more:
//
//	ask MEMBER MODEL.FIELD [number=N]
func (s *stage) ask(a *script.Arguments) string {
	from, q := inquiry(a, AskWait)
	return text(s.registry.Inquire(&q, from, ticket{from, outcomeAs("all are ready")}))
}

// forgo ends that wait:
//
//	forgo MEMBER MODEL.FIELD [number=N]
func (s *stage) forgo(a *script.Arguments) string {
	from, q := inquiry(a, AskNoMore)
	return text(s.registry.Inquire(&q, from, ticket{from, outcomeAs("all are ready")}))
}

// situation lets a member of model own ask why the field at the other side of a link has not come:
//
//	situation MEMBER MODEL.FIELD own=MODEL link=NAME
func (s *stage) situation(a *script.Arguments) string {
	from, q := inquiry(a, AskNow)
	q.Own, q.Link = a.Text("own", ""), a.Text("link", "")
	return text(s.registry.Inquire(&q, from, ticket{from, func(body []byte) (string, error) {
		n, err := DecodeSituation(body)
		if err != nil {
			return "", err
		}
		members, err := DecodeMembers(n.Members, 8)
		return fmt.Sprintf("absent: %q, members: %v, order: %q", n.Absent, members, n.Order), err
	}}))
}
