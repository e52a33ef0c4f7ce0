// Package exchange lets some members of a run tell each other a blob of bytes: every one gets those
// of all. It needs nothing but messages, so that a world of ARMCI can be made by it.
//
// The first of the members collects the blobs. Each member sends it a request, which is answered
// when all have come. An answer carries no more than a message may have. So what is longer comes
// in parts, each of which is a request.
package exchange
