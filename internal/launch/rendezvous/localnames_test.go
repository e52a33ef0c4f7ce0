package rendezvous

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/goacp/goacp/internal/ground/endpoint"
)

func TestLocalNames(t *testing.T) {
	l, err := NewLocalNames()
	if err != nil {
		t.Fatal(err)
	}
	l.Host = "pc01.example.org"
	for _, name := range []string{"localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "pc01.example.org", "pc01"} {
		if !l.IsLocal(name) {
			t.Errorf("%s is not local", name)
		}
	}
	for _, name := range []string{"pc02", "pc01.example.com", "pc01.", "192.0.2.77", "pc", ""} {
		if l.IsLocal(name) {
			t.Errorf("%q is local", name)
		}
	}
}

func TestRendezvousAddrs(t *testing.T) {
	any, err := endpoint.Parse("", "")
	if err != nil {
		t.Fatal(err)
	}
	lo, err := endpoint.Parse("lo", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []endpoint.Choice{any, lo} {
		if got, err := listenAddrs(c, nil, false); err != nil || !slices.Equal(got, []netip.Addr{endpoint.Loopback()}) {
			t.Errorf("addresses of a local run: %v, %v", got, err)
		}
	}
	remote := []string{"no-such-host.invalid"}
	got, err := listenAddrs(any, remote, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range got {
		if addr.IsLoopback() {
			t.Errorf("address %s is of no use to another host", addr)
		}
	}
	if got, err := listenAddrs(lo, remote, false); err != nil || !slices.Contains(got, endpoint.Loopback()) {
		t.Errorf("addresses of the interface that was asked for: %v, %v", got, err)
	}
}
