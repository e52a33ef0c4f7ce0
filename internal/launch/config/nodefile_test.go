package config

import (
	"fmt"
	"testing"
)

// TestByteOrderMark: a byte order mark is no part of the first host.
func TestByteOrderMark(t *testing.T) {
	hosts, err := ParseNodefile("file", []byte("\ufeffpc01\r\npc02:2\r\n"))
	if got := fmt.Sprintf("%q", hosts); err != nil || got != `["pc01" "pc02" "pc02"]` {
		t.Errorf("%s, %v", got, err)
	}
	hosts, err = ParseNodefile("file", []byte("\ufeff# hosts\npc01\n"))
	if got := fmt.Sprintf("%q", hosts); err != nil || got != `["pc01"]` {
		t.Errorf("%s, %v", got, err)
	}
}

// TestHostNames: host names have printable characters only.
func TestHostNames(t *testing.T) {
	for _, name := range []string{"pc01", "node-1.example.org", "fe80::1%eth0", "rechner-süd"} {
		if err := CheckHost(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"\ufeffpc01", "pc\u200b01", "pc\u00a001", "pc\x8501", "pc\u008501", "pc\x0001", "pc\x1b[2J", "pc\x7f", "\xff\xfep\x00c\x00"} {
		if CheckHost(name) == nil {
			t.Errorf("%q is taken for a host name", name)
		}
	}
}
