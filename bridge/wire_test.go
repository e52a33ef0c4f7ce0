package bridge

import (
	"bytes"
	"errors"
	"io"
	"net"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTextFrameIsCut(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("a", maxText), strings.Repeat("a", maxText+1),
		strings.Repeat("ä", maxText), strings.Repeat("a", maxText-1) + "äöü"} {
		kind, payload, err := readFrame(bytes.NewReader(textFrame(frameAbort, text)), maxText)
		if err != nil || kind != frameAbort {
			t.Fatalf("%d bytes: kind %d, %v", len(text), kind, err)
		}
		if !strings.HasPrefix(text, string(payload)) || !utf8.Valid(payload) {
			t.Errorf("%d bytes: cut to %d", len(text), len(payload))
		}
		if len(payload) < min(len(text), maxText-utf8.UTFMax) {
			t.Errorf("%d bytes: only %d left", len(text), len(payload))
		}
	}
}

func TestReadFrameCutOff(t *testing.T) {
	whole := hello{job: 1, jobRank: 2, pid: 3, host: "host"}.frame()
	for n := range whole {
		_, _, err := readFrame(bytes.NewReader(whole[:n]), maxHello)
		want := io.ErrUnexpectedEOF
		if n == 0 {
			want = io.EOF
		}
		if !errors.Is(err, want) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

// TestAnnouncedFrame announces a frame of 2 GiB and sends little of it, which must not
// cost more memory than has been sent.
func TestAnnouncedFrame(t *testing.T) {
	head := append([]byte{0xff, 0xff, 0xff, 0x7f, byte(frameResult), wireVersion, 0, 0}, make([]byte, MaxBlob)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := readFrame(bytes.NewReader(head), maxFrame); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 8*MaxBlob {
		t.Errorf("%d bytes were allocated for %d that came", took, len(head))
	}
	for _, n := range []int{0, 1, 2 * MaxBlob, 2*MaxBlob + 1, 1 << 20} {
		frame := endFrame(append(beginFrame(nil, frameResult), bytes.Repeat([]byte("7"), n)...))
		if _, payload, err := readFrame(bytes.NewReader(frame), maxFrame); err != nil || !bytes.Equal(payload, frame[frameHeader:]) {
			t.Errorf("%d bytes were read as %d, %v", n, len(payload), err)
		}
	}
}

// FuzzClient gives a member arbitrary frames, as a malicious launcher might send them.
func FuzzClient(f *testing.F) {
	frame, err := resultFrame(0, [][]byte{[]byte("a"), nil})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(frame)
	f.Add(textFrame(frameAbort, "why"))
	f.Add(emptyFrame(frameBye))
	for _, change := range someChanges {
		if frame, err = changeFrame(change); err != nil {
			f.Fatal(err)
		}
		f.Add(frame)
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0x7f, byte(frameResult), wireVersion, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &client{seats: 4, cohort: beginning(2), results: make(chan result, 1)}
		for r := bytes.NewReader(b); ; {
			kind, payload, err := readFrame(r, maxResult(c.seats))
			if err == nil {
				_, err = c.handle(kind, payload)
			}
			if err != nil {
				return
			}
		}
	})
}

// FuzzServer gives the rendezvous arbitrary frames, as malicious members might send them. The byte before
// each frame is the number of its sender, one of three residents, two processes that may join them, and two guests.
func FuzzServer(f *testing.F) {
	from := func(member byte, frame []byte) []byte { return append([]byte{member}, frame...) }
	f.Add(slices.Concat(from(0, exchangeFrame(0, nil)), from(1, exchangeFrame(0, []byte("b"))), from(2, exchangeFrame(0, []byte("c")))))
	f.Add(slices.Concat(from(0, exchangeFrame(0, nil)), from(1, emptyFrame(frameLeave)), from(2, exchangeFrame(1, nil))))
	f.Add(slices.Concat(from(0, lostFrame(1, ConnectionBroken)), from(1, lostFrame(0, ConnectionBroken)), from(2, lostFrame(3, ConnectionBroken))))
	f.Add(slices.Concat(from(0, lostFrame(1, ConnectionBroken)), from(0, textFrame(frameAbort, "why"))))
	stay, leave := numberFrame(frameAdopt, 1, 0), numberFrame(frameAdopt, 0, 7)
	f.Add(slices.Concat(from(0, stay), from(1, leave), from(2, stay), from(1, emptyFrame(frameLeave)), from(0, stay), from(2, leave)))
	f.Add(slices.Concat(from(0, stay), from(1, leave), from(2, stay), from(0, numberFrame(frameConfirm, 1)), from(2, numberFrame(frameConfirm, 7))))
	f.Add(slices.Concat(from(0, stay), from(1, emptyFrame(frameLeave)), from(2, stay)))
	f.Add(slices.Concat(from(3, exchangeFrame(0, someContact(3))), from(0, stay), from(1, stay), from(2, stay), from(3, exchangeFrame(0, nil))))
	f.Add(slices.Concat(from(3, exchangeFrame(0, someContact(3))), from(3, stay), from(0, stay), from(1, leave), from(2, stay), from(3, stay), from(0, emptyFrame(frameRenumbered))))
	f.Add(slices.Concat(from(2, numberFrame(frameAskLeave, 1)), from(1, numberFrame(frameAskLeave, 0)), from(5, joinRequestFrame(JoinRequest{Count: 1, HeapSize: 1 << 40}))))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &Server{members: newMembership([]Job{{Size: 3, Max: 5}}, 2)}
		s.members.add([]Job{{Size: 2}})
		for _, c := range s.members.cohorts {
			c.events = newEventQueue(nil)
			defer c.events.close()
			for i := range c.size() {
				s.members.join(hello{job: uint32(c.job), jobRank: int32(i)}, &link{socket: &net.TCPConn{}, ended: true})
			}
		}
		if _, err := s.members.grow(0, 2, s.residents().events); err != nil {
			t.Fatal(err)
		}
		for i := 3; i < 5; i++ {
			s.members.join(hello{jobRank: int32(i)}, &link{socket: &net.TCPConn{}, ended: true})
		}
		for r := bytes.NewReader(b); ; {
			member, err := r.ReadByte()
			if err != nil {
				break
			}
			if member %= 7; s.members.records.at(int(member)).state != memberPresent {
				break
			}
			kind, payload, err := readFrame(r, 4+MaxBlob)
			if err == nil {
				err = s.handle(int(member), kind, payload)
			}
			if errors.Is(err, errLeft) {
				s.depart(int(member), nil)
			} else if err != nil {
				s.depart(int(member), err)
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.closed = true // for timers that wait for the lossLimit
		checkVotes(t, s.members)
		for _, c := range s.members.cohorts {
			given := 0
			for _, member := range c.members {
				if s.members.records.at(member).given {
					given++
				}
			}
			if given != c.waiting || given == c.size() {
				t.Errorf("cohort %d: %d of %d blobs wait, and %d are counted", c.number, given, c.size(), c.waiting)
			}
			if c != s.residents() && s.residents().aborted != "" && c.aborted == "" {
				t.Errorf("the run is over, and cohort %d is not", c.number)
			}
		}
	})
}

// checkVotes checks the members of all cohorts and their votes against each other.
func checkVotes(t *testing.T, m *membership) {
	t.Helper()
	votes, seen := 0, map[int]bool{}
	for _, c := range slices.Concat(m.cohorts, m.lone) {
		for _, member := range c.members {
			record := m.records.at(member)
			if record.cohort != c || seen[member] {
				t.Errorf("member %d is in several cohorts", member)
			}
			seen[member] = true
			if record.vote != notVoted {
				votes++
			}
		}
	}
	if votes != m.cohorts[0].voted || votes == m.cohorts[0].size() {
		t.Errorf("%d of %d members have voted, and %d are counted", votes, m.cohorts[0].size(), m.cohorts[0].voted)
	}
	if !slices.Contains(m.cohorts[0].members, 0) {
		t.Error("rank 0 has left")
	}
}

// someContact returns the contact of a process of job 0 that is a member.
func someContact(member int) []byte {
	return (&Contact{Member: uint32(member), JobRank: uint32(member)}).Append(nil)
}

// payloadOf strips the header of a frame made here.
func payloadOf(frame []byte) []byte { return frame[frameHeader:] }

func FuzzFrame(f *testing.F) {
	f.Add([]byte{})
	f.Add(emptyFrame(frameLeave))
	f.Add(exchangeFrame(7, []byte("blob")))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 1, wireVersion, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 100
		kind, payload, err := readFrame(bytes.NewReader(b), limit)
		if err != nil {
			return
		}
		if len(payload) > limit {
			t.Fatalf("payload of %d bytes", len(payload))
		}
		again := endFrame(append(beginFrame(nil, kind), payload...))
		if !bytes.HasPrefix(b, again) {
			t.Fatalf("%x was read from %x", again, b)
		}
	})
}

func FuzzHello(f *testing.F) {
	f.Add([]byte{})
	f.Add(payloadOf(hello{job: 1, jobRank: -1, pid: 99, host: "node7"}.frame()))
	f.Add(payloadOf(hello{host: strings.Repeat("h", maxHost+5)}.frame()))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := decodeHello(b)
		if err != nil {
			if !errors.Is(err, ErrProtocol) {
				t.Fatal(err)
			}
			return
		}
		if again := payloadOf(h.frame()); !bytes.Equal(again, b) {
			t.Fatalf("%x was read from %x", again, b)
		}
	})
}

func FuzzWelcome(f *testing.F) {
	f.Add([]byte{})
	f.Add(payloadOf(welcome{member: 3, seats: 4, size: 4, jobRank: 1}.frame()))
	f.Add(payloadOf(welcome{member: 4, seats: 4, size: 4}.frame()))
	f.Add(payloadOf(welcome{member: 4, seats: 8, cohort: 1, first: 4, size: 4}.frame()))
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := decodeWelcome(b)
		if err != nil {
			return
		}
		if w.member < w.first || w.member >= w.first+w.size || w.first+w.size > w.seats {
			t.Fatalf("%+v", w)
		}
		if again := payloadOf(w.frame()); !bytes.Equal(again, b) {
			t.Fatalf("%x was read from %x", again, b)
		}
	})
}

func FuzzExchange(f *testing.F) {
	f.Add([]byte{})
	f.Add(payloadOf(exchangeFrame(9, nil)))
	f.Add(payloadOf(exchangeFrame(1<<31, []byte("blob"))))
	f.Fuzz(func(t *testing.T, b []byte) {
		seq, blob, err := decodeExchange(b)
		if err != nil {
			return
		}
		if again := payloadOf(exchangeFrame(seq, blob)); !bytes.Equal(again, b) {
			t.Fatalf("%x was read from %x", again, b)
		}
	})
}

func FuzzResult(f *testing.F) {
	for _, blobs := range [][][]byte{nil, {nil}, {[]byte("a"), nil, []byte("ccc")}} {
		frame, err := resultFrame(3, blobs)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payloadOf(frame), len(blobs))
	}
	f.Add([]byte{0, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, 1)
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		if size < 0 || size > 1000 {
			return
		}
		seq, blobs, err := decodeResult(b, size)
		if err != nil {
			return
		}
		again, err := resultFrame(seq, blobs)
		if err != nil || len(blobs) != size || !bytes.Equal(payloadOf(again), b) {
			t.Fatalf("%x was read from %x: %v", again, b, err)
		}
	})
}

func TestFramesKeepTheirContent(t *testing.T) {
	h := hello{job: 3, jobRank: -1, pid: 1 << 22, host: "host"}
	if got, err := decodeHello(payloadOf(h.frame())); err != nil || got != h {
		t.Errorf("hello: %+v, %v", got, err)
	}
	w := welcome{member: 1 << 20, seats: 1<<20 + 9, cohort: 3, first: 1<<20 - 1, size: 2, jobRank: 5}
	if got, err := decodeWelcome(payloadOf(w.frame())); err != nil || got != w {
		t.Errorf("welcome: %+v, %v", got, err)
	}
	q := JoinRequest{Count: 8, Near: -1, HeapSize: 1<<63 + 5}
	payload := payloadOf(joinRequestFrame(q))
	if got, err := decodeJoinRequest(payload, 8); err != nil || got != q {
		t.Errorf("request for processes: %+v, %v", got, err)
	}
	for n := range payload {
		if got, err := decodeJoinRequest(payload[:n], 8); !errors.Is(err, ErrProtocol) {
			t.Errorf("%d bytes of a request for processes: %+v, %v", n, got, err)
		}
	}
	for _, bad := range []JoinRequest{{Count: 9, Near: -1}, {Count: 0, Near: 2}, {Count: 1, Near: 8}} {
		if got, err := decodeJoinRequest(payloadOf(joinRequestFrame(bad)), 8); !errors.Is(err, ErrProtocol) {
			t.Errorf("%+v in a run of 8: %+v, %v", bad, got, err)
		}
	}
	blobs := [][]byte{[]byte("a"), {}, []byte("ccc")}
	frame, err := resultFrame(8, blobs)
	if err != nil {
		t.Fatal(err)
	}
	if seq, got, err := decodeResult(payloadOf(frame), 3); err != nil || seq != 8 || !reflect.DeepEqual(got, blobs) {
		t.Errorf("result: %d %q, %v", seq, got, err)
	}
}
