// The functions of fixture.h.
#include "fixture.h"

#include "goacp_array.h"

#include <stdio.h>
#include <string.h>

#undef acp_pick

int ACP_ERRNO = 7;

int acp_init(int *argc, char ***argv) {
  for (int i = 1; i < *argc; i++)
    printf("[%s]", (*argv)[i]);
  printf("%s\n", (*argv)[*argc] == NULL ? "" : "no end");
  fflush(stdout);
  return 0;
}

acp_item_t acp_twice_item(const acp_item_t item, float factor) {
  acp_item_t twice = {2 * item.id, 2 * item.weight * factor, item.data};
  return twice;
}

acp_box_t acp_twice_box(acp_box_t box) { return (acp_box_t)((uintptr_t)box * 2); }

double acp_sum(const double *values, int count, const double *weights) {
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += weights == NULL ? values[i] : values[i] * weights[i];
  return sum;
}

void acp_results(size_t *size, int32_t values[], volatile acp_id_t id) {
  *size = 5000000000;
  values[0] = -1;
  values[1] = (int32_t)id;
  ACP_ERRNO = 8;
}

int acp_larger(int (*compare)(const acp_item_t item1, const acp_item_t item2), const acp_item_t *items) {
  return compare(items[0], items[1]);
}

int acp_length(const char *name, int many, const char *note, size_t *size) {
  if (size != NULL)
    *size = note == NULL ? 0 : strlen(note);
  return (int)strlen(name) * many;
}

const char *acp_name_of(int number) { return number == 1 ? "one" : number == 0 ? "" : NULL; }

void acp_spell(char *text, size_t size) { snprintf(text, size, "spelt"); }

static const void *last;

acp_box_t acp_put_box(const char *name, const void *data, size_t size, size_t times) {
  last = data;
  return (acp_box_t)(strlen(name) + size * times);
}

int acp_watch(void *data) { return data == last; }

// It refuses arrays of rank 2.
int goacp_fortran_usable(struct goacp_array *data, size_t bytes, const char *function) {
  if (data->dims == 2)
    printf("%s %zu ", function, bytes);
  return data->dims != 2;
}

int acp_pick(int a, int b) { return a - b; }

int goacp_pick_one(acp_box_t a) { return (int)(uintptr_t)a; }

double acp_weigh(const int64_t *rows, const int64_t *columns, int64_t entries, double factor) {
  int64_t sum = 0;
  for (int64_t i = 0; i < entries; i++)
    sum += rows[i] * columns[i];
  return factor * (double)sum;
}

void acp_note(const char *word, uint64_t value, int *total) { *total = (int)strlen(word) + (int)(int64_t)value; }
