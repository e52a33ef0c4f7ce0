// Endpoints of channels and their rings, as package internal/channel lays them out. A
// test compares the two.

#ifndef GOACP_CHANNEL_H
#define GOACP_CHANNEL_H

#include "direct.h"

// The head of a ring; its data follow.
struct goacp_ring {
  uint64_t goal; // the sender wants to be called when head has reached it
  uint32_t want; // when the receiver wants to be called
  uint32_t sendslot;
  uint32_t direct; // 1: the receiver can read the sender's memory
  char reserved[44];
  uint64_t head; // bytes ever taken out
  uint32_t closed;
  uint32_t looking; // 1: the receiver looks for records and needs no help
  uint64_t lost;    // end of a record whose message could not be read; 0 if there is none
  uint32_t broken;  // 1: the sender has missed one
  char reserved2[36];
};

// One end of a channel. The fields behind flags belong to whoever holds the lock.
struct goacp_endpoint {
  uint32_t lock;
  uint32_t flags; // properties, and the generation above them
  struct goacp_ring *ring;
  uint64_t pos;   // bytes that this side has ever put in or taken out
  uint64_t seen;  // of the sender: the receiver's pos when it looked last; otherwise Go's
  uint32_t at;    // pos modulo size
  uint32_t size;  // bytes of the ring's data
  uint32_t eager; // longest message that goes in the ring
  uint32_t count; // requests made
  void *buf;      // the receive posted by C, if request is not 0
  uint64_t room;  // of the sender: size of the long message sent last
  uint64_t request; // of the sender: bytes that earlier senders here have put in
  uint32_t peer;
  uint32_t peerslot;
};

// The process of a member whose memory this process reads. All 0 if there is none.
struct goacp_source {
  uint32_t pid;
  int32_t fd; // a descriptor of the process, which tells whether pid still is its id
};

// The endpoints of this process.
struct goacp_channels {
  uint64_t spin;    // nanoseconds to look before sleeping
  uint32_t running; // not 0: calls are answered
  uint32_t used;
  uint32_t unused;
  char reserved[4];
  struct goacp_source *sources; // by member
  uint64_t members;
  char reserved2[24];
  struct goacp_endpoint at[];
};

enum {
  GOACP_SENDER = 1,
  GOACP_QUICK = 2, // connected, and nothing is queued
  GOACP_FAR = 4,   // the other end is reached by its agent alone
  GOACP_FLAG_BITS = 4,
  GOACP_SLOT_BITS = 20,
};

// When a receiver wants to be called.
enum { GOACP_WANT_NOTHING, GOACP_WANT_HELP, GOACP_WANT_ALL };

#define GOACP_NO_GOAL UINT64_MAX

// The head of a record: the size of the message above its kind. 0 if there is none.
enum { GOACP_EAGER = 1, GOACP_DIRECT = 4, GOACP_KIND_BITS = 3 };

// A request that is finished is its result with this bit.
#define GOACP_FINISHED ((uint64_t)1 << 63)
#define GOACP_OWNER_SHIFT 32

// A request that is a long message sent from here has this bit, and no higher one; the
// place of the endpoint; and the words that all senders there have put in up to the end of
// the record, modulo a power of two.
#define GOACP_SENT_SHIFT 61
#define GOACP_SENT ((uint64_t)1 << GOACP_SENT_SHIFT)
#define GOACP_END_BITS 41

// More than the longest message. The head of a record has room for its size.
#define GOACP_TOO_LONG (((uint64_t)1 << 48) + 1)

_Static_assert(sizeof(struct goacp_ring) == 128, "two cache lines");
_Static_assert(sizeof(struct goacp_channels) == 64, "one cache line");

#endif
