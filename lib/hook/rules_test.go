package hook

import (
	"slices"
	"strings"
	"testing"
)

// What the program rules prints for its sizes: p is the pool, l is libc.
var (
	sizes   = []string{"0", "127", "128", "131071", "131072", "5000000"}
	fromLib = "0:llll 127:llll 128:llll 131071:llll 131072:llll 5000000:llll\nno pool\n"
)

// TestRules: variables of the environment say which sizes come from the pool.
func TestRules(t *testing.T) {
	t.Parallel()
	program := build(t, library, "rules")
	for _, c := range []struct{ env, want string }{
		{"", fromLib},
		{"ACP_MHOOK_SMALL=0 ACP_MHOOK_LOW=1000", fromLib},
		{"ACP_MHOOK_SMALL=1 ACP_MHOOK_LARGE=1 ACP_MHOOK_HUGE=1",
			"0:pppp 127:pppp 128:pppp 131071:pppp 131072:pppp 5000000:pppp\n"},
		{"ACP_MHOOK_SMALL=1", "0:pppp 127:pppp 128:llll 131071:llll 131072:llll 5000000:llll\n"},
		{"ACP_MHOOK_LARGE=1", "0:llll 127:llll 128:pppp 131071:pppp 131072:llll 5000000:llll\n"},
		{"ACP_MHOOK_HUGE=1", "0:llll 127:llll 128:llll 131071:llll 131072:pppp 5000000:pppp\n"},
		{"ACP_MHOOK_HUGE=1 ACP_MHOOK_HIGH=2m", "0:llll 127:llll 128:llll 131071:llll 131072:llll 5000000:pppp\n"},
		{"ACP_MHOOK_SMALL=1 ACP_MHOOK_LOW=128k", "0:pppp 127:pppp 128:pppp 131071:pppp 131072:llll 5000000:llll\n"},
		// HIGH below LOW: no size is large.
		{"ACP_MHOOK_LARGE=1 ACP_MHOOK_LOW=1000 ACP_MHOOK_HIGH=100", strings.TrimSuffix(fromLib, "no pool\n")},
	} {
		if out := run(t, strings.Fields(c.env), program, sizes...); out != c.want {
			t.Errorf("%s: %s, expected %s", c.env, out, c.want)
		}
	}
}

// TestLinkedRules: a program has rules that it was linked with, and variables override them one by one.
func TestLinkedRules(t *testing.T) {
	t.Parallel()
	const rules = "-Wl,--defsym=goacp_hook_classes=6,--defsym=goacp_hook_low=1000,--defsym=goacp_hook_high=8589934592"
	for _, flags := range [][]string{{rules}, {rules, "-no-pie"}} {
		program := build(t, library, "rules", flags...)
		for _, c := range []struct{ env, want string }{
			{"", "0:llll 127:llll 128:llll 131071:pppp 131072:pppp 5000000:pppp\n"},
			{"ACP_MHOOK_SMALL=1 ACP_MHOOK_HIGH=131072", "0:pppp 127:pppp 128:pppp 131071:pppp 131072:pppp 5000000:pppp\n"},
			{"ACP_MHOOK_LARGE=0 ACP_MHOOK_HIGH=131072", "0:llll 127:llll 128:llll 131071:llll 131072:pppp 5000000:pppp\n"},
			{"ACP_MHOOK_LARGE=0 ACP_MHOOK_HUGE=0", fromLib},
		} {
			if out := run(t, strings.Fields(c.env), program, sizes...); out != c.want {
				t.Errorf("%v, %s: %s, expected %s", flags, c.env, out, c.want)
			}
		}
	}
}

// TestWrongRules: a value that is none has no effect, and a message names the variable.
func TestWrongRules(t *testing.T) {
	t.Parallel()
	program := build(t, library, "rules")
	for _, c := range []struct{ env, message string }{
		{"ACP_MHOOK_HUGE=yes", "libacphook: ACP_MHOOK_HUGE=yes: expected 0 or 1; the variable has no effect\n"},
		{"ACP_MHOOK_LOW=-1", "libacphook: ACP_MHOOK_LOW=-1: expected a number of bytes, such as 4096 or 64k; the variable has no effect\n"},
		{"ACP_MHOOK_HIGH=9x", "libacphook: ACP_MHOOK_HIGH=9x: expected a number of bytes, such as 4096 or 64k; the variable has no effect\n"},
		{"ACP_MHOOK_HIGH=99999999999999999g", "libacphook: ACP_MHOOK_HIGH=99999999999999999g: expected a number of bytes, such as 4096 or 64k; the variable has no effect\n"},
	} {
		out, message, err := start(t, []string{c.env}, program, sizes...)
		if err != nil || out != fromLib || message != c.message {
			t.Errorf("%s: %v, %q, %q", c.env, err, out, message)
		}
	}
}

// TestNoSpaceForPool: if limits leave no space for the pool, all blocks come from libc, and the library prints nothing.
func TestNoSpaceForPool(t *testing.T) {
	t.Parallel()
	program := build(t, library, "rules")
	for _, limit := range []string{"ulimit -v 200000", "ulimit -f 1000"} {
		args := slices.Concat([]string{"-c", limit + ` && exec "$0" "$@"`, program}, sizes)
		if out := run(t, everything, "/bin/sh", args...); out != fromLib {
			t.Errorf("%s: %s, expected %s", limit, out, fromLib)
		}
	}
}
