package thread

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// forkResult is the completion of a Fork.
type forkResult struct {
	reply []byte
	size  uint64
	ended bool
}

func (r *forkResult) Complete(size uint64, _ error) { r.size, r.ended = size, true }

// id returns the process that the Fork has got; an error if it was refused.
func (r *forkResult) id() (int32, error) {
	b, err := decodeAnswer(r.reply[:r.size])
	if err != nil {
		return 0, err
	}
	in := reader{b: b}
	i := in.info()
	return i.ID, in.end()
}

// TestForksInTurn: Forks that are alike ask for their processes at once, and others wait until these have got them.
func TestForksInTurn(t *testing.T) {
	var asked []string
	s := &System{cfg: Config{Run: &Run{AskJoin: func(id int, pool uint64) error {
		if id == 9 {
			return errors.New("has left")
		}
		asked = append(asked, fmt.Sprint(id, " ", pool))
		return nil
	}}}}
	h := &s.hosting
	expect := func(want ...string) {
		t.Helper()
		if !slices.Equal(asked, want) {
			t.Fatalf("asked for %q, expected %q", asked, want)
		}
		asked = nil
	}
	begin := func(near int, pool int64) *forkResult {
		r := &forkResult{reply: make([]byte, 1+infoBytes)}
		h.forks = append(h.forks, fork{&later{r.reply, r}, forkRequest{near, pool}})
		s.askForks()
		return r
	}
	any1, any2 := begin(0, 0), begin(0, 0)
	gone, large, other, any3 := begin(9, 0), begin(0, 100), begin(1, 100), begin(0, 0)
	expect("0 0", "0 0")
	for id, r := range []*forkResult{any1, any2} {
		s.answerFork(Info{ID: int32(id), Memory: 64})
		if got, err := r.id(); err != nil || got != int32(id) {
			t.Errorf("a Fork has got %d, %v, expected %d", got, err, id)
		}
	}
	if _, err := gone.id(); err == nil || err.Error() != "has left" {
		t.Errorf("a Fork on the host of a process that has left: %v", err)
	}
	expect("0 100")
	s.answerFork(Info{ID: 5, Memory: 64}) // no Fork has asked for it
	if large.ended {
		t.Error("a Fork has got a process with another pool")
	}
	h.endFork(nil, errors.New("no memory"))
	s.askForks()
	if _, err := large.id(); err == nil || err.Error() != "no memory" {
		t.Errorf("a Fork whose process fails: %v", err)
	}
	expect("1 100")
	s.answerFork(Info{ID: 6, Memory: 100})
	expect("0 0")
	s.answerFork(Info{ID: 7, Memory: 100})
	for id, r := range map[int32]*forkResult{6: other, 7: any3} {
		if got, err := r.id(); err != nil || got != id {
			t.Errorf("a Fork has got %d, %v, expected %d", got, err, id)
		}
	}
	s.answerFork(Info{ID: 8, Memory: 64})
	expect()
	if len(h.forks) != 0 || h.asked != 0 {
		t.Errorf("%d Forks are left, %d asked", len(h.forks), h.asked)
	}
}
