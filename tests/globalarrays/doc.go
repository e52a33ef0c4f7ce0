// Package globalarrays runs programs that use Global Arrays on libarmci. `make check-ga` calls it with the
// programs that check.sh has compiled, and with the programs of Global Arrays that source.sh has built.
// The tests have the build tag globalarrays, so that no other command needs Global Arrays. See
// docs/global-arrays.md.
package globalarrays
