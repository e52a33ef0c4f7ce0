package config

import (
	"slices"
	"testing"
)

// TestUnknownVariables: variables that launchers, library and wrapper compilers use give no warning. A
// warning about any other variable names the nearest one that is used.
func TestUnknownVariables(t *testing.T) {
	known := []string{"PATH=/bin", "ACP_NET=tcp", "ACP_JOB=0", "ACP_LINK=shared", "ACP_WRAPPER_DATA=file", "ACP_PMIX_LIBRARY=file"}
	if warnings := EnvironmentWarnings(known); len(warnings) != 0 {
		t.Errorf("warnings: %q", warnings)
	}
	want := []string{"environment variable ACP_NETT is unknown and ignored; did you mean ACP_NET?"}
	if warnings := EnvironmentWarnings([]string{"ACP_NETT=tcp"}); !slices.Equal(warnings, want) {
		t.Errorf("warnings %q, expected %q", warnings, want)
	}
}
