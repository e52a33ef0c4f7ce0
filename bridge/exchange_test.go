package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestExchange(t *testing.T) {
	const rounds = 20
	sizes := []int{1, 2, 3, 4, 7}
	r := newRun(t, sizes...)
	first, total := 0, 17
	var wg sync.WaitGroup
	for job, size := range sizes {
		for jobRank := range size {
			member := first + jobRank
			wg.Go(func() {
				if err := r.exchangeRounds(job, jobRank, member, total, rounds); err != nil {
					t.Errorf("member %d: %v", member, err)
				}
			})
		}
		first += size
	}
	wg.Wait()
	r.expect(Ready)
	for range total {
		r.expect(Left)
	}
	if r.server.Contacts() != nil {
		t.Errorf("the server takes other blobs for contacts")
	}
}

func (r *run) exchangeRounds(job, jobRank, member, total, rounds int) error {
	b, err := Dial(r.ctx(), r.env(job, jobRank), Identity{PID: 1, Host: "h"})
	if err != nil {
		return err
	}
	if b.Member() != member || b.Cohort().Size != total {
		return fmt.Errorf("is member %d of %d", b.Member(), b.Cohort().Size)
	}
	if j, k := b.JobRank(); j != job || k != jobRank || b.Token() != r.token || b.Address().String() != "127.0.0.1" {
		return fmt.Errorf("is process %d of job %d at %v", k, j, b.Address())
	}
	for round := range rounds {
		blobs, err := b.Exchange(r.ctx(), testBlob(member, round))
		if err != nil {
			return err
		}
		for i, blob := range blobs {
			if !bytes.Equal(blob, testBlob(i, round)) {
				return fmt.Errorf("round %d: wrong blob of member %d", round, i)
			}
		}
		if len(blobs) != total {
			return fmt.Errorf("round %d: %d blobs", round, len(blobs))
		}
	}
	if err := b.Close(); err != nil {
		return err
	}
	if _, err := b.Exchange(r.ctx(), nil); !errors.Is(err, ErrClosed) {
		return fmt.Errorf("exchange after close: %v", err)
	}
	if b.Err() != nil {
		return fmt.Errorf("lost by leaving: %v", b.Err())
	}
	return nil
}

// testBlob is different for each member and round, and sometimes empty.
func testBlob(member, round int) []byte {
	return []byte(strings.Repeat(fmt.Sprintf("%d/%d;", member, round), (member+round)%5))
}

// TestServerKnowsContacts exchanges other blobs before and after the contacts.
func TestServerKnowsContacts(t *testing.T) {
	r := newRun(t, 1)
	b, err := Dial(r.ctx(), r.env(0, 0), Identity{PID: 1, Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	c := testContact()
	for _, blob := range [][]byte{{1, 2, 3}, c.Append(nil), {1}} {
		if _, err := b.Exchange(r.ctx(), blob); err != nil {
			t.Fatal(err)
		}
	}
	if found := r.server.Contacts(); len(found) != 1 || !bytes.Equal(found[0], c.Append(nil)) {
		t.Errorf("contacts are %q, expected %q", found, c.Append(nil))
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// soonDone is a context that is done from its second check on.
type soonDone struct {
	context.Context
	looks int
}

func (c *soonDone) Err() error {
	if c.looks++; c.looks == 1 {
		return nil
	}
	return c.Context.Err()
}

func TestExchangeGivenUp(t *testing.T) {
	r := newRun(t, 2)
	a := r.dial(0, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := a.Exchange(&soonDone{Context: ctx}, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	b := r.dial(0, 1)
	failed := exchanging(r, b)
	if _, err := a.Exchange(r.ctx(), nil); err == nil {
		t.Error("exchange after one was given up")
	}
	// The first call may or may not have sent its blob, so b may wait forever.
	r.server.Close()
	<-failed
}

func TestBlobTooLong(t *testing.T) {
	r := newRun(t, 1)
	a := r.dial(0, 0)
	if _, err := a.Exchange(r.ctx(), make([]byte, MaxBlob+1)); err == nil {
		t.Error("no error")
	}
	if blobs, err := a.Exchange(r.ctx(), make([]byte, MaxBlob)); err != nil || len(blobs[0]) != MaxBlob {
		t.Errorf("the longest blob: %v", err)
	}
}
