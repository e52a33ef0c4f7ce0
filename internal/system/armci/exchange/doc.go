// Package exchange exchanges blobs of bytes among some members of a run: every member gets the
// blobs of all. It needs only messages, so that it can make a world of ARMCI.
//
// The first of the members collects the blobs. Each member sends it a request, which is answered
// when all have come. An answer carries no more than a message may have. So what is longer comes
// in parts, each of which is a request.
package exchange
