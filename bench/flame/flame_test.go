package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

const recorded = `rank 0
	ffff sendmsg+0x10
	4010 github.com/goacp/goacp/internal/network/tcp.(*link).write
	4000 main

rank 0
	4011 github.com/goacp/goacp/internal/network/tcp.(*link).write
	4000 main

rank 1
	4012 operator<(int, a/b)

`

// TestReadStacks: the tree has each function below its caller, with the samples of both.
func TestReadStacks(t *testing.T) {
	root, err := readStacks(strings.NewReader(recorded))
	if err != nil {
		t.Fatal(err)
	}
	write := root.callees["rank 0"].callees["main"].callees["tcp.(*link).write"]
	if root.samples != 3 || write.samples != 2 || write.callees["sendmsg"].samples != 1 || root.callees["rank 1"].samples != 1 {
		t.Errorf("got %+v", root)
	}
	if root.callees["rank 1"].callees["operator<(int, a/b)"] == nil {
		t.Errorf("got %v", root.callees["rank 1"].callees)
	}
	if _, err := readStacks(strings.NewReader("\n")); err == nil {
		t.Error("nothing is read without an error")
	}
}

// TestDraw: the graph is XML, with a box for each function and its share.
func TestDraw(t *testing.T) {
	var out strings.Builder
	if err := run(strings.NewReader(recorded), &out, "puts & gets"); err != nil {
		t.Fatal(err)
	}
	titles := map[string]bool{}
	for d := xml.NewDecoder(strings.NewReader(out.String())); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			titles[string(text)] = true
		}
	}
	for _, want := range []string{"puts & gets", "all: 100.0 %", "rank 0: 66.7 %", "tcp.(*link).write: 66.7 %", "sendmsg: 33.3 %", "operator<(int, a/b): 33.3 %"} {
		if !titles[want] {
			t.Errorf("%q is missing in %q", want, out.String())
		}
	}
}
