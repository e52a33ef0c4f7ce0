package message

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

func FuzzFrames(f *testing.F) {
	var seed bytes.Buffer
	for _, fr := range []Frame{{FrameJob, 0, []byte("{}")}, {FrameStdout, 7, []byte("text\n")}, {Kind: FrameStdin}} {
		if err := WriteFrame(&seed, fr); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(seed.Bytes())
	f.Add([]byte{'O', 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := bytes.NewReader(stream)
		var again bytes.Buffer
		for {
			fr, err := ReadFrame(r)
			if err != nil {
				if err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, ErrFrame) {
					t.Fatalf("unexpected kind of error: %v", err)
				}
				break
			}
			if err := WriteFrame(&again, fr); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.HasPrefix(stream, again.Bytes()) {
			t.Fatalf("%q became %q", stream, again.Bytes())
		}
	})
}

func TestGreetingIsFoundBehindABanner(t *testing.T) {
	for banner, ok := range map[string]bool{"": true, "Welcome.\n\n": true, "no newline": false,
		strings.Repeat("x", 5000) + "\n": true, strings.Repeat(strings.Repeat("x", 1000)+"\n", 2000): false} {
		r := bufio.NewReader(strings.NewReader(banner + ProxyGreeting + "\nnext"))
		err := AwaitGreeting(r)
		if (err == nil) != ok {
			t.Errorf("banner of %d bytes: %v; expected success: %v", len(banner), err, ok)
		}
		if rest, _ := io.ReadAll(r); ok && !reflect.DeepEqual(string(rest), "next") {
			t.Errorf("banner of %d bytes: %q is left; expected what follows the greeting", len(banner), rest)
		}
	}
}
