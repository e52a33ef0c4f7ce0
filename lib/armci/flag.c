// Flags after data, and notification.

#include "aggregate.h"
#include "atomics.h"
#include "count.h"

static const struct goacp_armci_action put = {.kind = GOACP_ARMCI_PUT, .blocking = 1};

// Puts and stores the flag in mapped memory: 1 if it has.
static int near_put_flag(const struct goacp_armci_strided *s, int *flag, int value) {
  if (flag == NULL || (uintptr_t)flag % sizeof *flag != 0 || !goacp_armci_nothing_held())
    return 0;
  const struct goacp_armci *t = goacp_armci_table();
  int *at = (int *)near_at(t, s->proc, (uintptr_t)flag, sizeof *flag);
  if (at == NULL || !goacp_armci_near_strided(&put, s))
    return 0;
  goacp_store_release(at, value);
  return count_bytes(t, s->proc, GOACP_TRAFFIC_PUT, sizeof *flag);
}

int PARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc) {
  const struct goacp_armci_strided s = {.local = src, .remote = dst, .count = &bytes, .proc = proc};
  return near_put_flag(&s, flag, value)
             ? 0
             : goacp_armci_put_flag(goacp_armci_covering(CALLED(src, dst, bytes, flag, value, proc)), &put,
                                    &s, flag, value);
}

// Defines a function that puts a strided transfer before a flag.
#define PUTS_FLAG(Name)                                                        \
  int PARMCI_##Name(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], \
                    int count[], int stride_levels, int *flag, int value, int proc) { \
    const struct goacp_armci_strided s = {.local = src_ptr, .local_stride = src_stride_ar, \
                                          .remote = dst_ptr, .remote_stride = dst_stride_ar, \
                                          .count = count, .levels = stride_levels, .proc = proc}; \
    if (near_put_flag(&s, flag, value))                                        \
      return 0;                                                                \
    call_t call = CALLED(src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, flag, \
                         value, proc);                                         \
    return goacp_armci_put_flag(goacp_armci_covering(call), &put, &s, flag, value); \
  }                                                                            \
  ARMCI_ALIAS(int, Name, (void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], \
                          int count[], int stride_levels, int *flag, int value, int proc));

PUTS_FLAG(PutS_flag)
PUTS_FLAG(PutS_flag_dir)

int parmci_notify(int proc) { return goacp_armci_notify(goacp_armci_covering(CALLED(proc)), proc); }

int parmci_notify_wait(int proc, int *pval) {
  return goacp_armci_notify_wait(CALLED(proc, pval), proc, pval);
}

ARMCI_ALIAS(int, Put_flag, (void *src, void *dst, int bytes, int *flag, int value, int proc));
armci_alias(int, notify, (int proc));
armci_alias(int, notify_wait, (int proc, int *pval));
