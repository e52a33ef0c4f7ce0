package endpoint

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func addrs(texts ...string) (list []netip.Addr) {
	for _, t := range texts {
		list = append(list, netip.MustParseAddr(t))
	}
	return list
}

// TestAmong chooses among the addresses of a host with several networks.
func TestAmong(t *testing.T) {
	own := []ownAddr{
		{"lo", netip.MustParseAddr("127.0.0.1")}, {"lo", netip.MustParseAddr("::1")},
		{"eth0", netip.MustParseAddr("2001:db8::1")}, {"eth0", netip.MustParseAddr("10.1.2.3")},
		{"ib0", netip.MustParseAddr("10.2.2.3")},
	}
	for _, c := range []struct {
		choice string
		want   []netip.Addr
		err    string
	}{
		{"", addrs("10.1.2.3", "10.2.2.3", "2001:db8::1"), ""},
		{"ib0", addrs("10.2.2.3"), ""},
		{"ib0,eth0", addrs("10.2.2.3", "2001:db8::1", "10.1.2.3"), ""},
		{"10.2.0.0/16", addrs("10.2.2.3"), ""},
		{"10.1.2.3", addrs("10.1.2.3"), ""},
		{"10.0.0.0/8,eth0", addrs("10.1.2.3", "10.2.2.3", "2001:db8::1"), ""},
		{"ib7,ib0", addrs("10.2.2.3"), ""}, // hosts differ
		{"lo", addrs("127.0.0.1", "::1"), ""},
		{"ib7,192.0.2.0/24", nil, "option -interface (ACP_INTERFACE): this host has no ib7 or 192.0.2.0/24; it has lo (127.0.0.1), "},
	} {
		choice, err := Parse(c.choice, "")
		if err != nil {
			t.Fatal(err)
		}
		got, err := choice.among(own)
		if !slices.Equal(got, c.want) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, %v; expected %v, %q", c.choice, got, err, c.want, c.err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ interfaces, ports, want string }{
		{",", "", "option -interface (ACP_INTERFACE): \",\": expected names"},
		{"eth0,,ib0", "", "expected names"},
		{"10.1.0.0/33", "", "expected names"},
		{"eth0 ib0", "", "expected names"},
		{"", "40000", "option -portrange (ACP_PORTRANGE): \"40000\": expected the first and the last port"},
		{"", "0-5", "expected the first"}, {"", "5-4", "expected the first"}, {"", "1-65536", "expected the first"}, {"", "a-b", "expected the first"},
	} {
		if _, err := Parse(c.interfaces, c.ports); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %q: %v, expected %q in it", c.interfaces, c.ports, err, c.want)
		}
	}
}

// TestListen takes all ports of a range, and then one more.
func TestListen(t *testing.T) {
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	taken := probe.Addr().(*net.TCPAddr).AddrPort().Port()
	defer probe.Close()
	full := Choice{first: taken, last: taken}
	if _, err := full.Listen([]netip.Addr{Loopback()}); err == nil || !strings.Contains(err.Error(), optionPortRange) {
		t.Errorf("a range that is in use: %v", err)
	}
	wide := Choice{first: 20000, last: 60000}
	sockets, err := wide.Listen([]netip.Addr{Loopback()})
	if err != nil {
		t.Fatal(err)
	}
	defer sockets[0].Close()
	if port := sockets[0].Addr().(*net.TCPAddr).Port; port < 20000 || port > 60000 {
		t.Errorf("port %d is not in the range", port)
	}
	if _, err := (Choice{}).Listen(nil); err == nil {
		t.Error("nothing to listen at is no error")
	}
	// This host does not have the first.
	both := addrs("192.0.2.1", "127.0.0.1")
	if sockets, err = (Choice{}).Listen(both); err != nil || len(sockets) != 1 {
		t.Fatalf("%d sockets, %v", len(sockets), err)
	}
	sockets[0].Close()
	if _, err := (Choice{interfaces: []string{"192.0.2.1", "lo"}}).Listen(both); err == nil {
		t.Error("a chosen address that cannot be used is no error")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("eth0,10.0.0.0/8", "1-65535")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, interfaces, ports string) {
		c, err := Parse(interfaces, ports)
		if err == nil && (c.first > c.last || (c.first == 0) != (ports == "")) {
			t.Errorf("%q means ports %d to %d", ports, c.first, c.last)
		}
	})
}
