package couple_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/ground/debuglog"
)

// TestLog: the log has the amount of data of both sides of a link, and the reason if a link is
// not opened.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := debuglog.Start(debuglog.Config{Layers: "couple", File: path, Name: "x"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := debuglog.Start(debuglog.Config{}); err != nil {
			t.Error(err)
		}
	})
	extensiontest.Run(t, 2, acp.Config{HeapSize: heapSize}, func(p *acp.Process) error {
		names := [2]string{"a", "b"}
		self := int(p.Rank())
		m, err := couple.NewModel(p, names[self], []acp.Rank{p.Rank()})
		if err != nil {
			return err
		}
		f, err := couple.NewField(m, "f", make([]float64, 30), couple.Ranges{{First: 0, N: 30}}, 1)
		if err != nil {
			return err
		}
		if self == 0 {
			out, err := f.SendTo(t.Context(), "b.f", couple.Options{})
			if err != nil {
				return err
			}
			m.Seal()
			return errors.Join(out.Close(t.Context()), p.Sync())
		}
		in, err := f.ReceiveFrom(t.Context(), "a.f", couple.Options{})
		if err != nil {
			return err
		}
		if err := errors.Join(in.Close(t.Context()), p.Sync()); err != nil {
			return err
		}
		if _, err = f.ReceiveFrom(t.Context(), "a.g", couple.Options{}); err == nil {
			return errors.New("a link from a field that does not exist is open")
		}
		return nil
	})
	files, err := filepath.Glob(path + ".*")
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v: expected one file", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	const open = "link a.f>b.f is open: 1 senders, 1 receivers, 1 levels; this rank holds 30 points and moves 240 bytes in a step: 30 points "
	for _, want := range []string{open + "to rank 1\n", open + "from rank 0\n", "link a.g>b.f: ReceiveFrom waits for", "link a.g>b.f is not opened: "} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
