// Package message defines the messages between launchers: the frames between a launcher and its
// proxies on other hosts, and the report of an acprun to the macprun above it.
//
// A message may have passed through other programs or come from another version. So the decoding functions
// check their results.
package message
