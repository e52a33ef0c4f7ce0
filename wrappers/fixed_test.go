package main

import (
	"strings"
	"testing"

	"github.com/goacp/goacp/wrappers/toolchain"
)

// TestFixedAddresses: programs with the static library get fixed addresses, unless the arguments say otherwise, or a
// compiler does not know the option.
func TestFixedAddresses(t *testing.T) {
	data, err := toolchain.Load("testdata/wrappers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	option := " " + toolchain.FixedOption + " "
	for _, known := range []bool{true, false} {
		data.NoPIE = known
		for typed, fixed := range map[string]bool{
			"acpcc a.c": true, "macpcc a.c": true, "acpc++ a.o b.o": true, "acpfc a.f90": true, "dmicc a.c": true,
			"acpcc -c a.c": false, "acpcc a.c -c": false, "acpcc --version": false,
			"acpcc -pie a.c": false, "acpcc a.c -static-pie": false, "acpcc a.c -fPIE": true,
			"acpcc -shared a.o": false, "ACP_LINK=static acpcc -shared a.o": false,
			"ACP_LINK=shared acpcc a.c": false, "acpcc a.c -lgp": false, "dmicc a.c -ldmi": false,
			"acpcc -mhook a.c": true,
		} {
			got := outcome(t, data, typed+" -showme")
			if strings.HasPrefix(got, "error: ") || strings.Contains(got, option) != (fixed && known) {
				t.Errorf("%s, known %v: %s", typed, known, got)
			}
		}
		// Flags for other commands may link anything.
		for _, typed := range []string{"acpcc -showme:link", "acpcc -link-info"} {
			if got := outcome(t, data, typed); strings.Contains(got, option) {
				t.Errorf("%s: %s", typed, got)
			}
		}
	}
	data.NoPIE = true
	if got := outcome(t, data, "acpcc -no-pie a.c"); strings.Count(got+" ", option) != 1 {
		t.Errorf("twice: %s", got)
	}
}
