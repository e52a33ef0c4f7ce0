package bridge

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRehearsalIsLikeTheRun compares the counts of a rehearsal with the kernel's counts on the connections of
// a run.
func TestRehearsalIsLikeTheRun(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	jobs := []Job{{Name: "job0", Size: 3}, {Name: "job1", Size: 4}}
	const size, exchanges = 7, 3
	who := Identity{PID: 1, Host: "host"}
	rehearsal, err := Rehearse(jobs, func(int) Identity { return who })
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(t, jobs[0].Size, jobs[1].Size)
	members := make([]*client, size)
	for m := range members {
		job, jobRank := 0, m
		if m >= jobs[0].Size {
			job, jobRank = 1, m-jobs[0].Size
		}
		b, err := Dial(r.ctx(), r.env(job, jobRank), who)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		members[m] = b.(*client)
	}
	for range exchanges {
		blobs := make([][]byte, size)
		for m := range blobs {
			blobs[m] = bytes.Repeat([]byte{byte(m)}, random.IntN(5000))
		}
		result, err := rehearsal.Gather(func(m int) ([]byte, error) { return blobs[m], nil })
		if err != nil {
			t.Fatal(err)
		}
		got, err := rehearsal.Receive(result)
		if err != nil {
			t.Fatal(err)
		}
		var calls sync.WaitGroup
		for m, c := range members {
			calls.Go(func() {
				all, err := c.Exchange(r.ctx(), blobs[m])
				if err != nil {
					t.Error(err)
					return
				}
				for i := range all {
					if !bytes.Equal(all[i], blobs[i]) || !bytes.Equal(got[i], blobs[i]) {
						t.Errorf("member %d, or the rehearsal, has another blob of member %d", m, i)
					}
				}
			})
		}
		calls.Wait()
	}
	var sent, received, first uint64 // by members
	for m, c := range members {
		out, in := carried(t, c)
		sent, received = sent+out, received+in
		if m == 0 {
			first = out + in
		}
	}
	const messages = 3 + 2 + 2*exchanges // of the proof, hello and welcome, blobs and results
	if want := (Flow{messages, first}); rehearsal.Member() != want {
		t.Errorf("member 0: %v; the run had %v", rehearsal.Member(), want)
	}
	if got, want := rehearsal.Received(), (Flow{size * (1 + 1 + exchanges), sent}); got != want {
		t.Errorf("the rendezvous received %v; in the run %v", got, want)
	}
	if got, want := rehearsal.Sent(), (Flow{size * (2 + 1 + exchanges), received}); got != want {
		t.Errorf("the rendezvous sent %v; in the run %v", got, want)
	}
	if rehearsal.Depth() != messages {
		t.Errorf("depth %d, expected %d", rehearsal.Depth(), messages)
	}
}

// carried returns the bytes that a member has sent and received.
func carried(t *testing.T, c *client) (sent, received uint64) {
	t.Helper()
	socket, err := c.conn.socket.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var info *unix.TCPInfo
	if e := socket.Control(func(fd uintptr) { info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) }); e != nil || err != nil {
		t.Fatal(e, err)
	}
	return info.Bytes_sent - info.Bytes_retrans, info.Bytes_received
}

// TestRehearsalRefuses begins rehearsals of impossible runs, and gives blobs that are too long.
func TestRehearsalRefuses(t *testing.T) {
	nobody := func(int) Identity { return Identity{} }
	for _, jobs := range [][]Job{nil, {{Size: 0}}, {{Size: 1}, {Size: -1}}} {
		if _, err := Rehearse(jobs, nobody); err == nil {
			t.Errorf("%v: no error", jobs)
		}
	}
	r, err := Rehearse([]Job{{Name: "job0", Size: 2}}, nobody)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Gather(func(int) ([]byte, error) { return make([]byte, MaxBlob+1), nil }); err == nil {
		t.Error("a blob that is too long is taken")
	}
	if _, err := r.Receive([]byte("no result")); err == nil {
		t.Error("what is no result is received")
	}
}
