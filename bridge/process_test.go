package bridge

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestHost(t *testing.T) {
	a, err := LocalHost()
	if err != nil {
		t.Fatal(err)
	}
	b, err := LocalHost()
	if err != nil || a != b || a == (HostID{}) {
		t.Errorf("%x, then %x, %v", a, b, err)
	}
	if hashHost([]string{"ab", "c"}) == hashHost([]string{"a", "bc"}) {
		t.Error("different parts, one identity")
	}
	if len(a.String()) != 8 {
		t.Errorf("%q", a.String())
	}
}

// Processes in another network namespace are on another host.
func TestHostSeesNamespaces(t *testing.T) {
	if os.Getenv("BRIDGE_TEST_PRINT_HOST") != "" {
		id, err := LocalHost()
		t.Logf("host identity %x, %v", id, err)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	print := func(wrapper ...string) string {
		args := append(wrapper, self, "-test.run=^TestHostSeesNamespaces$", "-test.v")
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "BRIDGE_TEST_PRINT_HOST=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Skipf("%v does not work here: %v: %s", wrapper, err, out)
		}
		_, id, _ := strings.Cut(string(out), "host identity ")
		id, _, _ = strings.Cut(id, "\n")
		return id
	}
	here, again, there := print(), print(), print("unshare", "--net")
	if here != again || !strings.Contains(here, "<nil>") {
		t.Errorf("two processes: %s and %s", here, again)
	}
	if here == there {
		t.Errorf("another network namespace is the same host: %s", there)
	}
}

func TestSingle(t *testing.T) {
	ctx := context.Background()
	b := Single()
	if b.Member() != 0 || b.Size() != 1 {
		t.Errorf("member %d of %d", b.Member(), b.Size())
	}
	if job, jobRank := b.Place(); job != 0 || jobRank != 0 || b.Address().IsValid() || b.Token() == Single().Token() {
		t.Errorf("process %d of job %d at %v", jobRank, job, b.Address())
	}
	mine := []byte("blob")
	blobs, err := b.Exchange(ctx, mine)
	if err != nil || len(blobs) != 1 || string(blobs[0]) != "blob" {
		t.Errorf("%q, %v", blobs, err)
	}
	mine[0] = 'X'
	if string(blobs[0]) != "blob" {
		t.Error("the result is the caller's own slice")
	}
	if _, err := b.Exchange(ctx, make([]byte, MaxBlob+1)); err == nil {
		t.Error("blob too long: no error")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := b.Exchange(cancelled, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	b.Abort("enough")
	var abort *AbortError
	if err := expectLost(t, b); !errors.As(err, &abort) || abort.Reason != "enough" {
		t.Errorf("%v", err)
	}
	b = Single()
	if err := b.Close(); err != nil || b.Err() != nil {
		t.Errorf("%v, %v", err, b.Err())
	}
	if _, err := b.Exchange(ctx, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after close: %v", err)
	}
	b.Abort("too late")
	if b.Err() != nil {
		t.Errorf("lost after close: %v", b.Err())
	}
}
