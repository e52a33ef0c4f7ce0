/* Global memory: spaces, reads, writes, operations and groups. */

#include "internal.h"

int32_t DMI_mmap(int64_t *dmi_addr_ptr, int64_t page_size, int64_t page_num, DMI_local_status_t *status) {
  return CALL(mmap, dmi_addr_ptr, page_size, page_num, status);
}

int32_t DMI_munmap(int64_t dmi_addr, DMI_local_status_t *status) { return CALL(munmap, dmi_addr, status); }

int32_t DMI_malloc(int64_t *addr_ptr, int64_t size, int64_t page_size) { return CALL(malloc, addr_ptr, size, page_size); }

int32_t DMI_realloc(int64_t old_addr, int64_t *new_addr_ptr, int64_t size, int64_t page_size) {
  return CALL(realloc, old_addr, new_addr_ptr, size, page_size);
}

int32_t DMI_free(int64_t addr) { return CALL(free, addr); }

int32_t DMI_read(int64_t dmi_addr, int64_t size, void *in_ptr, int8_t mode, DMI_local_status_t *status) {
  return CALL(near_read, dmi_addr, size, in_ptr, mode, status);
}

int32_t DMI_write(int64_t dmi_addr, int64_t size, void *out_ptr, int8_t mode, DMI_local_status_t *status) {
  return CALL(near_write, dmi_addr, size, out_ptr, mode, status);
}

int32_t DMI_watch(int64_t dmi_addr, int64_t size, void *in_ptr, void *out_ptr, DMI_local_status_t *status) {
  return WAIT(watch, dmi_addr, size, in_ptr, out_ptr, status);
}

int32_t DMI_save(int64_t dmi_addr, int64_t size) { return CALL(save, dmi_addr, size); }

int32_t DMI_unsave(int64_t dmi_addr, int64_t size) { return CALL(unsave, dmi_addr, size); }

int32_t DMI_atomic(int64_t dmi_addr, int64_t size, void *out_ptr, int64_t out_size, void *in_ptr, int64_t in_size, int8_t tag,
                   int8_t mode, DMI_local_status_t *status) {
  return CALL(atomic, dmi_addr, size, out_ptr, out_size, in_ptr, in_size, tag, mode, status);
}

int32_t DMI_cas(int64_t dmi_addr, int64_t size, void *cmp_ptr, void *swap_ptr, int8_t *cas_flag_ptr, int8_t mode,
                DMI_local_status_t *status) {
  return CALL(cas, dmi_addr, size, cmp_ptr, swap_ptr, cas_flag_ptr, mode, status);
}

int32_t DMI_fas(int64_t dmi_addr, int64_t size, void *out_ptr, void *in_ptr, int8_t mode, DMI_local_status_t *status) {
  return CALL(fas, dmi_addr, size, out_ptr, in_ptr, mode, status);
}

int32_t DMI_fad(int64_t dmi_addr, int64_t add_value, int64_t *fetch_value_ptr, int8_t mode, DMI_local_status_t *status) {
  return CALL(near_fad, dmi_addr, add_value, fetch_value_ptr, mode, status);
}

int32_t DMI_group_init(DMI_local_group_t *group, int64_t *addrs, int64_t *ptr_offsets, int64_t *sizes, int32_t group_num) {
  return CALL(group_init, group, addrs, ptr_offsets, sizes, group_num);
}

int32_t DMI_group_destroy(DMI_local_group_t *group) { return CALL(group_destroy, group); }

int32_t DMI_group_read(DMI_local_group_t *group, void *in_ptr, int8_t mode, DMI_local_status_t *status) {
  return CALL(group_move, group, in_ptr, mode, status, 0);
}

int32_t DMI_group_write(DMI_local_group_t *group, void *out_ptr, int8_t mode, DMI_local_status_t *status) {
  return CALL(group_move, group, out_ptr, mode, status, 1);
}

int32_t DMI_check(DMI_local_status_t *status, int32_t *ret_ptr) { return CALL(check, status, ret_ptr); }

void DMI_wait(DMI_local_status_t *status, int32_t *ret_ptr) { (void)WAIT(wait, status, ret_ptr); }
