package bridge

import (
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"testing"
)

func TestParseMode(t *testing.T) {
	for text, want := range map[string]Mode{
		"": ModeAuto, "auto": ModeAuto, "AUTO": ModeAuto, "shm": ModeSHM, "SHM": ModeSHM,
		"rma": ModeRMA, "RMA": ModeRMA, "ib": ModeRMA, "IB": ModeRMA,
		"infiniband": ModeRMA, "INFINIBAND": ModeRMA, "inifiniband": ModeRMA,
		"tcp": ModeTCP, "TCP": ModeTCP, "udp": ModeTCP, "UDP": ModeTCP,
	} {
		if got, err := ParseMode(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"tofu": "not supported", "TOFU2": "not supported", "Udp": "unknown", "Auto": "unknown", "ether": `"ether"`, " tcp": "unknown",
	} {
		if _, err := ParseMode(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for m := ModeAuto; m.valid(); m++ {
		if got, err := ParseMode(m.String()); err != nil || got != m {
			t.Errorf("%v: %v, %v", m, got, err)
		}
	}
	if _, err := ParseMode("ether"); !strings.HasSuffix(err.Error(), ": expected auto, shm, rma (ib) or tcp (udp)") {
		t.Errorf("the names of the modes: %v", err)
	}
}

// TestRouteTable expects that every route has all entries of its row that other routes have,
// and that numbers beyond the table have no abilities.
func TestRouteTable(t *testing.T) {
	for r, want := range []struct{ memory, windows, advice bool }{
		Self: {memory: true}, SHM: {memory: true, advice: true}, RMA: {windows: true, advice: true}, TCP: {}, RouteEnd: {},
	} {
		route, mode := Route(r), Mode(r)
		if route.SharesMemory() != want.memory || mode.NeedsWindows() != want.windows || (mode.advice() != "") != want.advice {
			t.Errorf("%v: shares memory %v, needs windows %v, advice %q", route, route.SharesMemory(), mode.NeedsWindows(), mode.advice())
		}
	}
	for r := Self; r < RouteEnd; r++ {
		if routes[r].name == "" || (routes[r].refusal == nil) != (r == Self) {
			t.Errorf("%v: incomplete row", r)
		}
	}
	if route, mode := RouteEnd.String(), Mode(RouteEnd).String(); route != "Route(4)" || mode != "Mode(4)" {
		t.Errorf("beyond the table: %s, %s", route, mode)
	}
}

func TestPairMode(t *testing.T) {
	all := []Mode{ModeAuto, ModeSHM, ModeRMA, ModeTCP}
	want := [][]Mode{
		{ModeAuto, ModeSHM, ModeRMA, ModeTCP},
		{ModeSHM, ModeSHM, ModeSHM, ModeSHM},
		{ModeRMA, ModeSHM, ModeRMA, ModeTCP},
		{ModeTCP, ModeSHM, ModeTCP, ModeTCP},
	}
	for i, a := range all {
		for j, b := range all {
			if got := PairMode(a, b); got != want[i][j] {
				t.Errorf("%v with %v: %v, expected %v", a, b, got, want[i][j])
			}
		}
	}
}

func TestChooseRoute(t *testing.T) {
	agent := []netip.AddrPort{netip.MustParseAddrPort("10.0.0.1:1")}
	here := Contact{Member: 1, Job: 0, Host: HostID{1}, HostName: "alpha", PID: 11, Agent: agent}
	near := Contact{Member: 2, Job: 1, Host: HostID{1}, HostName: "alpha", PID: 22, Agent: agent}
	far := Contact{Member: 3, Job: 2, Host: HostID{2}, HostName: "beta", PID: 33, Agent: agent}
	mpi := Contact{Member: 5, Job: 3, Host: HostID{1}, HostName: "alpha", Agent: agent, MPI: "Open MPI 4.1.4", RDMA: RDMAFound}
	same := Contact{Member: 7, Job: 4, Host: HostID{2}, HostName: "beta", Agent: agent, MPI: "Open MPI 4.1.4", RDMA: RDMAFound}
	other := Contact{Member: 6, Job: 4, Host: HostID{2}, HostName: "beta", Agent: agent, MPI: "Open MPI 5.0.1"}
	joined, apart := func() string { return "" }, func() string { return "why they are apart" }
	mute := Contact{Member: 4, Job: 2, Host: HostID{3}, HostName: "gamma", PID: 44}
	for _, test := range []struct {
		mode    Mode
		a, b    *Contact
		want    Route
		refused []Route
		err     []string // parts of the error
		apart   func() string
	}{
		{ModeAuto, &here, &here, Self, nil, nil, nil},
		{ModeTCP, &here, &here, Self, nil, nil, nil},
		{ModeAuto, &here, &near, SHM, nil, nil, nil},
		{ModeAuto, &here, &far, TCP, []Route{SHM, RMA}, nil, nil},
		{ModeAuto, &here, &mute, 0, []Route{SHM, RMA, TCP}, []string{"rank 4 has no agent"}, nil},
		{ModeSHM, &here, &near, SHM, nil, nil, nil},
		{ModeSHM, &here, &far, 0, []Route{SHM},
			[]string{"network shm", "rank 1 (job 0, host alpha, pid 11)", "rank 3 (job 2, host beta, pid 33)", "different hosts"}, nil},
		{ModeTCP, &here, &near, TCP, nil, nil, nil},
		{ModeTCP, &here, &far, TCP, nil, nil, nil},
		{ModeRMA, &here, &near, 0, []Route{RMA}, []string{"job 0 has no MPI"}, nil},
		{ModeRMA, &mpi, &near, 0, []Route{RMA}, []string{"job 1 has no MPI"}, nil},
		{ModeRMA, &mpi, &other, 0, []Route{RMA}, []string{"job 3 has Open MPI 4.1.4, job 4 Open MPI 5.0.1"}, nil},
		{ModeRMA, &mpi, &same, 0, []Route{RMA}, []string{"why they are apart"}, apart},
		{ModeRMA, &mpi, &same, RMA, nil, nil, joined},
		{ModeAuto, &mpi, &same, RMA, []Route{SHM}, nil, joined},
	} {
		for _, pair := range [][2]*Contact{{test.a, test.b}, {test.b, test.a}} {
			got, refused, err := ChooseRoute(test.mode, pair[0], pair[1], test.apart)
			if (err != nil) != (test.err != nil) || got != test.want {
				t.Errorf("%v, %d and %d: %v, %v", test.mode, pair[0].Member, pair[1].Member, got, err)
			}
			var routeErr *RouteError
			if errors.As(err, &routeErr) {
				refused = routeErr.Refused
			}
			var routes []Route
			for _, r := range refused {
				routes = append(routes, r.Route)
				if r.Reason == "" {
					t.Errorf("%v refused without a reason", r.Route)
				}
			}
			if !reflect.DeepEqual(routes, test.refused) {
				t.Errorf("%v, %d and %d: refused %v, expected %v", test.mode, pair[0].Member, pair[1].Member, routes, test.refused)
			}
			for _, part := range test.err {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v, expected %q in it", err, part)
				}
			}
		}
	}
}
