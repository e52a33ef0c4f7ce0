// The values of each kind of parameter that edges.c passes. The first is right, and the second too
// if there are two objects. Each of the others has one of the grades below.

#ifndef EDGE_VALUES_H
#define EDGE_VALUES_H

#include "check.h"

#include <limits.h>
#include <math.h>

enum grade {
  RIGHT,
  ODD,   // the function may succeed or fail
  ALONE, // the function fails if every other argument is right
  WRONG, // the function fails
};

struct edge {
  const char *text;
  enum grade grade;
};

// The values of a kind; each begins with its edge.
struct values {
  void *at;
  size_t size, count;
  uint64_t fill; // in which it was filled last
};

// The number of the present fill.
static uint64_t fills;

enum { MOST_VALUES = 40 };

#define KIND(kind, type)                                                       \
  struct kind##_value {                                                        \
    struct edge edge;                                                          \
    type is;                                                                   \
  };                                                                           \
  static struct kind##_value kind##_values[MOST_VALUES];                       \
  static struct values kind##_kind = {kind##_values, sizeof(struct kind##_value), 0, 0};

// Adds a value to a kind.
#define PUT(kind, its_grade, its_text, ...)                                    \
  do {                                                                         \
    if (kind##_kind.fill != fills)                                             \
      kind##_kind.count = 0;                                                   \
    kind##_kind.fill = fills;                                                  \
    CHECK(kind##_kind.count < MOST_VALUES);                                    \
    kind##_values[kind##_kind.count++] =                                       \
        (struct kind##_value){{its_text, its_grade}, __VA_ARGS__};             \
  } while (0)

typedef int (*comp_function)(const acp_element_t, const acp_element_t);

KIND(argc, int *)
KIND(argv, char ***)
KIND(text, const char *)
KIND(new_rank, int)
KIND(address, void *)
KIND(buffer, void *)
KIND(size, size_t)
KIND(message, size_t)
KIND(length, size_t)
KIND(amount, size_t)
KIND(extent, size_t)
KIND(piece, size_t)
KIND(copied, size_t)
KIND(position, size_t)
KIND(first_rank, size_t)
KIND(segsize, size_t)
KIND(segnum, size_t)
KIND(color, int)
KIND(rank, int)
KIND(job, int)
KIND(process, int)
KIND(job_name, const char *)
KIND(value_name, const char *)
KIND(own_value, const char *)
KIND(record, void *)
KIND(value_size, size_t)
KIND(any_version, int64_t)
KIND(ranks_room, int *)
KIND(room, int)
KIND(stay, int)
KIND(more, int)
KIND(version, int64_t *)
KIND(partner, int)
KIND(traffic_kind, int)
KIND(traffic_path, int)
KIND(time_limit, double)
KIND(count, int)
KIND(step, int)
KIND(offset, int)
KIND(tables, int)
KIND(slots, int)
KIND(ranks, const int *)
KIND(group, const int *)
KIND(group_size, int)
KIND(key, acp_atkey_t)
KIND(ga, acp_ga_t)
KIND(own_ga, acp_ga_t)
KIND(source, acp_ga_t)
KIND(block, acp_ga_t)
KIND(place, acp_ga_t)
KIND(word, acp_ga_t)
KIND(word_own, acp_ga_t)
KIND(value4, uint32_t)
KIND(value8, uint64_t)
KIND(handle, acp_handle_t)
KIND(channel, acp_ch_t)
KIND(request, acp_request_t)
KIND(requests, acp_request_t *)
KIND(sizes, size_t *)
KIND(segbuf, acp_segbuf_t)
KIND(workspace, acp_wsd_t)
KIND(comp, comp_function)
KIND(element, acp_element_t)
KIND(pair, acp_pair_t)
KIND(vector, acp_vector_t)
KIND(vector_it, acp_vector_it_t)
KIND(deque, acp_deque_t)
KIND(deque_it, acp_deque_it_t)
KIND(list, acp_list_t)
KIND(list_it, acp_list_it_t)
KIND(set, acp_set_t)
KIND(set_it, acp_set_it_t)
KIND(multiset, acp_multiset_t)
KIND(multiset_it, acp_multiset_it_t)
KIND(map, acp_map_t)
KIND(map_it, acp_map_it_t)

// The right values.
struct fixtures {
  int rank, procs, peer;
  void *memory;     // registered, 4096 bytes
  acp_atkey_t key, dead_key, foreign_key;
  acp_ga_t mine, theirs; // starter memory, 8 bytes of it filled
  acp_ga_t registered, unregistered, nowhere, beyond, no_rank;
  acp_ga_t block, dead_block;
  acp_ch_t sender, receiver;
  acp_request_t finished;
  acp_segbuf_t segbuf;
  acp_wsd_t workspace, dead_workspace;
  acp_vector_t vectors[2], dead_vector;
  acp_deque_t deques[2], dead_deque;
  acp_list_t lists[2], dead_list;
  acp_list_it_t elements[2];
  acp_set_t sets[2], dead_set;
  acp_multiset_t multisets[2], dead_multiset;
  acp_map_t maps[2], dead_map;
};

static int compare(const acp_element_t a, const acp_element_t b) {
  return a.size < b.size ? -1 : a.size > b.size;
}

static inline void put_numbers(const struct fixtures *f) {
  static char *argv[] = {(char *)"edges", NULL}, **vector = argv;
  static int argc = 1, own[2], none[] = {-1, INT_MAX};
  PUT(argc, RIGHT, "1", &argc);
  PUT(argc, WRONG, "NULL", NULL);
  PUT(argv, RIGHT, "one", &vector);
  PUT(argv, WRONG, "NULL", NULL);
  PUT(text, RIGHT, "text", "text");

#define PUT_SIZES(kind, grade, least)                                          \
  do {                                                                         \
    PUT(kind, grade, "2^31", (size_t)1 << 31);                                 \
    PUT(kind, grade, "2^32", (size_t)1 << 32);                                 \
    PUT(kind, least, "2^63-1", ((size_t)1 << 63) - 1);                         \
    PUT(kind, least, "2^63", (size_t)1 << 63);                                 \
    PUT(kind, least, "SIZE_MAX-7", SIZE_MAX - 7);                              \
    PUT(kind, least, "SIZE_MAX", SIZE_MAX);                                    \
  } while (0)
#define PUT_LOW(kind, zero, one)                                               \
  do {                                                                         \
    PUT(kind, RIGHT, "8", 8);                                                  \
    PUT(kind, zero, "0", 0);                                                   \
    PUT(kind, one, "1", 1);                                                    \
  } while (0)
  PUT_LOW(size, ODD, ODD);
  PUT_SIZES(size, ODD, WRONG);
  PUT_LOW(message, ODD, ODD);
  PUT_SIZES(message, ODD, WRONG);
  PUT_LOW(length, ODD, ODD);
  PUT_SIZES(length, ALONE, WRONG);
  PUT_LOW(amount, ODD, ODD);
  PUT_SIZES(amount, ODD, ODD);
  PUT_LOW(extent, ODD, ODD);
  PUT_SIZES(extent, ALONE, ALONE);
  PUT_LOW(piece, WRONG, ODD);
  PUT_SIZES(piece, ODD, ODD);
  PUT_LOW(copied, ODD, ODD);
  PUT_LOW(segsize, WRONG, ODD);
  PUT_SIZES(segsize, ODD, WRONG);
  PUT_LOW(segnum, WRONG, ODD);
  PUT_SIZES(segnum, ODD, WRONG);
  PUT(position, RIGHT, "8", 8);
  PUT(position, ALONE, "64", 64);
  PUT_SIZES(position, ALONE, ALONE);
  PUT(first_rank, RIGHT, "0", 0);
  PUT(first_rank, WRONG, "number of ranks", (size_t)f->procs);
  PUT_SIZES(first_rank, WRONG, WRONG);

#define PUT_INTS(kind, most, least)                                            \
  do {                                                                         \
    PUT(kind, least, "-1", -1);                                                \
    PUT(kind, least, "INT_MIN", INT_MIN);                                      \
    PUT(kind, most, "INT_MAX", INT_MAX);                                       \
  } while (0)
  PUT(color, RIGHT, "0", 0);
  PUT(color, WRONG, "1", 1);
  PUT_INTS(color, WRONG, WRONG);
  PUT(rank, RIGHT, "own", f->rank);
  PUT(rank, ODD, "last", f->procs - 1);
  PUT(rank, WRONG, "number of ranks", f->procs);
  PUT_INTS(rank, WRONG, WRONG);
  PUT(job, RIGHT, "0", 0);
  PUT(job, WRONG, "1", 1);
  PUT_INTS(job, WRONG, WRONG);
  PUT(process, RIGHT, "0", 0);
  PUT(process, WRONG, "number of processes", f->procs);
  PUT_INTS(process, WRONG, WRONG);
  PUT(time_limit, RIGHT, "none", -1);
  PUT(time_limit, RIGHT, "an hour", 3600);
  PUT(time_limit, RIGHT, "infinite", HUGE_VAL);
  PUT(time_limit, WRONG, "0", 0);
  PUT(time_limit, WRONG, "no number", NAN);
  PUT(job_name, RIGHT, "own", "edges");
  PUT(job_name, RIGHT, "of no job", "absent");
  PUT(job_name, RIGHT, "empty", "");
  PUT(job_name, WRONG, "NULL", NULL);
  PUT(new_rank, WRONG, "number of ranks", f->procs);
  PUT_INTS(new_rank, WRONG, WRONG);
  PUT(step, RIGHT, "1", 1);
  PUT(step, RIGHT, "0", 0);
  PUT_INTS(step, ODD, ODD);
  PUT(offset, RIGHT, "1", 1);
  PUT_INTS(offset, ALONE, ALONE);
  PUT(tables, RIGHT, "1", 1);
  PUT(tables, WRONG, "0", 0);
  PUT(tables, WRONG, "-1", -1);
  PUT(tables, WRONG, "INT_MIN", INT_MIN);
  PUT(slots, RIGHT, "2", 2);
  PUT(slots, WRONG, "0", 0);
  PUT_INTS(slots, WRONG, WRONG);
  own[0] = own[1] = f->rank;
  PUT(ranks, RIGHT, "own", own);
  PUT(ranks, WRONG, "NULL", NULL);
  PUT(ranks, WRONG, "-1", none);
  PUT(ranks, WRONG, "INT_MAX", none + 1);
  static char long_name[257], room[65536];
  static int64_t version;
  memset(long_name, 'n', 256);
  PUT(value_name, RIGHT, "own", "own");
  PUT(value_name, RIGHT, "new", "new");
  PUT(value_name, RIGHT, "255 bytes", long_name + 1);
  PUT(value_name, WRONG, "256 bytes", long_name);
  PUT(value_name, WRONG, "empty", "");
  PUT(value_name, WRONG, "NULL", NULL);
  PUT(own_value, RIGHT, "own", "own");
  PUT(own_value, WRONG, "256 bytes", long_name);
  PUT(own_value, WRONG, "empty", "");
  PUT(own_value, WRONG, "NULL", NULL);
  PUT(record, RIGHT, "memory", room);
  PUT(record, ALONE, "NULL", NULL);
  PUT(record, ALONE, "in the first page", (char *)NULL + 24);
  PUT(value_size, RIGHT, "8", 8);
  PUT(value_size, ODD, "0", 0);
  PUT(value_size, RIGHT, "32768", 32768);
  PUT(value_size, ODD, "32769", 32769);
  PUT(value_size, WRONG, "2^63", (size_t)1 << 63);
  PUT(value_size, WRONG, "SIZE_MAX", SIZE_MAX);
  static int ranks_of_epoch[64];
  PUT(ranks_room, RIGHT, "room", ranks_of_epoch);
  PUT(ranks_room, ODD, "NULL", NULL);
  PUT(room, RIGHT, "64", 64);
  PUT(room, RIGHT, "0", 0);
  PUT(room, WRONG, "-1", -1);
  PUT(stay, RIGHT, "1", 1);
  PUT(stay, WRONG, "0", 0);
  PUT(more, WRONG, "1", 1);
  PUT(more, WRONG, "0", 0);
  PUT(more, WRONG, "INT_MIN", INT_MIN);
  PUT(any_version, RIGHT, "1", 1);
  PUT(any_version, RIGHT, "0", 0);
  PUT(any_version, RIGHT, "-1", -1);
  PUT(any_version, RIGHT, "least", INT64_MIN);
  PUT(version, RIGHT, "room", &version);
  PUT(version, RIGHT, "NULL", NULL);
  PUT(partner, RIGHT, "-1", -1);
  PUT(partner, RIGHT, "own", f->rank);
  PUT(partner, WRONG, "-2", -2);
  PUT(partner, WRONG, "INT_MAX", INT_MAX);
  PUT(traffic_kind, RIGHT, "all", ACP_STATS_ALL);
  PUT(traffic_kind, RIGHT, "structure", ACP_STATS_STRUCTURE);
  PUT(traffic_kind, WRONG, "-1", -1);
  PUT(traffic_kind, WRONG, "7", ACP_STATS_STRUCTURE + 1);
  PUT(traffic_path, RIGHT, "all", ACP_STATS_ALL);
  PUT(traffic_path, RIGHT, "tcp", ACP_STATS_TCP);
  PUT(traffic_path, WRONG, "-1", -1);
  PUT(traffic_path, WRONG, "4", ACP_STATS_TCP + 1);
  PUT(group, RIGHT, "own", own);
  PUT(group, WRONG, "NULL", NULL);
  PUT(group, WRONG, "-1", none);
  PUT(group, WRONG, "INT_MAX", none + 1);
  PUT(group_size, RIGHT, "1", 1);
  PUT(group_size, WRONG, "0", 0);
  PUT(group_size, WRONG, "twice", 2);
  PUT_INTS(group_size, WRONG, WRONG);
  PUT(comp, RIGHT, "compare", compare);
  PUT(comp, WRONG, "NULL", NULL);
}

static inline void put_memory(const struct fixtures *f) {
  PUT(address, RIGHT, "registered", f->memory);
  PUT(address, WRONG, "NULL", NULL);
  PUT(address, WRONG, "in the first page", (char *)NULL + 24);
  PUT(buffer, RIGHT, "memory", f->memory);
  PUT(buffer, ALONE, "NULL", NULL);
  PUT(key, RIGHT, "own", f->key);
  PUT(key, WRONG, "null", ACP_ATKEY_NULL);
  PUT(key, WRONG, "unregistered", f->dead_key);
  PUT(key, f->procs > 1 ? WRONG : ODD, "of the other rank", f->foreign_key);
  PUT(key, WRONG, "another number", f->key ^ (acp_atkey_t)1 << 40);
  PUT(key, WRONG, "all bits", UINT64_MAX);

#define PUT_GAS(kind, far, lost, wrong)                                        \
  do {                                                                         \
    PUT(kind, RIGHT, "starter memory", f->mine);                               \
    PUT(kind, RIGHT, "registered", f->registered);                             \
    PUT(kind, far, "of the other rank", f->theirs);                            \
    PUT(kind, wrong, "null", ACP_GA_NULL);                                     \
    PUT(kind, wrong, "no rank", f->no_rank);                                   \
    PUT(kind, wrong, "all bits", UINT64_MAX);                                  \
    PUT(kind, lost, "unregistered", f->unregistered);                          \
    PUT(kind, lost, "nowhere", f->nowhere);                                    \
    PUT(kind, lost, "behind starter memory", f->beyond);                       \
  } while (0)
  int far = f->procs > 1 ? WRONG : ODD;
  PUT_GAS(ga, RIGHT, ODD, WRONG);
  PUT_GAS(own_ga, far, ALONE, WRONG);
  PUT_GAS(source, RIGHT, ALONE, ALONE);
  // Accesses to memory that is not there end the process; endings.c has them.
#define PUT_PLACES(kind, far)                                                  \
  do {                                                                         \
    PUT(kind, RIGHT, "starter memory", f->mine);                               \
    PUT(kind, RIGHT, "registered", f->registered);                             \
    PUT(kind, far, "of the other rank", f->theirs);                            \
    PUT(kind, WRONG, "null", ACP_GA_NULL);                                     \
    PUT(kind, WRONG, "no rank", f->no_rank);                                   \
    PUT(kind, WRONG, "all bits", UINT64_MAX);                                  \
  } while (0)
  PUT_PLACES(place, RIGHT);
  PUT_PLACES(word, RIGHT);
  PUT_PLACES(word_own, far);
  PUT(word, WRONG, "misaligned by 2", f->mine + 2);
  PUT(word_own, WRONG, "misaligned by 1", f->mine + 1);
  PUT(value4, RIGHT, "1", 1);
  PUT(value4, RIGHT, "all bits", UINT32_MAX);
  PUT(value8, RIGHT, "1", 1);
  PUT(value8, RIGHT, "all bits", UINT64_MAX);
  PUT(handle, RIGHT, "null", ACP_HANDLE_NULL);
  PUT(handle, RIGHT, "all", ACP_HANDLE_ALL);
  PUT(handle, RIGHT, "continue", ACP_HANDLE_CONT);
  PUT(handle, RIGHT, "first", 1);
  PUT(handle, RIGHT, "never issued", (acp_handle_t)1 << 62);
  PUT(block, RIGHT, "block", f->block);
  PUT(block, WRONG, "null", ACP_GA_NULL);
  PUT(block, WRONG, "freed", f->dead_block);
  PUT(block, WRONG, "starter memory", f->mine);
  PUT(block, WRONG, "inside a block", f->block + 8);
  PUT(block, WRONG, "registered", f->registered);
  PUT(block, WRONG, "nowhere", f->nowhere);
  PUT(block, WRONG, "no rank", f->no_rank);
  PUT(block, WRONG, "all bits", UINT64_MAX);
}

static inline void put_ends(const struct fixtures *f) {
  static acp_request_t none[4];
  static size_t results[4];
  enum grade there = f->procs > 1 ? RIGHT : WRONG;
#define NUMBER(type, n) (type)(uintptr_t)(n)
#define PUT_NUMBERS(kind, type, own)                                           \
  do {                                                                         \
    PUT(kind, WRONG, "null", NUMBER(type, 0));                                 \
    PUT(kind, WRONG, "another generation", NUMBER(type, (own) + (1 << 20)));   \
    PUT(kind, WRONG, "2^31", NUMBER(type, (uint64_t)1 << 31));                 \
    PUT(kind, WRONG, "2^32", NUMBER(type, (uint64_t)1 << 32));                 \
    PUT(kind, WRONG, "2^62", NUMBER(type, (uint64_t)1 << 62));                 \
    PUT(kind, WRONG, "an address", NUMBER(type, f->memory));                   \
  } while (0)
  PUT(channel, there, "sender", f->sender);
  PUT(channel, f->procs > 1 ? ODD : WRONG, "receiver", f->receiver);
  PUT_NUMBERS(channel, acp_ch_t, (uintptr_t)f->sender);
  PUT(channel, WRONG, "all bits", NUMBER(acp_ch_t, UINT64_MAX));
  PUT(request, there, "finished", f->finished);
  PUT_NUMBERS(request, acp_request_t, 0);
  PUT(request, WRONG, "2^61", NUMBER(acp_request_t, (uint64_t)1 << 61));
  PUT(request, WRONG, "2^61 and an end", NUMBER(acp_request_t, ((uint64_t)1 << 61) + 77));
  PUT(request, WRONG, "an end and a number", NUMBER(acp_request_t, ((uint64_t)3 << 32) + 5));
  PUT(request, WRONG, "the channel", NUMBER(acp_request_t, (uintptr_t)f->sender | (uint64_t)1 << 40));
  PUT(requests, ALONE, "null requests", none);
  PUT(requests, ALONE, "NULL", NULL);
  PUT(count, RIGHT, "3", 3);
  PUT(count, ODD, "0", 0);
  PUT(count, WRONG, "-1", -1);
  PUT(count, WRONG, "INT_MIN", INT_MIN);
  PUT(sizes, RIGHT, "room", results);
  PUT(sizes, RIGHT, "NULL", NULL);
  PUT(segbuf, there, "connected", f->segbuf);
  PUT_NUMBERS(segbuf, acp_segbuf_t, (uintptr_t)f->segbuf);
  PUT(segbuf, WRONG, "all bits", NUMBER(acp_segbuf_t, UINT64_MAX));
  PUT(workspace, RIGHT, "workspace", f->workspace);
  PUT(workspace, WRONG, "null", ACP_WSD_NULL);
  PUT(workspace, WRONG, "NULL", NULL);
  PUT(workspace, WRONG, "destroyed", f->dead_workspace);
  PUT(workspace, WRONG, "an address", (acp_wsd_t)f->memory);
}

#include "edge_structures.h"
#include "edge_couple.h"
#include "edge_many.h"

// Fills all kinds with values.
static inline void put_all(const struct fixtures *f) {
  fills++;
  put_numbers(f);
  put_memory(f);
  put_ends(f);
  put_structures(f);
  put_couplings(f);
  put_many(f);
}

// Fills all kinds with values that look right but are wrong while the library is not initialised.
static inline void guess(struct fixtures *f) {
  f->procs = 1;
  f->nowhere = (acp_ga_t)1 << 42;
  f->mine = f->theirs = f->registered = f->unregistered = f->beyond = f->block = 4096;
  f->dead_block = 8192;
  f->no_rank = (acp_ga_t)1 << 44;
  f->workspace = f->dead_workspace = (acp_wsd_t)f->memory;
  put_all(f);
}

#endif
