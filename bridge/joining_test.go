package bridge

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// world describes members for groups: one text per job, one word per process,
// "library/mode/host/rdma" with x for a library of its own name.
func world(t *testing.T, jobs ...string) *Members {
	t.Helper()
	var all []Contact
	for job, text := range jobs {
		for rank, word := range strings.Fields(text) {
			part := strings.Split(word, "/")
			mode, err := ParseMode(part[1])
			if err != nil {
				t.Fatal(err)
			}
			c := Contact{Member: uint32(len(all)), Job: uint32(job), JobRank: uint32(rank), Mode: mode,
				MPI: strings.Trim(part[0], "-"), Host: HostID{part[2][0]}, HostName: part[2]}
			if part[3] == "rdma" {
				c.RDMA = RDMAFound
			}
			all = append(all, c)
		}
	}
	m, err := NewMembers(encoded(all))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestGroups(t *testing.T) {
	for _, c := range []struct {
		name    string
		jobs    []string
		want    string
		reasons map[int]string // parts
	}{
		{"auto on one host costs nothing", []string{"A/auto/a/no A/auto/a/no", "A/auto/a/no"}, "[]", map[int]string{0: "no pair", 1: "no pair"}},
		{"auto without RDMA hardware costs nothing", []string{"A/auto/a/no", "A/auto/b/no"}, "[]", nil},
		{"RDMA hardware on one host only", []string{"A/auto/a/rdma A/auto/a/rdma", "A/auto/b/no"}, "[]", nil},
		{"RDMA hardware between hosts", []string{"A/auto/a/rdma", "A/auto/b/rdma", "A/auto/a/no"}, "[[0 1 2]]", nil},
		{"rma on one host", []string{"A/rma/a/no", "A/rma/a/no A/rma/a/no"}, "[[0 1]]", nil},
		{"rma alone", []string{"A/rma/a/no"}, "[[0]]", nil},
		{"one job asks for rma", []string{"A/auto/a/no", "A/rma/a/no"}, "[[0 1]]", nil},
		{"a job without MPI", []string{"-/rma/a/no", "A/rma/a/no", "A/rma/a/no"}, "[[1 2]]", map[int]string{0: "rank 0 has no MPI"}},
		{"a rank without MPI", []string{"A/rma/a/no -/rma/a/no", "A/rma/a/no"}, "[[1]]", map[int]string{0: "rank 1 has no MPI"}},
		{"two MPIs", []string{"A/rma/a/no", "B/rma/a/no", "A/rma/a/no", "B/rma/a/no"}, "[[0 2] [1 3]]", nil},
		{"two MPIs in a job", []string{"A/rma/a/no B/rma/a/no", "B/rma/a/no"}, "[[1]]", map[int]string{0: "rank 0 has A, rank 1 B"}},
		{"a job that wants tcp", []string{"A/tcp/a/no", "A/rma/a/no"}, "[[1]]", map[int]string{0: "network tcp"}},
		{"all want tcp", []string{"A/tcp/a/rdma", "A/tcp/b/rdma"}, "[]", nil},
	} {
		m := world(t, c.jobs...)
		groups, reasons := m.groups()
		if groups == nil {
			groups = [][]int{}
		}
		if got := fmt.Sprint(groups); got != c.want || m.MayJoin() != (got != "[]") {
			t.Errorf("%s: groups %s, expected %s; may join: %v", c.name, got, c.want, m.MayJoin())
		}
		for job, part := range c.reasons {
			if !strings.Contains(reasons[job], part) {
				t.Errorf("%s: job %d: %q, expected %q in it", c.name, job, reasons[job], part)
			}
		}
		for _, g := range groups {
			for _, job := range g {
				if reasons[job] != "" {
					t.Errorf("%s: job %d has a group and the reason %q", c.name, job, reasons[job])
				}
			}
		}
	}
}

// settled is a run of jobs of 1, 2 and 1 processes, of which the first and the last
// are a universe.
func settled(t *testing.T) (*Members, [][]byte) {
	t.Helper()
	m := world(t, "A/rma/a/no", "A/rma/a/no A/rma/a/no", "A/rma/b/no")
	return m, [][]byte{
		outcome(placement{0, 0, ""}), outcome(placement{noUniverse, 0, "why"}), outcome(placement{noUniverse, 0, "why"}), outcome(placement{0, 1, ""}),
	}
}

func TestSettle(t *testing.T) {
	m, blobs := settled(t)
	if _, joined := m.InUniverse(0, 3); joined || m.NotJoined(1) != "" || len(m.Universes()) != 0 {
		t.Error("something is joined before Settle")
	}
	if err := m.Settle(blobs); err != nil {
		t.Fatal(err)
	}
	if got := m.Universes(); !reflect.DeepEqual(got, [][]int{{0, 2}}) {
		t.Errorf("universes %v", got)
	}
	for i := range m.Len() {
		for j := range m.Len() {
			number, joined := m.InUniverse(i, j)
			want := slices.Contains([]int{0, 3}, i) && slices.Contains([]int{0, 3}, j)
			if joined != want || joined && number != MPIRank(j/3) {
				t.Errorf("%d and %d: number %d, %v", i, j, number, joined)
			}
		}
	}
	if m.NotJoined(0) != "" || m.NotJoined(1) != "why" {
		t.Errorf("reasons %q and %q", m.NotJoined(0), m.NotJoined(1))
	}
	for _, pair := range []struct {
		i, j int
		want string
	}{{0, 1, "job 1 is not joined: why"}, {1, 2, "job 1 is not joined: why"}} {
		if _, _, err := m.Route(pair.i, pair.j); err == nil || !strings.Contains(err.Error(), pair.want) {
			t.Errorf("route of %d and %d: %v, expected %q", pair.i, pair.j, err, pair.want)
		}
	}
	if r, _, err := m.Route(0, 3); err != nil || r != RMA {
		t.Errorf("route of two that are joined: %v, %v", r, err)
	}
}

func TestSettleRefuses(t *testing.T) {
	for name, spoil := range map[string]func([][]byte) [][]byte{
		"one member less":      func(b [][]byte) [][]byte { return b[1:] },
		"empty":                func(b [][]byte) [][]byte { b[0] = nil; return b },
		"another step":         func(b [][]byte) [][]byte { b[0] = joinMessage(stepReady, ""); return b },
		"cut off":              func(b [][]byte) [][]byte { b[3] = b[3][:len(b[3])-1]; return b },
		"endless reason":       func(b [][]byte) [][]byte { b[1] = append(b[1], make([]byte, maxReason)...); return b },
		"half a job":           func(b [][]byte) [][]byte { b[2] = outcome(placement{0, 1, ""}); return b },
		"same number twice":    func(b [][]byte) [][]byte { b[3] = outcome(placement{0, 0, ""}); return b },
		"number left out":      func(b [][]byte) [][]byte { b[3] = outcome(placement{0, 2, ""}); return b },
		"empty universe":       func(b [][]byte) [][]byte { b[3] = outcome(placement{1, 0, ""}); return b },
		"universe of the next": func(b [][]byte) [][]byte { b[0] = outcome(placement{2, 0, ""}); return b },
		"universe below none":  func(b [][]byte) [][]byte { b[0] = outcome(placement{-2, 0, ""}); return b },
		"universe of no job":   func(b [][]byte) [][]byte { b[0] = outcome(placement{1 << 30, 0, ""}); return b },
	} {
		m, blobs := settled(t)
		if err := m.Settle(spoil(blobs)); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: %v", name, err)
		}
		if len(m.Universes()) != 0 {
			t.Errorf("%s: universes %v", name, m.Universes())
		}
	}
}

func TestJoinMessages(t *testing.T) {
	for _, texts := range [][]string{nil, {""}, {"a", "", "port 2"}} {
		got, err := joinTexts(stepPorts, joinMessage(stepPorts, texts...), len(texts))
		if err != nil || !slices.Equal(got, texts) {
			t.Errorf("%q came back as %q, %v", texts, got, err)
		}
	}
	whole := joinMessage(stepPorts, "text")
	for name, b := range map[string][]byte{
		"cut off":     whole[:len(whole)-1],
		"one byte":    append(slices.Clone(whole), 1),
		"other step":  joinMessage(stepReached, "text"),
		"no text":     joinMessage(stepPorts),
		"not a blob":  []byte("text"),
		"empty":       nil,
		"a long text": append(slices.Clone(whole), 255, 255, 'x'),
	} {
		if texts, err := joinTexts(stepPorts, b, 1); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: %q, %v", name, texts, err)
		}
	}
}

func FuzzJoinMessages(f *testing.F) {
	f.Add(joinMessage(stepReady, "reason"))
	f.Add(outcome(placement{3, 4, "reason"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if o, err := decodeOutcome(b); err == nil && string(outcome(o)) != string(b) {
			t.Errorf("%x was read as %+v", b, o)
		}
		if texts, err := joinTexts(stepReady, b, 0); err == nil && string(joinMessage(stepReady, texts...)) != string(b) {
			t.Errorf("%x was read as %q", b, texts)
		}
	})
}

// Jobs of different domains cannot join each other.
func TestDivide(t *testing.T) {
	j := &joining{groups: [][]int{{0, 1, 2, 4}, {3, 5}}, reasons: make([]string, 6)}
	j.divide([]string{"a", "b", "a", "c", "b", "c"})
	if got := fmt.Sprint(j.groups); got != "[[0 2] [1 4] [3 5]]" {
		t.Errorf("groups %s", got)
	}
	for job, want := range []string{"", "it is in b, job 0 in a", "", "", "it is in b, job 0 in a", ""} {
		if j.reasons[job] != want {
			t.Errorf("job %d: %q; expected %q", job, j.reasons[job], want)
		}
	}
}

// Members without MPI take part in joining, and are in no universe.
func TestJoinWithoutMPI(t *testing.T) {
	m := world(t, "A/rma/a/no", "-/rma/a/no")
	r := newRun(t, 1, 1)
	results := make(chan error, 2)
	for job := range 2 {
		go func() {
			results <- func() error {
				b, err := Dial(r.ctx(), r.env(job, -1), Identity{})
				if err != nil {
					return err
				}
				if job == 1 {
					members := *m
					if u, err := Join(r.ctx(), b, &members, JoinLimit); u != nil || err != nil || members.NotJoined(1) != "rank 1 has no MPI" {
						return fmt.Errorf("%v, %v, %q", u, err, members.NotJoined(1))
					}
					return b.Close()
				}
				// The other member reports that it cannot take part.
				for _, blob := range [][]byte{joinMessage(stepReady, "not now", "", ""), outcome(placement{noUniverse, 0, "rank 0: not now"})} {
					if _, err := b.Exchange(r.ctx(), blob); err != nil {
						return err
					}
				}
				return b.Close()
			}()
		}()
	}
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if err := m.Settle(r.server.Universes()); err != nil || m.NotJoined(0) != "rank 0: not now" {
		t.Errorf("the server knows %q, %v", m.NotJoined(0), err)
	}
}
