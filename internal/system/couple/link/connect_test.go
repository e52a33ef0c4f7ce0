package link

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// connecting is one rank of a link from ranks 0 and 1 to ranks 2 and 3. Each of the senders has points in common with each receiver.
type connecting struct {
	p     *acp.Process
	s     *System
	model *Model
	side  side.Side
	field *Field
	data  []float64
}

// newConnecting declares the model of a rank.
func newConnecting(p *acp.Process) (*connecting, error) {
	c := &connecting{p: p, s: Of(p), side: side.Side(p.Rank() / 2), data: make([]float64, 4)}
	var err error
	c.model, err = c.s.NewModel([]string{"from", "to"}[c.side], [][]int{{0, 1}, {2, 3}}[c.side])
	return c, err
}

// declare declares the field of a rank, with the points that its entry has.
func (c *connecting) declare(all [4][]int64) error {
	numbers := all[c.p.Rank()]
	layout, _, err := points.Ranges(func(yield func(int64, int64) bool) {
		for _, n := range numbers {
			if !yield(n, 1) {
				return
			}
		}
	})
	if err == nil {
		c.field, err = c.model.NewField("f", element.Type{Kind: datatype.Float64, Values: 1}, Data{Base: unsafe.Pointer(&c.data[0]), Owner: c.data}, layout, layout)
	}
	return err
}

// fitting are points of all ranks that fit.
var fitting = [4][]int64{{0, 2, 4, 6}, {1, 3, 5, 7}, {0, 1, 2, 3}, {0, 1, 2, 3}}

// partner returns the name of the field at the other side.
func (c *connecting) partner() string { return []string{"to.f", "from.f"}[c.side] }

// open opens and closes the link, and returns the error.
func (c *connecting) open(ctx context.Context) error {
	e, err := c.s.open(ctx, c.field, c.side, meet.Moving, c.partner(), Options{})
	if err != nil {
		return err
	}
	return e.Close(ctx)
}

// fault makes the connection between a sender and a receiver fail.
type fault struct {
	name             string
	sender, receiver int // indexes
	tamper           func(t *flows, c connection)
}

// faults are the faults of all steps of connecting: the receiver does not answer, the answer has no address, or its positions do not fit.
func faults() (all []fault) {
	for sender := range 2 {
		for receiver := range 2 {
			all = append(all,
				fault{"refusal", sender, receiver, func(t *flows, c connection) { delete(t.expected, c) }},
				fault{"address", sender, receiver, func(t *flows, c connection) { t.expected[c].here.word++ }},
				fault{"positions", sender, receiver, func(t *flows, c connection) {
					f := t.expected[c].f
					f.zeroCopy, f.positions = true, points.Of(1, 2, 3)
				}})
		}
	}
	return all
}

// TestConnectFails: if a sender fails at any step of connecting, no rank has the link. Memory of the link that is used for something else
// afterwards stays as it is. Then the link can be opened.
func TestConnectFails(t *testing.T) {
	for _, hosts := range []int{1, 4} {
		for _, x := range faults() {
			t.Run(fmt.Sprintf("%d hosts, %s between %d and %d", hosts, x.name, x.sender, x.receiver), func(t *testing.T) {
				extensiontest.RunOnHosts(t, 4, hosts, acp.Config{}, func(p *acp.Process) error {
					c, err := newConnecting(p)
					if err != nil {
						return err
					}
					return errors.Join(c.declare(fitting), c.fails(t.Context(), &x))
				})
			})
		}
	}
}

// fails opens the link with a fault, and then without one.
func (c *connecting) fails(ctx context.Context, x *fault) error {
	o := c.s.newOpening(c.field, c.side, meet.Moving, c.partner(), Options{})
	if err := o.introduce(ctx); err != nil {
		return err
	}
	e, err := o.prepare(ctx, ctx)
	if err != nil {
		return err
	}
	if c.side == side.Receiving && c.field.model.index == x.receiver {
		c.s.flows.mu.Lock()
		x.tamper(&c.s.flows, connection{e.id, x.sender, x.receiver})
		c.s.flows.mu.Unlock()
	}
	if err := c.p.Sync(); err != nil {
		return err
	}
	if err := c.refused(o.join(ctx, ctx, e), x); err != nil {
		return errors.Join(err, e.Close(ctx))
	}
	if e.block != ga.Null || len(c.s.flows.byNumber)+len(c.s.flows.expected) > 0 {
		return fmt.Errorf("block %#x, %d flows and %d expected ones are left", e.block, len(c.s.flows.byNumber), len(c.s.flows.expected))
	}
	return c.keeps(func() error { return c.open(ctx) })
}

// refused checks the error of a rank: the sender that has failed names the receiver, and the other ranks name both.
func (c *connecting) refused(err error, x *fault) error {
	failed := c.side == side.Sending && c.field.model.index == x.sender
	text := fmt.Sprintf("rank %d: ", 2+x.receiver)
	if !failed {
		text = fmt.Sprintf("process %d of the sending side: %s", x.sender, text)
	}
	if err == nil || errors.Is(err, meet.ErrPartner) == failed || !strings.Contains(err.Error(), text) {
		return fmt.Errorf("error %w, expected %q", err, text)
	}
	return nil
}

// keeps uses much of the heap while f runs on all ranks, and checks that no other code writes there.
func (c *connecting) keeps(f func() error) error {
	var all [][]byte
	for n := uint64(64); n <= 4096; n *= 2 {
		for range 20 {
			at, err := c.p.Malloc(n, c.p.Rank())
			if err != nil {
				return err
			}
			address, err := c.p.QueryAddress(at)
			if err != nil {
				return err
			}
			b := unsafe.Slice((*byte)(address), n)
			for i := range b {
				b[i] = 0x5a
			}
			all = append(all, b)
		}
	}
	if err := errors.Join(c.p.Sync(), f(), c.p.Sync()); err != nil {
		return err
	}
	for _, b := range all {
		if strings.Trim(string(b), "\x5a") != "" {
			return errors.New("another rank has written into memory that the link does not have any more")
		}
	}
	return nil
}

// TestNothingStays: links that cannot be opened leave nothing behind at their hosts and in the directories. The same models open the
// link when they have other points.
func TestNothingStays(t *testing.T) {
	missing, twice := fitting, fitting
	missing[3], twice[1] = []int64{0, 1, 2, 9}, []int64{1, 3, 4, 5}
	extensiontest.RunOnHosts(t, 4, 1, acp.Config{}, func(p *acp.Process) error {
		c, err := newConnecting(p)
		if err != nil {
			return err
		}
		for _, x := range []struct {
			points [4][]int64
			want   error
		}{{missing, ErrMissing}, {twice, points.ErrTwice}, {fitting, nil}} {
			if err := c.declare(x.points); err != nil {
				return err
			}
			if err := c.open(t.Context()); !errors.Is(err, x.want) {
				return fmt.Errorf("error %w, expected %w", err, x.want)
			}
			if err := errors.Join(p.Sync(), c.nothingLeft(), p.Sync()); err != nil {
				return err
			}
		}
		return nil
	})
}

// nothingLeft returns an error if a process keeps anything about the opening of a link.
func (c *connecting) nothingLeft() error {
	c.s.host.mu.Lock()
	defer c.s.host.mu.Unlock()
	c.s.shards.mu.Lock()
	defer c.s.shards.mu.Unlock()
	host, shards := reflect.ValueOf(c.s.host.machine).Elem(), reflect.ValueOf(c.s.shards.machine).Elem()
	for what, n := range map[string]int{
		"meetings": host.FieldByName("open").Len(), "agreements": host.FieldByName("agreed").Len(), "shards": shards.FieldByName("byID").Len(),
	} {
		if n != 0 {
			return fmt.Errorf("%d %s are left", n, what)
		}
	}
	return nil
}
