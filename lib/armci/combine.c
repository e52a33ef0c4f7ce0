// The arithmetic of reductions. Mirrors internal/structure/reduction: the results have the same bits.

// The compiler makes vector instructions of the loops.
#pragma GCC optimize("O3")

#include "area.h"

#include <string.h>

// The memory of programs.
typedef int32_t int4 __attribute__((may_alias));
typedef int64_t int8 __attribute__((may_alias));
typedef float real4 __attribute__((may_alias));
typedef double real8 __attribute__((may_alias));

// A function that computes result for each pair a and b. dst is left or right, so no element depends on another.
#define EACH(name, type, result)                                               \
  static void name(void *dst, const void *left, const void *right, size_t n) { \
    type *d = dst;                                                             \
    const type *l = left, *r = right;                                          \
    _Pragma("GCC ivdep") for (size_t i = 0; i < n; i++) {                      \
      type a = l[i], b = r[i];                                                 \
      d[i] = (result);                                                         \
    }                                                                          \
  }

// A function that makes absolute values, and 0 of -0.
#define ABSOLUTE(name, type, negative)                                         \
  static void name(void *at, size_t n) {                                       \
    type *x = at;                                                              \
    for (size_t i = 0; i < n; i++) {                                           \
      type v = x[i];                                                           \
      x[i] = v < 0 ? (negative) : v + 0;                                       \
    }                                                                          \
  }

// The functions of all operators for integers, which wrap around, and for real numbers.
#define INTEGERS(type, unsigned_type)                                          \
  EACH(sum_##type, type, (type)((unsigned_type)a + (unsigned_type)b))          \
  EACH(product_##type, type, (type)((unsigned_type)a * (unsigned_type)b))      \
  EACH(logical_and_##type, type, a != 0 && b != 0)                             \
  EACH(logical_or_##type, type, a != 0 || b != 0)                              \
  EACH(bit_and_##type, type, a &b)                                             \
  EACH(bit_or_##type, type, a | b)                                             \
  ABSOLUTE(absolute_##type, type, (type)(0 - (unsigned_type)v))                \
  ORDER(type)

#define REALS(type)                                                            \
  EACH(sum_##type, type, a + b)                                                \
  EACH(product_##type, type, a *b)                                             \
  ABSOLUTE(absolute_##type, type, -v)                                          \
  ORDER(type)

#define ORDER(type)                                                            \
  EACH(max_##type, type, b > a ? b : a)                                        \
  EACH(min_##type, type, b < a ? b : a)

INTEGERS(int4, uint32_t)
INTEGERS(int8, uint64_t)
REALS(real4)
REALS(real8)

enum operator { SUM, PRODUCT, MAX, MIN, ABSMAX, ABSMIN, LOGICAL_AND, LOGICAL_OR, BIT_AND, BIT_OR, OPERATORS };

// A name comes before its prefixes that are also names.
static const struct {
  const char *text;
  enum operator operator;
} names[] = {
    {"+", SUM}, {"*", PRODUCT}, {"max", MAX}, {"min", MIN}, {"absmax", ABSMAX}, {"absmin", ABSMIN},
    {"abs", ABSMAX}, {"&&", LOGICAL_AND}, {"land", LOGICAL_AND}, {"||", LOGICAL_OR}, {"lor", LOGICAL_OR},
    {"&", BIT_AND}, {"band", BIT_AND}, {"|", BIT_OR}, {"bor", BIT_OR}, {"or", BIT_OR},
};

#define FOR_ALL(type)                                                          \
  [SUM] = {NULL, sum_##type}, [PRODUCT] = {NULL, product_##type},              \
  [MAX] = {NULL, max_##type}, [MIN] = {NULL, min_##type},                      \
  [ABSMAX] = {absolute_##type, max_##type}, [ABSMIN] = {absolute_##type, min_##type}
#define FOR_INTEGERS(type)                                                     \
  [LOGICAL_AND] = {NULL, logical_and_##type}, [LOGICAL_OR] = {NULL, logical_or_##type}, \
  [BIT_AND] = {NULL, bit_and_##type}, [BIT_OR] = {NULL, bit_or_##type}

static const struct {
  size_t size;
  struct goacp_armci_combiner combiners[OPERATORS];
} types[] = {
    [ARMCI_INT] = {4, {FOR_ALL(int4), FOR_INTEGERS(int4)}},
    [ARMCI_LONG] = {8, {FOR_ALL(int8), FOR_INTEGERS(int8)}},
    [ARMCI_LONG_LONG] = {8, {FOR_ALL(int8), FOR_INTEGERS(int8)}},
    [ARMCI_FLOAT] = {4, {FOR_ALL(real4)}},
    [ARMCI_DOUBLE] = {8, {FOR_ALL(real8)}},
};

const struct goacp_armci_combiner *goacp_armci_combiner(const char *text, int type, size_t *size) {
  if (text == NULL || type < 0 || (size_t)type >= sizeof types / sizeof *types)
    return NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(text, names[i].text, strlen(names[i].text)) == 0) {
      const struct goacp_armci_combiner *f = &types[type].combiners[names[i].operator];
      *size = types[type].size;
      return f->combine == NULL ? NULL : f;
    }
  return NULL;
}
