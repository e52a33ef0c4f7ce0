// Package release has the number of this release of GoACP.
package release

// Version is the release of the library and of the launchers.
const Version = "2.1.0"
