// Package message defines the messages between launchers: the frames between a launcher and its
// proxies on other hosts, and the report of an acprun to the macprun above it.
//
// Everything may have come through other programs or from another version. So the functions
// that decode check what they return.
package message
