package link

import (
	"bytes"
	"context"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/watch"
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
	opMeet: (*System).serveMeet, opLeave: (*System).serveLeave, opRefuse: (*System).serveRefuse, opReport: (*System).serveReport,
	opInquiry: (*System).serveInquiry, opHold: (*System).serveHold, opFetch: (*System).serveFetch,
	opConnect: (*System).serveConnect, opWatch: (*System).serveWatch, opReady: (*System).serveReady,
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

// FuzzServe: a process survives all requests of other processes, in any order, and still works.
func FuzzServe(f *testing.F) {
	s := alone(f)
	meets := meet.Arrival{Link: "a.f>b.f", Size: 1}
	in := meet.Introduction{Element: element.Type{Kind: datatype.Float64, Values: 1}}
	meets.Body = in.Encode()
	ready := meet.Arrival{Question: meet.AboutReadiness, Link: "a.f>b.f", ID: 1, Size: 1}
	refuses := meets
	refuses.Body = new(meet.Outcome).Encode()
	fact := meet.Report{Fact: meet.Has, Model: "a", Name: "f"}
	whole := meet.Piece{ID: 1, Last: true, Part: []byte{0, 0}}
	fetches := meet.Fetch{ID: 1}
	asks := meet.Inquiry{Number: 7, Model: "a", Field: "f"}
	all := []request{
		{opMeet, meets.Encode()}, {opMeet, ready.Encode()}, {opLeave, meets.Encode()}, {opRefuse, refuses.Encode()}, {opReport, fact.Encode()},
		{opInquiry, asks.Encode()}, {opHold, whole.Encode()}, {opFetch, fetches.Encode()}, {opConnect, make([]byte, 8)}, {opWatch, (&watch.Message{ID: 9, Kind: watch.Chosen, Round: 7, Step: 100}).Encode()},
		{opReady, make([]byte, 5)}, {opRecall, make([]byte, 1)},
	}
	var together []byte
	for _, r := range all {
		f.Add(uint16(200), r.append(r.append(nil)))
		together = r.append(together)
	}
	f.Add(uint16(1000), together)
	f.Fuzz(func(t *testing.T, capacity uint16, b []byte) {
		for _, r := range requests(b) {
			request := fabric.Request{Body: bytes.Clone(r.body), Reply: make([]byte, capacity), Later: later{}}
			n, err := serves[r.operation](s, request)
			if err == nil && (n < 0 || n > len(request.Reply)) {
				t.Fatalf("operation %d: an answer of %d bytes in %d", r.operation, n, capacity)
			}
		}
		s.forgetMeetings()
		s.registry.mu.Lock()
		s.registry.machine.Forget()
		s.registry.mu.Unlock()
		if err := move(s); err != nil {
			t.Fatal(err)
		}
	})
}

// move opens a link between two models of this process, and moves a value.
func move(s *System) error {
	ends := make(chan error)
	values := []int64{5, 0}
	for sd, name := range []string{"from", "to"} {
		go func() {
			ends <- func() error {
				m, err := s.NewModel(name, []int{0})
				if err != nil {
					return err
				}
				all := &points.Layout{Points: points.Of(0), Positions: points.Of(0)}
				f, err := m.NewField("f", element.Type{Kind: datatype.Int64, Values: 1}, Data{Base: unsafe.Pointer(&values[sd]), Owner: values}, all, all)
				if err != nil {
					return err
				}
				if sd == 0 {
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
