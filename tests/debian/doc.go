// Package debian has the check of the packages of Debian:
//
//	make check-debian
//
// check.sh builds them from the archive of make dist. It needs the programs that ./bootstrap --debian installs.
package debian
