package pmix

import (
	"strings"
	"testing"
)

// environ returns a getenv of some variables.
func environ(vars ...string) func(name string) string {
	return func(name string) string {
		for _, v := range vars {
			if value, found := strings.CutPrefix(v, name+"="); found {
				return value
			}
		}
		return ""
	}
}

// TestOffered: a launcher names the job, the process and a server.
func TestOffered(t *testing.T) {
	space, rank, server := "PMIX_NAMESPACE=a", "PMIX_RANK=0", "PMIX_SERVER_URI41=b;tcp4://127.0.0.1:1"
	if !Offered(environ(space, rank, server)) {
		t.Error("the launcher is not seen")
	}
	for _, vars := range [][]string{nil, {space, rank}, {space, server}, {rank, server}} {
		if Offered(environ(vars...)) {
			t.Errorf("%v are taken for those of a launcher", vars)
		}
	}
}

// TestVersions: the first number of the text is the version of libpmix.
func TestVersions(t *testing.T) {
	for version, ok := range map[string]bool{
		"OpenPMIx 4.2.2rc2 (PMIx Standard: 4.2, Stable ABI: 0.0, Provisional ABI: 0.0)": true,
		"OpenPMIx 3.2.3, repo rev: v3.2.3 (PMIx Standard: 3.1)":                         true,
		"OpenPMIx 5.0.1": true, "OpenPMIx 10.0.0": true,
		"PMIx 2.2.5, repo rev: x (PMIx Standard: 3.0)": false, "OpenPMIx": false, "": false,
	} {
		if err := checkVersion("file", version); (err == nil) != ok {
			t.Errorf("%q: %v", version, err)
		}
	}
}
