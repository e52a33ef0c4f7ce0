package couple_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/ground/activity"
)

// newNamed returns field f of model a, of which rank 0 is, or of model b, of which rank 1 is.
func newNamed(p *acp.Process) (*couple.Field, error) {
	m, err := couple.NewModel(p, [2]string{"a", "b"}[p.Rank()], []acp.Rank{p.Rank()})
	if err != nil {
		return nil, err
	}
	return couple.NewField(m, "f", make([]float64, 3), couple.Ranges{{First: 0, N: 3}}, 1)
}

// TestOpeningIsSeen: while a rank opens a link, readers see with which field, in which function and where in the
// program.
func TestOpeningIsSeen(t *testing.T) {
	extensiontest.Run(t, 2, acp.Config{HeapSize: heapSize}, func(p *acp.Process) error {
		f, err := newNamed(p)
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			out, err := f.SendTo(t.Context(), "b.f", couple.Options{})
			if err != nil {
				return err
			}
			return out.Close(t.Context())
		}
		want := activity.Sleeper{Kind: activity.Opening, Member: -1, Call: "couple.Field.SendTo", About: "a.f to b.f"}
		if err := awaitSleeper(want); err != nil {
			return err
		}
		in, err := f.ReceiveFrom(t.Context(), "a.f", couple.Options{})
		if err != nil {
			return err
		}
		return in.Close(t.Context())
	})
}

// TestGroupIsSeen: while a rank waits for the links of a Group, readers see each of them, in which function and where in the program.
// They see nothing while it does not wait.
func TestGroupIsSeen(t *testing.T) {
	extensiontest.Run(t, 2, acp.Config{HeapSize: heapSize}, func(p *acp.Process) error {
		f, err := newNamed(p)
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			g := couple.Begin(t.Context())
			out := g.SendTo(f, "b.f", couple.Options{})
			if err := errors.Join(awaitSleepers(), p.Sync(), g.Wait()); err != nil {
				return err
			}
			return out.Close(t.Context())
		}
		want := activity.Sleeper{Kind: activity.Opening, Member: -1, Call: "couple.Group.Wait", About: "a.f to b.f"}
		if err := errors.Join(p.Sync(), awaitSleeper(want)); err != nil {
			return err
		}
		in, err := f.ReceiveFrom(t.Context(), "a.f", couple.Options{})
		if err != nil {
			return err
		}
		return in.Close(t.Context())
	})
}

// TestLinkIsSeen: while a rank waits for values, readers see the field.
func TestLinkIsSeen(t *testing.T) {
	extensiontest.Run(t, 2, acp.Config{HeapSize: heapSize}, func(p *acp.Process) error {
		f, err := newNamed(p)
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			in, err := f.ReceiveFrom(t.Context(), "b.f", couple.Options{})
			if err != nil {
				return err
			}
			if err := in.Receive(t.Context(), 0); err != nil {
				return err
			}
			return in.Close(t.Context())
		}
		out, err := f.SendTo(t.Context(), "a.f", couple.Options{})
		if err != nil {
			return err
		}
		want := activity.Sleeper{Kind: activity.Link, Member: 1, Call: "couple.Receiver.Receive", About: "b.f"}
		if err := awaitSleeper(want); err != nil {
			return err
		}
		return errors.Join(out.Send(t.Context(), 0), out.Close(t.Context()))
	})
}

// awaitSleeper waits until member 0 of a run in this process shows one sleeper as wanted, which has called the
// library in this file.
func awaitSleeper(want activity.Sleeper) error { return awaitSleepers(want) }

// awaitSleepers waits until member 0 of a run in this process shows some sleepers as wanted, in their order, which have called the
// library in this file.
func awaitSleepers(want ...activity.Sleeper) error {
	windows, err := activity.Open("/proc", os.Getpid())
	if err != nil {
		return err
	}
	defer func() {
		for _, w := range windows {
			w.Close()
		}
	}()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		var seen []activity.Sleeper
		for _, w := range windows {
			if v, err := w.Look(0); err == nil && v.Member == 0 && v.Procs == 2 {
				seen = v.Sleepers
			}
		}
		here := true
		got := slices.Clone(seen)
		for i := range got {
			here = here && strings.HasPrefix(got[i].At, "activity_test.go:")
			got[i].At, got[i].Since = "", 0
		}
		if here && slices.Equal(got, want) {
			return nil
		}
		if time.Now().After(end) {
			return errors.New(fmt.Sprint("no sleepers as wanted, but ", seen))
		}
	}
}
