package main

import "testing"

func TestCommandNamed(t *testing.T) {
	for _, c := range []struct{ file, called, want string }{
		{"/opt/goacp/bin/macprun", "macprun", "macprun"},
		{"/opt/goacp/bin/acpstat", "./stat", "acpstat"},                 // a link of a user
		{"/opt/goacp/bin/macprun", "acp-cleaner", "macprun"},            // a launcher that has started itself
		{"/nix/store/launchers-wrapped", "/usr/bin/macprun", "macprun"}, // a file that an installer has renamed
		{"", "macprun", "macprun"},
		{"/opt/goacp/bin/acpweights", "acpweights", "acpweights"},
		{"/opt/goacp/bin/dmimw", "dmimw", "dmimw"},
		{"/tmp/launchers", "launchers", "acprun"},
	} {
		if got := commandNamed(c.file, c.called); got != c.want {
			t.Errorf("commandNamed(%q, %q) = %q, expected %q", c.file, c.called, got, c.want)
		}
	}
}
