package acp_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// captured returns what f writes to standard error.
func captured(t *testing.T, f func()) string {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	old := os.Stderr
	os.Stderr = write
	f()
	os.Stderr = old
	write.Close()
	text, err := io.ReadAll(read)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReportErrors makes calls that fail. Each must be reported once, with the text of the error that it
// returns. Errors after which the caller may just try again must not be reported.
func TestReportErrors(t *testing.T) {
	for _, on := range []acp.OnError{acp.ReturnErrors, acp.ReportErrors} {
		p, err := acp.Open(context.Background(), acp.Config{Bootstrap: bridge.Single(), OnError: on})
		if err != nil {
			t.Fatal(err)
		}
		start := must(p.StarterGA(0))
		w := must(p.NewWorkspace(100))
		v := must(p.NewByteVector(10, 0))
		for name, call := range map[string]func() error{
			"copy": func() error { _, err := p.Copy(acp.NullGA, start, 8, 0); return err },
			"copy that fails later": func() error {
				h, err := p.Copy(start+10240, start, 8, 0)
				if err != nil {
					return err
				}
				return p.Complete(h)
			},
			"add8":            func() error { _, err := p.Add8(start+1, start, 1, 0); return err },
			"malloc":          func() error { _, err := p.Malloc(8, 1); return err },
			"register":        func() error { _, err := p.Register(nil, 0); return err },
			"reset":           func() error { return p.Reset(1) },
			"channel":         func() error { _, err := p.NewChannel(0, 0, acp.ChannelOptions{}); return err },
			"write workspace": func() error { return w.Write(start, 8, 99) },
			"reserve":         func() error { return v.Reserve(1 << 60) },
		} {
			var err error
			got := captured(t, func() { err = call() })
			want := ""
			if on == acp.ReportErrors && err != nil {
				want = err.Error() + "\n"
			}
			if err == nil || got != want {
				t.Errorf("%v, %s: wrote %q for %v", on, name, got, err)
			}
		}
		if got := captured(t, func() { w.ReadAt(make([]byte, 200), 0) }); got != "" {
			t.Errorf("%v: the end of a workspace is reported: %q", on, got)
		}
		if err := p.Finalize(); err != nil {
			t.Error(err)
		}
	}
}

func TestParseOnError(t *testing.T) {
	for _, o := range []acp.OnError{acp.ReturnErrors, acp.ReportErrors, acp.AbortOnError} {
		if got, err := acp.ParseOnError(o.String()); err != nil || got != o {
			t.Errorf("%v: %v, %v", o, got, err)
		}
	}
	for _, text := range []string{"", "Report", "exit"} {
		if _, err := acp.ParseOnError(text); err == nil || !strings.Contains(err.Error(), "expected return, report or abort") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
