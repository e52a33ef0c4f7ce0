// Package exchange exchanges blobs of bytes among some members of a run: every member gets the
// blobs of all. It needs only messages, so that it can make a world of ARMCI.
//
// The first of the members collects the blobs. Each member sends it a request, and gets a reply
// when the requests of all members have arrived. A reply is no longer than a message may be. So
// longer data is divided into parts, with one request for each.
package exchange
