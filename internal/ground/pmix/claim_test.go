package pmix

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestClaim: a job has one process for each number, until that one ends.
func TestClaim(t *testing.T) {
	getenv := func(rank int) func(string) string {
		return environ(fmt.Sprint("PMIX_NAMESPACE=", os.Getpid()), fmt.Sprint("PMIX_RANK=", rank), "PMIX_SERVER_URI3=test")
	}
	first, err := claimRank(getenv(0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claimRank(getenv(0)); err == nil || !strings.Contains(err.Error(), "rank 0") {
		t.Errorf("a second process: %v", err)
	}
	other, err := claimRank(getenv(1))
	if err != nil {
		t.Error(err)
	} else {
		other.release()
	}
	first.release()
	again, err := claimRank(getenv(0))
	if err != nil {
		t.Fatal(err)
	}
	again.release()
}
