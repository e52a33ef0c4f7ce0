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
  uint32_t source; // process id of the sender, whose memory the receiver can read; or 0
  char reserved[44];
  uint64_t head; // bytes ever taken out
  uint32_t closed;
  uint32_t looking; // who would want help looks himself
  char reserved2[48];
};

// One end of a channel. The fields behind flags belong to whoever holds the lock.
struct goacp_endpoint {
  uint32_t lock;
  uint32_t flags; // properties, and the generation above them
  struct goacp_ring *ring;
  uint64_t pos;   // bytes that this side has ever put in or taken out
  uint64_t seen;  // of the sender: the receiver's pos when it looked last
  uint32_t at;    // pos modulo size
  uint32_t size;  // bytes of the ring's data
  uint32_t eager; // longest message that goes in the ring
  uint32_t count; // requests made
  void *buf;      // the receive posted by C, if request is not 0
  uint64_t room;  // of the sender: size of the long message sent last
  uint64_t request;
  uint32_t peer;
  uint32_t peerslot;
};

// The endpoints of this process.
struct goacp_channels {
  uint64_t spin;    // nanoseconds to look before sleeping
  uint32_t running; // not 0: somebody answers calls
  uint32_t used;
  uint32_t unused;
  char reserved[44];
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
// name of the endpoint; and the words up to the end of the record, modulo a power of two.
#define GOACP_SENT_SHIFT 61
#define GOACP_SENT ((uint64_t)1 << GOACP_SENT_SHIFT)
#define GOACP_END_BITS 29

_Static_assert(sizeof(struct goacp_ring) == 128, "two cache lines");
_Static_assert(sizeof(struct goacp_channels) == 64, "one cache line");

#endif
