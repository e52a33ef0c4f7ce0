// The values of each kind of parameter that edges.c passes. The first is right, and the second too
// if there are two objects. Each of the others has one of the grades below.

#ifndef EDGE_VALUES_H
#define EDGE_VALUES_H

#include "check.h"

#include <limits.h>

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
KIND(version, int64_t *)
KIND(partner, int)
KIND(traffic_kind, int)
KIND(traffic_path, int)
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
  PUT(value_size, RIGHT, "8", 8);
  PUT(value_size, ODD, "0", 0);
  PUT(value_size, RIGHT, "32768", 32768);
  PUT(value_size, ODD, "32769", 32769);
  PUT(value_size, WRONG, "2^63", (size_t)1 << 63);
  PUT(value_size, WRONG, "SIZE_MAX", SIZE_MAX);
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

// The handles of vectors, deques and lists, which are a GA.
#define PUT_GA_HANDLES(kind, type, own, dead, other)                           \
  do {                                                                         \
    PUT(kind, RIGHT, "own", (own)[0]);                                         \
    PUT(kind, RIGHT, "of the last rank", (own)[1]);                            \
    PUT(kind, WRONG, "destroyed", dead);                                       \
    PUT(kind, ODD, "of another type", (type){other});                          \
    PUT(kind, WRONG, "null", (type){ACP_GA_NULL});                             \
    PUT(kind, WRONG, "no rank", (type){f->no_rank});                           \
    PUT(kind, WRONG, "all bits", (type){UINT64_MAX});                          \
    PUT(kind, WRONG, "misaligned", (type){(own)[0].ga + 1});                   \
    PUT(kind, WRONG, "nowhere", (type){f->nowhere});                           \
    PUT(kind, WRONG, "behind starter memory", (type){f->beyond});              \
    PUT(kind, ODD, "starter memory", (type){f->mine});                         \
  } while (0)

// Iterators of vectors and deques at a handle of every kind, and at every index.
#define PUT_INDICES(kind, its_grade, type)                                     \
  do {                                                                         \
    PUT(kind##_it, RIGHT, "of its own", (type){kind##_values[0].is, 1});       \
    for (size_t i = 1; i < kind##_kind.count; i++)                             \
      PUT(kind##_it, its_grade(kind##_values[i].edge.grade),                   \
          kind##_values[i].edge.text, (type){kind##_values[i].is, 1});         \
    PUT(kind##_it, ODD, "at 0", (type){kind##_values[0].is, 0});               \
    PUT(kind##_it, ODD, "at -1", (type){kind##_values[0].is, -1});             \
    PUT(kind##_it, ODD, "at INT_MIN", (type){kind##_values[0].is, INT_MIN});   \
    PUT(kind##_it, ODD, "at INT_MAX", (type){kind##_values[0].is, INT_MAX});   \
  } while (0)

// Two iterators of different structures are wrong, but that is not an error everywhere.
static inline enum grade iterator_grade(enum grade g) { return g == RIGHT ? ODD : g == WRONG ? ALONE : g; }

// The handles and iterators of sets, multisets and maps.
#define PUT_TABLE_HANDLES(kind, type, own, dead, other)                        \
  do {                                                                         \
    type it = (own)[0];                                                        \
    PUT(kind, RIGHT, "own", it);                                               \
    PUT(kind, RIGHT, "of the last rank", (own)[1]);                            \
    PUT(kind, WRONG, "destroyed", dead);                                       \
    PUT(kind, WRONG, "of another type", (type){(other).ga, 1, 2});             \
    PUT(kind, WRONG, "null", (type){ACP_GA_NULL, 1, 2});                       \
    PUT(kind, WRONG, "no rank", (type){f->no_rank, 1, 2});                     \
    PUT(kind, WRONG, "all bits", (type){UINT64_MAX, 1, 2});                    \
    PUT(kind, WRONG, "misaligned", (type){it.ga + 1, 1, 2});                   \
    PUT(kind, WRONG, "nowhere", (type){f->nowhere, 1, 2});                     \
    PUT(kind, WRONG, "starter memory", (type){f->mine, 1, 2});                 \
    PUT(kind, WRONG, "no table", (type){it.ga, 0, 2});                         \
    PUT(kind, WRONG, "two tables", (type){it.ga, 2, 2});                       \
    PUT(kind, WRONG, "2^31 tables", (type){it.ga, (uint64_t)1 << 31, 2});      \
    PUT(kind, WRONG, "2^63 tables", (type){it.ga, (uint64_t)1 << 63, 2});      \
    PUT(kind, WRONG, "no slot", (type){it.ga, 1, 0});                          \
    PUT(kind, WRONG, "three slots", (type){it.ga, 1, 3});                      \
    PUT(kind, WRONG, "2^32 slots", (type){it.ga, 1, (uint64_t)1 << 32});       \
    PUT(kind, WRONG, "2^64-1 slots", (type){it.ga, 1, UINT64_MAX});            \
  } while (0)

#define PUT_PLACES_IN(kind, type)                                              \
  do {                                                                         \
    acp_ga_t elem = acp_begin_##kind(kind##_values[0].is).elem;                \
    PUT(kind##_it, RIGHT, "first", (type){kind##_values[0].is, 0, 0, elem});   \
    for (size_t i = 2; i < kind##_kind.count; i++)                             \
      PUT(kind##_it, kind##_values[i].edge.grade, kind##_values[i].edge.text,  \
          (type){kind##_values[i].is, 0, 0, elem});                            \
    PUT(kind##_it, ODD, "slot -1", (type){kind##_values[0].is, 0, -1, elem});  \
    PUT(kind##_it, ODD, "slot 2^31-1", (type){kind##_values[0].is, 0, INT_MAX, elem}); \
    PUT(kind##_it, ODD, "table -1", (type){kind##_values[0].is, -1, 0, elem}); \
    PUT(kind##_it, ODD, "table 2^31-1", (type){kind##_values[0].is, INT_MAX, 0, elem}); \
    PUT(kind##_it, ODD, "no element", (type){kind##_values[0].is, 0, 0, 0});   \
    PUT(kind##_it, ODD, "nowhere", (type){kind##_values[0].is, 0, 0, f->nowhere}); \
    PUT(kind##_it, ODD, "no rank", (type){kind##_values[0].is, 0, 0, f->no_rank}); \
    PUT(kind##_it, ODD, "misaligned", (type){kind##_values[0].is, 0, 0, elem + 1}); \
    PUT(kind##_it, ODD, "starter memory", (type){kind##_values[0].is, 0, 0, f->mine}); \
  } while (0)

static inline void put_lists(const struct fixtures *f) {
  PUT_GA_HANDLES(list, acp_list_t, f->lists, f->dead_list, f->deques[0].ga);
  PUT(list_it, RIGHT, "first", f->elements[0]);
  PUT(list_it, ODD, "first of the last rank", f->elements[1]);
  for (size_t i = 2; i < list_kind.count; i++) // most look at the element alone
    PUT(list_it, ODD, list_values[i].edge.text,
        (acp_list_it_t){list_values[i].is, f->elements[0].elem});
  acp_list_t own = f->lists[0];
  PUT(list_it, ODD, "end", (acp_list_it_t){own, own.ga});
  PUT(list_it, ODD, "null element", (acp_list_it_t){own, ACP_GA_NULL});
  PUT(list_it, ODD, "element of another list", (acp_list_it_t){own, f->elements[1].elem});
  PUT(list_it, ODD, "element nowhere", (acp_list_it_t){own, f->nowhere});
  PUT(list_it, ODD, "element of no rank", (acp_list_it_t){own, f->no_rank});
  PUT(list_it, ODD, "misaligned element", (acp_list_it_t){own, f->elements[0].elem + 1});
  PUT(list_it, ODD, "element in starter memory", (acp_list_it_t){own, f->mine});
}

static inline void put_structures(const struct fixtures *f) {
  PUT_GA_HANDLES(vector, acp_vector_t, f->vectors, f->dead_vector, f->lists[0].ga);
  PUT_INDICES(vector, iterator_grade, acp_vector_it_t);
  PUT_GA_HANDLES(deque, acp_deque_t, f->deques, f->dead_deque, f->vectors[0].ga);
  PUT_INDICES(deque, iterator_grade, acp_deque_it_t);
  put_lists(f);
  PUT_TABLE_HANDLES(set, acp_set_t, f->sets, f->dead_set, f->maps[0]);
  PUT_PLACES_IN(set, acp_set_it_t);
  PUT_TABLE_HANDLES(multiset, acp_multiset_t, f->multisets, f->dead_multiset, f->sets[0]);
  PUT_PLACES_IN(multiset, acp_multiset_it_t);
  PUT_TABLE_HANDLES(map, acp_map_t, f->maps, f->dead_map, f->vectors[0]);
  PUT_PLACES_IN(map, acp_map_it_t);
  for (size_t i = 0; i < source_kind.count; i++)
    PUT(element, source_values[i].edge.grade == WRONG ? ALONE : source_values[i].edge.grade,
        source_values[i].edge.text, (acp_element_t){source_values[i].is, 8});
  for (size_t i = 1; i < length_kind.count; i++)
    PUT(element, length_values[i].edge.grade == WRONG ? ALONE : length_values[i].edge.grade,
        length_values[i].edge.text, (acp_element_t){f->mine, length_values[i].is});
  for (size_t i = 0; i < element_kind.count; i++)
    PUT(pair, element_values[i].edge.grade, element_values[i].edge.text,
        (acp_pair_t){element_values[i].is, element_values[0].is});
  for (size_t i = 1; i < element_kind.count; i++)
    PUT(pair, ODD, element_values[i].edge.text,
        (acp_pair_t){element_values[0].is, element_values[i].is});
}

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
