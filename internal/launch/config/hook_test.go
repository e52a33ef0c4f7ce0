package config

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestHookFromEnvironment: variables set the options that the command line leaves out, and the processes get
// sizes in bytes.
func TestHookFromEnvironment(t *testing.T) {
	for _, c := range []struct {
		args, environ, want []string
		err                 string
	}{
		{nil, nil, nil, ""},
		{nil, []string{"ACP_MHOOK_HUGE=1", "ACP_MHOOK_HIGH=1m"}, []string{"ACP_MHOOK_HUGE=1", "ACP_MHOOK_HIGH=1048576"}, ""},
		{[]string{"-mhookhuge", "-mhookhigh", "2m"}, []string{"ACP_MHOOK_HIGH=1m"}, []string{"ACP_MHOOK_HUGE=1", "ACP_MHOOK_HIGH=2097152"}, ""},
		{[]string{"-mhooksmall"}, []string{"ACP_MHOOK_SMALL=0", "ACP_MHOOK_LARGE=0"}, []string{"ACP_MHOOK_SMALL=1"}, ""},
		{nil, []string{"ACP_MHOOK_LARGE=perhaps"}, nil, "environment: ACP_MHOOK_LARGE: "},
		{nil, []string{"ACP_MHOOK_LOW=-1"}, nil, "environment: ACP_MHOOK_LOW: "},
		{[]string{"-mhooklow", "2k"}, []string{"ACP_MHOOK_HIGH=1k"}, nil, "option -mhooklow: 2048 is greater than the 1024 of -mhookhigh"},
	} {
		opts, err := ParseOptions(Acprun, append(slices.Clone(c.args), "program"))
		if err != nil {
			t.Fatal(err)
		}
		err = opts.AdoptEnvironment(Acprun, c.environ)
		if c.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%q with %q: %v, want %s", c.args, c.environ, err, c.err)
			}
			continue
		}
		if got := opts.Hook.Variables(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q with %q: %q, %v, want %q", c.args, c.environ, got, err, c.want)
		}
		if opts.Hook.On() != (opts.Hook.Options() != "") {
			t.Errorf("%q: options %q", c.args, opts.Hook.Options())
		}
	}
}

// TestHookLimits: the limits are those of the library.
func TestHookLimits(t *testing.T) {
	text, err := os.ReadFile("../../../lib/hook/pool.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{fmt.Sprintf("#define GOACP_HOOK_LOW %d\n", HookLow), fmt.Sprintf("#define GOACP_HOOK_HIGH %d\n", HookHigh)} {
		if !strings.Contains(string(text), line) {
			t.Errorf("lib/hook/pool.h has no line %q", line)
		}
	}
}
