package bridge

import (
	"bytes"
	"errors"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
)

// testContact has a different value in every field.
func testContact() Contact {
	return Contact{
		Member: 1, Job: 2, JobRank: 3, JobName: "ocean", Host: HostID{4, 15: 5}, HostName: "node6", PID: 7, StartTime: 1 << 40,
		MemFD: 8, MemSize: 1 << 50, StarterOffset: 4096, StarterSize: 10240, HeapOffset: 16384, HeapSize: 9, Base: 1 << 46,
		Agent: []netip.AddrPort{netip.MustParseAddrPort("10.1.2.3:4"), netip.MustParseAddrPort("[2001:db8::1]:65535")},
		Mode:  ModeTCP, MPI: "Open MPI 4.1.4", RDMA: RDMADenied, Stays: true, Extensions: "couple",
	}
}

func TestContactComesBack(t *testing.T) {
	for _, c := range []Contact{{}, testContact(), {HostName: strings.Repeat("h", maxHost), JobName: strings.Repeat("j", MaxJobName)}} {
		got, err := DecodeContact(c.Append(nil))
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%+v came back as %+v, %v", c, got, err)
		}
	}
}

func TestContactIsCut(t *testing.T) {
	c := Contact{HostName: strings.Repeat("h", maxHost+1), MPI: strings.Repeat("m", maxLibrary+1), JobName: strings.Repeat("j", MaxJobName+1)}
	for i := range MaxAgents + 1 {
		c.Agent = append(c.Agent, netip.AddrPortFrom(netip.MustParseAddr("::ffff:127.0.0.1"), uint16(i+1)))
	}
	got, err := DecodeContact(c.Append([]byte("before"))[len("before"):])
	if err != nil || len(got.HostName) != maxHost || len(got.MPI) != maxLibrary || len(got.JobName) != MaxJobName || len(got.Agent) != MaxAgents {
		t.Fatalf("%+v, %v", got, err)
	}
	if got.Agent[1] != netip.MustParseAddrPort("127.0.0.1:2") {
		t.Errorf("agent %v", got.Agent[1])
	}
}

func TestContactMalformed(t *testing.T) {
	good := testContact()
	for name, spoil := range map[string]func([]byte) []byte{
		"empty":            func(b []byte) []byte { return nil },
		"one byte less":    func(b []byte) []byte { return b[:len(b)-1] },
		"one byte more":    func(b []byte) []byte { return append(b, 0) },
		"version":          func(b []byte) []byte { b[0]++; return b },
		"mode":             func(b []byte) []byte { b[1] = 200; return b },
		"number of agents": func(b []byte) []byte { b[3] = 255; return b },
		"RDMA hardware":    func(b []byte) []byte { b[5] = 200; return b },
		"not zero":         func(b []byte) []byte { b[7] = 1; return b },
		"length of MPI":    func(b []byte) []byte { b[4]++; return b },
		"length of job":    func(b []byte) []byte { b[6]++; return b },
		"name of job":      func(b []byte) []byte { b[len(b)-len(good.Extensions)-1] = ' '; return b },
		"extensions":       func(b []byte) []byte { b[8+4*6]++; return b },
		"stays":            func(b []byte) []byte { b[8+4*6] = 2; return b },
		"agent family":     func(b []byte) []byte { b[contactFixed] = 5; return b },
		"agent port":       func(b []byte) []byte { b[contactFixed+2], b[contactFixed+3] = 0, 0; return b },
		"agent IPv4 tail":  func(b []byte) []byte { b[contactFixed+19] = 1; return b },
	} {
		if c, err := DecodeContact(spoil(good.Append(nil))); !errors.Is(err, ErrContact) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	for name, spoil := range map[string]func(*Contact){
		"starter too long":     func(c *Contact) { c.StarterSize = c.MemSize },
		"heap beyond the end":  func(c *Contact) { c.HeapOffset = c.MemSize + 1; c.HeapSize = 0 },
		"heap size overflows":  func(c *Contact) { c.HeapSize = math.MaxUint64 },
		"starter offset to -1": func(c *Contact) { c.StarterOffset = math.MaxUint64 },
	} {
		c := testContact()
		spoil(&c)
		if _, err := DecodeContact(c.Append(nil)); !errors.Is(err, ErrContact) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzContact(f *testing.F) {
	for _, c := range []Contact{{}, testContact()} {
		f.Add(c.Append(nil))
	}
	f.Add([]byte{contactVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := DecodeContact(b)
		if err != nil {
			if !errors.Is(err, ErrContact) {
				t.Fatal(err)
			}
			return
		}
		if again := c.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x was read from %x", again, b)
		}
	})
}
