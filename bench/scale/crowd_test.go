package main

import (
	"context"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/process/startup"
)

// TestCrowd takes the steps of a start with a crowd and looks at what rank 0 learns in each.
func TestCrowd(t *testing.T) {
	s := shape{ranks: 50, perHost: 16, jobs: 3}
	c, err := newCrowd(s)
	if err != nil {
		t.Fatal(err)
	}
	near, err := newNeighbourhood(c)
	if err != nil {
		t.Fatal(err)
	}
	defer near.space.Close()
	ctx := context.Background()
	host, err := startup.Hosts(ctx, c)
	if err != nil || host.Count != s.perHost || host.Index != 0 || host.Local {
		t.Fatalf("%+v, %v", host, err)
	}
	roster, err := startup.Contacts(ctx, c, &bridge.Contact{Host: host.ID, MemSize: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	near.members = roster.Own()
	groups, err := startup.Group(ctx, c, roster, near)
	if err != nil {
		t.Fatal(err)
	}
	for rank, leader := range groups.Leaders {
		if leader != rank/s.perHost*s.perHost {
			t.Errorf("rank %d has the leader %d", rank, leader)
		}
	}
	if sharing := groups.Sharing; sharing.Members != s.perHost || sharing.Processors != s.perHost {
		t.Errorf("%d ranks share %d processors, expected %d of each", sharing.Members, sharing.Processors, s.perHost)
	}
	if _, err := c.Exchange(ctx, []byte("x")); err == nil {
		t.Error("the crowd makes a further exchange")
	}
}

// TestMeasure compares the figures of a small run with each other.
func TestMeasure(t *testing.T) {
	s := shape{ranks: 100, perHost: 8, jobs: 2}
	f, err := measure(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	const messages = 3 + 2 + 2*int(stepsEnd) // of the proof, hello and welcome, and of the exchanges
	if f.depth != messages || f.member.Messages != uint64(messages) {
		t.Errorf("depth %d, messages %d; expected %d", f.depth, f.member.Messages, messages)
	}
	if n := f.sent.Messages + f.received.Messages; n != uint64(messages*s.ranks) {
		t.Errorf("the rendezvous has %d messages", n)
	}
	if n := f.sent.Bytes + f.received.Bytes; n != f.member.Bytes*uint64(s.ranks) {
		t.Errorf("the rendezvous moves %d bytes, one rank %d", n, f.member.Bytes)
	}
	if f.kinds != 14 { // 13 hosts, of which one has ranks of both jobs
		t.Errorf("%d kinds", f.kinds)
	}
	if f.meeting != (meeting{groups: 13, notes: 4, depth: 6}) {
		t.Errorf("%+v", f.meeting)
	}
}
