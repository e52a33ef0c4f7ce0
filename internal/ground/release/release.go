// Package release says which release of GoACP this is.
package release

// Version is the release of the library and of the launchers.
const Version = "2.1.0"
