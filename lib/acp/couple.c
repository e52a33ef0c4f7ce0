// Coupling. Models, fields and links are numbers in Go, which does everything except the functions of couple_near.c.
// Watched links and links of the description are in couple_links.c, and links with weights in couple_weights.c.

#include "_cgo_export.h"
#include "acp_couple.h"
#include "couple_near.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

acp_model_t acp_create_model(const char *name, const int *ranks, int count) {
  return (acp_model_t)GO_WITH(create_model, ((char *)name, (int *)ranks, count), name, ranks, count);
}

int acp_seal_model(acp_model_t model) { return GO_WITH(seal_model, ((uintptr_t)model), model); }

int acp_free_model(acp_model_t model) { return GO_WITH(free_model, ((uintptr_t)model), model); }

acp_field_t acp_create_field_ranges(acp_model_t model, const char *name, int type, int values,
                                    void *data, const int64_t *firsts, const int64_t *counts,
                                    int ranges) {
  return (acp_field_t)GO_WITH(create_field_ranges,
                              ((uintptr_t)model, (char *)name, type, values, data, NULL, (int64_t *)firsts,
                               (int64_t *)counts, ranges),
                              model, name, type, values, data, firsts, counts, ranges);
}

acp_field_t acp_create_field_block(acp_model_t model, const char *name, int type, int values,
                                   void *data, int dims, const int *sizes, const int *firsts,
                                   const int *extents, const int *halos, int flags) {
  return (acp_field_t)GO_WITH(create_field_block,
                              ((uintptr_t)model, (char *)name, type, values, data, NULL, dims, (int *)sizes,
                               (int *)firsts, (int *)extents, (int *)halos, flags),
                              model, name, type, values, data, dims, sizes, firsts, extents, halos,
                              flags);
}

acp_field_t acp_create_field_list(acp_model_t model, const char *name, int type, int values,
                                  void *data, const int64_t *points, int64_t count) {
  return (acp_field_t)GO_WITH(
      create_field_list,
      ((uintptr_t)model, (char *)name, type, values, data, NULL, (int64_t *)points, count), model, name,
      type, values, data, points, count);
}

int acp_mask_field(acp_field_t field, const int *masks, int64_t count) {
  return GO_WITH(mask_field, ((uintptr_t)field, (int *)masks, count), field, masks, count);
}

int acp_use_field(acp_field_t field, void *data) {
  return GO_WITH(use_field, ((uintptr_t)field, data, NULL), field, data);
}

int acp_free_field(acp_field_t field) { return GO_WITH(free_field, ((uintptr_t)field), field); }

acp_link_t acp_open_link_to(acp_field_t field, const char *to, int levels, int every,
                            double seconds) {
  return (acp_link_t)GO_WITH(open_link, ((uintptr_t)field, (char *)to, 1, levels, every, seconds), field,
                             to, levels, every, seconds);
}

acp_link_t acp_open_link_from(acp_field_t field, const char *from, int levels, int every,
                              double seconds) {
  return (acp_link_t)GO_WITH(open_link, ((uintptr_t)field, (char *)from, 0, levels, every, seconds),
                             field, from, levels, every, seconds);
}

GOACP_RARE int send_by_go(acp_link_t link, int64_t step) {
  return GO_FOR("acp_send_link", send_link, ((uintptr_t)link, step), link, step);
}

int acp_send_link(acp_link_t link, int64_t step) {
  return goacp_send_near((uintptr_t)link, step) ? 0 : BY_GO(send_by_go(link, step));
}

GOACP_RARE int receive_by_go(acp_link_t link, int64_t step) {
  return GO_FOR("acp_receive_link", receive_link, ((uintptr_t)link, step), link, step);
}

int acp_receive_link(acp_link_t link, int64_t step) {
  return goacp_receive_near((uintptr_t)link, step) ? 0 : BY_GO(receive_by_go(link, step));
}

int acp_isready_link(acp_link_t link) { return GO_WITH(isready_link, ((uintptr_t)link), link); }

int acp_wait_link(acp_link_t link, double seconds) {
  return GO_WITH(wait_link, ((uintptr_t)link, seconds), link, seconds);
}

int acp_close_link(acp_link_t link) { return GO_WITH(close_link, ((uintptr_t)link), link); }

// The reason of the last failure of each thread. It is not a thread-local variable: programs that load the library by
// dlopen have space for few thread-local variables.
static pthread_key_t message;
static int has_message; // whether there is the key
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void) { has_message = pthread_key_create(&message, free) == 0; }

void goacp_set_couple_message(const char *text) {
  pthread_once(&once, make_key);
  if (!has_message)
    return;
  char *copy = strdup(text);
  free(pthread_getspecific(message));
  if (pthread_setspecific(message, copy) != 0)
    free(copy);
}

const char *acp_couple_message(void) {
  pthread_once(&once, make_key);
  const char *text = has_message ? pthread_getspecific(message) : NULL;
  return text != NULL ? text : "";
}
