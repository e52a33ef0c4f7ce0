package link

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// alone returns the part of a process that is the only rank of its run.
func alone(t testing.TB) *System {
	return Of(extensiontest.Alone(t, acp.Config{HeapSize: acp.MinHeapSize}))
}

// later lets requests be answered later. The answers go nowhere.
type later struct{}

func (later) Defer() fabric.Completion { return later{} }
func (later) Complete(uint64, error)   {}

// serves are the functions that serve requests of other processes.
var serves = [...]func(*System, fabric.Request) (int, error){
	opMeet: (*System).serveMeet, opLeave: (*System).serveLeave, opRefuse: (*System).serveRefuse, opTell: (*System).serveTell,
	opPartner: (*System).servePartner, opHold: (*System).serveHold, opFetch: (*System).serveFetch,
	opConnect: (*System).serveConnect, opWatch: (*System).serveWatch, opOffer: (*System).serveOffer,
	opRecall: (*System).serveRecall,
}

// requests returns the requests that some bytes are: each has the number of an operation and the length of its body in front
// of it.
func requests(b []byte) (all []request) {
	for len(b) >= 2 && len(all) < 100 {
		n := min(int(b[1]), len(b)-2)
		all = append(all, request{int(b[0]) % len(serves), b[2:][:n]})
		b = b[2+n:]
	}
	return all
}

// request is a request that any process may send.
type request struct {
	operation int
	body      []byte
}

// append returns bytes that end with the request.
func (r request) append(b []byte) []byte {
	return append(append(b, byte(r.operation), byte(len(r.body))), r.body...)
}

// FuzzServe: a process survives all requests of others, in any order, and goes on to work.
func FuzzServe(f *testing.F) {
	s := alone(f)
	meets := attendance{name: "a.f>b.f", size: 1}
	meets.body = anIntroduction.encode()
	ready := attendance{question: aboutReadiness, name: "a.f>b.f", id: 1, size: 1}
	refuses := meets
	why := problem(ErrField, "there is none")
	refuses.body = why.encode()
	var fact writer
	fact.number(modelHas)
	fact.text("a")
	fact.text("f")
	whole := holding{id: 1, index: 0, last: true, part: []byte{0, 0}}
	fetches := fetching{id: 1}
	var asks writer
	asks.number(askWait)
	asks.number(7)
	asks.text("a")
	asks.text("f")
	all := []request{
		{opMeet, meets.encode()}, {opMeet, ready.encode()}, {opLeave, meets.encode()}, {opRefuse, refuses.encode()}, {opTell, fact},
		{opPartner, asks}, {opHold, whole.encode()}, {opFetch, fetches.encode()}, {opConnect, make([]byte, 8)}, {opWatch, aSaying.encode()},
		{opOffer, make([]byte, 5)}, {opRecall, make([]byte, 1)},
	}
	var together []byte
	for _, r := range all {
		f.Add(uint16(200), r.append(r.append(nil)))
		together = r.append(together)
	}
	f.Add(uint16(1000), together)
	f.Fuzz(func(t *testing.T, room uint16, b []byte) {
		for _, r := range requests(b) {
			request := fabric.Request{Body: bytes.Clone(r.body), Reply: make([]byte, room), Later: later{}}
			n, err := serves[r.operation](s, request)
			if err == nil && (n < 0 || n > len(request.Reply)) {
				t.Fatalf("operation %d: an answer of %d bytes in %d", r.operation, n, room)
			}
		}
		s.meetings.forget()
		s.offices.forget()
		s.registry.forget()
		if err := move(s); err != nil {
			t.Fatal(err)
		}
	})
}

// move opens a link between two models of this process, and moves a value.
func move(s *System) error {
	ends := make(chan error)
	values := []int64{5, 0}
	for side, name := range []string{"from", "to"} {
		go func() {
			ends <- func() error {
				m, err := s.NewModel(name, []int{0})
				if err != nil {
					return err
				}
				all := &points.Layout{Points: points.Of(0), Positions: points.Of(0)}
				f, err := m.NewField("f", Element{datatype.Int64, 1}, Data{Base: unsafe.Pointer(&values[side]), Owner: values}, all, all)
				if err != nil {
					return err
				}
				if side == 0 {
					e, err := f.SendTo(context.Background(), "to.f", Options{})
					if err != nil {
						return err
					}
					if err := e.Send(context.Background(), 0); err != nil {
						return err
					}
					return e.Close(context.Background())
				}
				e, err := f.ReceiveFrom(context.Background(), "from.f", Options{})
				if err != nil {
					return err
				}
				if err := e.Receive(context.Background(), 0); err != nil {
					return err
				}
				return e.Close(context.Background())
			}()
		}()
	}
	err := <-ends
	if err1 := <-ends; err == nil {
		err = err1
	}
	return err
}

// TestForgedPoints: a directory takes the points of a rank from that rank alone, and once. No rank fetches what is for another
// one.
func TestForgedPoints(t *testing.T) {
	s := &System{}
	s.offices.forget()
	tell := func(from, index int, last bool) bool {
		return s.offices.hold(from, &holding{id: 1, side: sending, index: index, last: last, part: []byte{0, 0}}) != nil
	}
	if !tell(4, 0, false) || tell(5, 0, false) || !tell(4, 0, true) || tell(4, 0, true) || !tell(5, 1, true) {
		t.Error("a directory takes points that it should not take, or does not take others")
	}
	of := s.offices.office(1)
	members := [2][]int{{4, 5}, {6}}
	of.told[sending] = nil // as when the points are compared
	if tell(4, 0, true) {
		t.Error("a directory takes points after it has compared them")
	}
	of.members = members
	of.answers = results(directory.Match{Missing: directory.None, Twice: directory.None}, [2]int{2, 1})
	for _, c := range []struct {
		from     int
		side     side
		index    int
		offset   int
		accepted bool
	}{
		{4, sending, 1, 0, false}, {6, sending, 0, 0, false}, {4, receiving, 0, 0, false}, {4, sending, 2, 0, false},
		{4, sending, 0, 1000, false}, {4, sending, 0, 0, true}, {4, sending, 0, 0, false}, {6, receiving, 0, 0, true},
	} {
		f := fetching{id: 1, side: c.side, index: c.index, offset: c.offset, from: c.from, answer: make([]byte, 200)}
		if _, err := of.fetch(&f); (err == nil) != c.accepted {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestManyLinks: requests about links that there are not take no memory without bound.
func TestManyLinks(t *testing.T) {
	var o offices
	o.forget()
	for id := range uint64(maxOffices) {
		if o.office(id) == nil {
			t.Fatalf("no room for link %d", id)
		}
	}
	if o.office(maxOffices) != nil || o.office(0) == nil {
		t.Error("the number of directories has no bound")
	}
}

// TestSamePlace: two ranks that say that they are the same process of a model get an error, and no rank leaves for another
// one.
func TestSamePlace(t *testing.T) {
	var m meeting
	a := attendance{side: receiving, index: 1, size: 2, from: 3}
	if o := m.enter(&a, attendant{from: 3, done: later{}}); o.code != 0 {
		t.Fatal(o)
	}
	other := a
	other.from = 4
	if m.leave(&other, 1, 9).was {
		t.Error("a rank leaves a meeting for another one")
	}
	if o := m.enter(&a, attendant{from: 3, done: later{}}); o.code != 0 {
		t.Errorf("a rank that comes again: %v", o)
	}
	if o := m.enter(&other, attendant{from: 4, done: later{}}); !errors.Is(o.err(), ErrDisagree) {
		t.Errorf("another rank in the same place: %v", o)
	}
	if !m.leave(&a, 2, 9).was {
		t.Error("a rank that has come cannot leave")
	}
}
