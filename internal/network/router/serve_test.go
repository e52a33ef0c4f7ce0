package router

import (
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/network/driver"
)

// gate is a messenger whose Serve carries out the requests that have waited.
type gate struct {
	driver.Messenger
	serve func()
}

func (g *gate) Serve() { g.serve() }

// TestServesWholeTable: when the messenger starts to serve, every operation and notice is in
// the table.
func TestServesWholeTable(t *testing.T) {
	const op, notice = am.Op(9), 5
	served, noticed := 0, 0
	n := new(Router)
	n.env.Messenger = &gate{serve: func() {
		o := (*owner)(n)
		if _, err := o.Serve(fabric.Request{Service: uint16(op)}); err != nil {
			t.Error(err)
		}
		o.Notify(1, notice, 0, 0)
		if _, err := o.Serve(fabric.Request{Service: uint16(am.OpFabric)}); err == nil || strings.Contains(err.Error(), "no operation") {
			t.Errorf("a question to a transport: %v", err)
		}
	}}
	ops := []am.Operation{{Op: op, Name: "count", Serve: func(fabric.Request) (int, error) {
		served++
		return 0, nil
	}}}
	notices := []am.Notice{{Number: notice, Name: "count", Take: func(int, uint32, uint64) { noticed++ }}}
	if err := n.Serve(func() *heapview.View { return nil }, ops, notices); err != nil {
		t.Fatal(err)
	}
	if served != 1 || noticed != 1 {
		t.Errorf("%d operations and %d notices, want one of each", served, noticed)
	}
}

// TestServesNothingTwice: with two operations of one number, the messenger does not start.
func TestServesNothingTwice(t *testing.T) {
	n := new(Router)
	n.env.Messenger = &gate{serve: func() { t.Error("the messenger serves") }}
	idle := am.Operation{Op: am.OpFabric, Name: "idle", Serve: func(fabric.Request) (int, error) { return 0, nil }}
	if err := n.Serve(nil, []am.Operation{idle}, nil); err == nil || !strings.Contains(err.Error(), "idle and question") {
		t.Errorf("two operations with one number: %v", err)
	}
}
