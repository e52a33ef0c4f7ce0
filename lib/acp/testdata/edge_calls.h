// How to call every function of acp.h and acp_couple.h with values of edge_values.h.

#ifndef EDGE_CALLS_H
#define EDGE_CALLS_H

#include "edge_values.h"

enum property {
  PLAIN,
  COLLECTIVE, // all ranks call it
  VALUE,      // computes with its arguments alone: it works always, and never fails
  TAKES,      // needs new objects for every case
  KEEPS,      // is not called with a right first argument, which would wait for another rank
  LIFE,       // begins or ends the library
};

// The meaning of the result of a function.
struct outcome {
  int known;  // whether the result shows if the function has failed
  int failed; // whether the function has failed
  int only;   // whether only functions that fail return it
};

enum { MOST_PARAMETERS = 11 };

struct function {
  const char *name;
  enum property property;
  void (*call)(const size_t *pick, struct outcome *o);
  int parameters;
  struct values *kinds[MOST_PARAMETERS];
};

#define FAILS_NOTHING(call) call
#define FAILS_ANY(call) (void)(call)
#define FAILS_NONE(call) *o = (struct outcome){1, (call) == 0, 1}
#define FAILS_MINUS(call) *o = (struct outcome){1, (call) == (__typeof__(call))-1, 1}
#define FAILS_ABSENT(call) *o = (struct outcome){1, (call) == -1, 0}
#define FAILS_ZERO(call) *o = (struct outcome){1, (call) == 0, 0}
#define FAILS_ONE(call) *o = (struct outcome){1, (call) == 1, 0}
#define FAILS_WSD(call) *o = (struct outcome){1, (call) == ACP_WSD_NULL, 1}
#define FAILS_GA(call) *o = (struct outcome){1, (call).ga == ACP_GA_NULL, 1}
#define FAILS_ELEM(call) *o = (struct outcome){1, (call).elem == ACP_GA_NULL, 0}
#define FAILS_ELEMENT(call)                                                    \
  acp_element_t e = call;                                                      \
  *o = (struct outcome){1, e.ga == ACP_GA_NULL && e.size == 0, 0}
#define FAILS_PAIR(call)                                                       \
  acp_pair_t p = call;                                                         \
  *o = (struct outcome){1, p.first.ga == ACP_GA_NULL && p.first.size == 0 &&   \
                               p.second.ga == ACP_GA_NULL && p.second.size == 0, 0}

#define TRY(name, fails, ...)                                                  \
  static void try_##name(const size_t *pick, struct outcome *o) {              \
    (void)pick, (void)o;                                                       \
    FAILS_##fails(name(__VA_ARGS__));                                          \
  }
#define ARG(i, kind) kind##_values[pick[i]].is

#define FUNCTION0(name, fails, property) TRY(name, fails)
#define FUNCTION1(name, fails, property, a) TRY(name, fails, ARG(0, a))
#define FUNCTION2(name, fails, property, a, b) TRY(name, fails, ARG(0, a), ARG(1, b))
#define FUNCTION3(name, fails, property, a, b, c)                              \
  TRY(name, fails, ARG(0, a), ARG(1, b), ARG(2, c))
#define FUNCTION4(name, fails, property, a, b, c, d)                           \
  TRY(name, fails, ARG(0, a), ARG(1, b), ARG(2, c), ARG(3, d))
#define FUNCTION5(name, fails, property, a, b, c, d, e)                        \
  TRY(name, fails, ARG(0, a), ARG(1, b), ARG(2, c), ARG(3, d), ARG(4, e))
#define FUNCTION6(name, fails, property, a, b, c, d, e, f)                     \
  TRY(name, fails, ARG(0, a), ARG(1, b), ARG(2, c), ARG(3, d), ARG(4, e), ARG(5, f))
#define FUNCTION7(name, fails, property, a, b, c, d, e, f, g) \
  TRY(name, fails, ARG(0, a), ARG(1, b), ARG(2, c), ARG(3, d), ARG(4, e), ARG(5, f), ARG(6, g))
#define FUNCTION8(name, fails, property, a, b, c, d, e, f, g, h) \
  TRY(name, fails, ARG(0, a), ARG(1, b), ARG(2, c), ARG(3, d), ARG(4, e), ARG(5, f), ARG(6, g), ARG(7, h))
#define FUNCTION9(name, fails, property, a, b, c, d, e, f, g, h, i) \
  TRY(name, fails, ARG(0, a), ARG(1, b), ARG(2, c), ARG(3, d), ARG(4, e), ARG(5, f), ARG(6, g), ARG(7, h), ARG(8, i))
#define FUNCTION11(name, fails, property, a, b, c, d, e, f, g, h, i, j, k) \
  TRY(name, fails, ARG(0, a), ARG(1, b), ARG(2, c), ARG(3, d), ARG(4, e), ARG(5, f), ARG(6, g), ARG(7, h), ARG(8, i), ARG(9, j), ARG(10, k))
#include "edges.def"
#undef FUNCTION0
#undef FUNCTION1
#undef FUNCTION2
#undef FUNCTION3
#undef FUNCTION4
#undef FUNCTION5
#undef FUNCTION6
#undef FUNCTION7
#undef FUNCTION8
#undef FUNCTION9
#undef FUNCTION11

#define ROW(name, property, n, ...) {#name, property, try_##name, n, {__VA_ARGS__}},
#define FUNCTION0(name, fails, property) ROW(name, property, 0, NULL)
#define FUNCTION1(name, fails, property, a) ROW(name, property, 1, &a##_kind)
#define FUNCTION2(name, fails, property, a, b) ROW(name, property, 2, &a##_kind, &b##_kind)
#define FUNCTION3(name, fails, property, a, b, c)                              \
  ROW(name, property, 3, &a##_kind, &b##_kind, &c##_kind)
#define FUNCTION4(name, fails, property, a, b, c, d)                           \
  ROW(name, property, 4, &a##_kind, &b##_kind, &c##_kind, &d##_kind)
#define FUNCTION5(name, fails, property, a, b, c, d, e)                        \
  ROW(name, property, 5, &a##_kind, &b##_kind, &c##_kind, &d##_kind, &e##_kind)
#define FUNCTION6(name, fails, property, a, b, c, d, e, f)                     \
  ROW(name, property, 6, &a##_kind, &b##_kind, &c##_kind, &d##_kind, &e##_kind, &f##_kind)
#define FUNCTION7(name, fails, property, a, b, c, d, e, f, g) \
  ROW(name, property, 7, &a##_kind, &b##_kind, &c##_kind, &d##_kind, &e##_kind, &f##_kind, &g##_kind)
#define FUNCTION8(name, fails, property, a, b, c, d, e, f, g, h) \
  ROW(name, property, 8, &a##_kind, &b##_kind, &c##_kind, &d##_kind, &e##_kind, &f##_kind, &g##_kind, &h##_kind)
#define FUNCTION9(name, fails, property, a, b, c, d, e, f, g, h, i) \
  ROW(name, property, 9, &a##_kind, &b##_kind, &c##_kind, &d##_kind, &e##_kind, &f##_kind, &g##_kind, &h##_kind, &i##_kind)
#define FUNCTION11(name, fails, property, a, b, c, d, e, f, g, h, i, j, k) \
  ROW(name, property, 11, &a##_kind, &b##_kind, &c##_kind, &d##_kind, &e##_kind, &f##_kind, &g##_kind, &h##_kind, &i##_kind, &j##_kind, &k##_kind)
static const struct function functions[] = {
#include "edges.def"
};

#endif
