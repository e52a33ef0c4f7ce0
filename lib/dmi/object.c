/* Objects in global memory: barriers, mutexes, condition variables, spin locks, read-write-sets and pools of numbers. */

#include "internal.h"

/* The calling function acts on the object at an address. AWAIT is for functions that may wait for another thread. */
#define ACT(act, addr) CALL(object, GOACP_DMI_##act, addr)
#define AWAIT(act, addr) WAIT(object, GOACP_DMI_##act, addr)

/* The calling function acts on a mutex or spin lock. */
#define LOCK(act, ...) CALL(near_##act, goacp_dmi_self(), __VA_ARGS__)

typedef char same_barrier[sizeof(DMI_local_barrier_t) >= sizeof(struct goacp_dmi_barrier) ? 1 : -1];
typedef char same_rwset[sizeof(DMI_local_rwset_t) >= sizeof(struct goacp_dmi_number) ? 1 : -1];

int32_t DMI_barrier_init(int64_t dmi_barrier_addr) { return ACT(BARRIER_INIT, dmi_barrier_addr); }

int32_t DMI_barrier_destroy(int64_t dmi_barrier_addr) { return ACT(BARRIER_DESTROY, dmi_barrier_addr); }

int32_t DMI_local_barrier_init(DMI_local_barrier_t *barrier, int64_t dmi_barrier_addr) {
  return CALL(local_barrier_init, barrier, dmi_barrier_addr);
}

int32_t DMI_local_barrier_destroy(DMI_local_barrier_t *barrier) { return CALL(local_barrier_destroy, barrier); }

int32_t DMI_local_barrier_sync(DMI_local_barrier_t *barrier, int32_t pnum) { return CALL(near_barrier_sync, barrier, pnum); }

int32_t DMI_local_barrier_allreduce(DMI_local_barrier_t *barrier, int32_t pnum, void *sub_value_ptr, void *value_ptr,
                                    int8_t op_type, int8_t type_type) {
  return WAIT(local_barrier_allreduce, barrier, pnum, sub_value_ptr, value_ptr, op_type, type_type);
}

int32_t DMI_mutex_init(int64_t dmi_mutex_addr) { return ACT(MUTEX_INIT, dmi_mutex_addr); }

int32_t DMI_mutex_destroy(int64_t dmi_mutex_addr) { return ACT(MUTEX_DESTROY, dmi_mutex_addr); }

int32_t DMI_mutex_lock(int64_t dmi_mutex_addr) { return LOCK(mutex_lock, dmi_mutex_addr); }

int32_t DMI_mutex_unlock(int64_t dmi_mutex_addr) { return LOCK(mutex_unlock, dmi_mutex_addr); }

int32_t DMI_mutex_trylock(int64_t dmi_mutex_addr, int32_t *try_flag_ptr) {
  return LOCK(mutex_trylock, dmi_mutex_addr, try_flag_ptr);
}

int32_t DMI_cond_init(int64_t dmi_cond_addr) { return ACT(COND_INIT, dmi_cond_addr); }

int32_t DMI_cond_destroy(int64_t dmi_cond_addr) { return AWAIT(COND_DESTROY, dmi_cond_addr); }

int32_t DMI_cond_wait(int64_t dmi_cond_addr, int64_t dmi_mutex_addr) {
  return WAIT(cond_wait, goacp_dmi_self(), dmi_cond_addr, dmi_mutex_addr);
}

int32_t DMI_cond_signal(int64_t dmi_cond_addr) { return ACT(COND_SIGNAL, dmi_cond_addr); }

int32_t DMI_cond_broadcast(int64_t dmi_cond_addr) { return ACT(COND_BROADCAST, dmi_cond_addr); }

int32_t DMI_spin_init(int64_t dmi_spinlock_addr) { return ACT(SPIN_INIT, dmi_spinlock_addr); }

int32_t DMI_spin_destroy(int64_t dmi_spinlock_addr) { return ACT(SPIN_DESTROY, dmi_spinlock_addr); }

int32_t DMI_spin_lock(int64_t dmi_spinlock_addr) { return LOCK(spin_lock, dmi_spinlock_addr); }

int32_t DMI_spin_unlock(int64_t dmi_spinlock_addr) { return LOCK(spin_unlock, dmi_spinlock_addr); }

int32_t DMI_spin_trylock(int64_t dmi_spinlock_addr, int32_t *try_flag_ptr) {
  return LOCK(spin_trylock, dmi_spinlock_addr, try_flag_ptr);
}

int32_t DMI_rwset_init(int64_t dmi_rwset_addr, int64_t element_num, int64_t element_size, int32_t rwset_num) {
  return CALL(rwset_init, dmi_rwset_addr, element_num, element_size, rwset_num);
}

int32_t DMI_rwset_destroy(int64_t dmi_rwset_addr) { return ACT(RWSET_DESTROY, dmi_rwset_addr); }

int32_t DMI_rwset_decompose(int64_t dmi_rwset_addr, int32_t my_id, int64_t *write_elements, int32_t write_element_num) {
  return CALL(rwset_decompose, dmi_rwset_addr, my_id, write_elements, write_element_num);
}

int32_t DMI_local_rwset_init(DMI_local_rwset_t *rwset, int64_t dmi_rwset_addr, int32_t my_id, int64_t *read_elements,
                             int32_t read_element_num) {
  return CALL(local_rwset_init, rwset, dmi_rwset_addr, my_id, read_elements, read_element_num);
}

int32_t DMI_local_rwset_destroy(DMI_local_rwset_t *rwset) { return CALL(local_rwset_destroy, rwset); }

int32_t DMI_local_rwset_write(DMI_local_rwset_t *rwset, void *buf, DMI_local_status_t *status) {
  return CALL(local_rwset_move, rwset, buf, status, 1);
}

int32_t DMI_local_rwset_read(DMI_local_rwset_t *rwset, void *buf, DMI_local_status_t *status) {
  return CALL(local_rwset_move, rwset, buf, status, 0);
}

int32_t DMI_idpool_init(int64_t dmi_idpool_addr, int32_t id_max) { return CALL(idpool_init, dmi_idpool_addr, id_max); }

int32_t DMI_idpool_destroy(int64_t dmi_idpool_addr) { return ACT(IDPOOL_DESTROY, dmi_idpool_addr); }

int32_t DMI_idpool_get(int64_t dmi_idpool_addr, int32_t *id_ptr) { return CALL(idpool_get, dmi_idpool_addr, id_ptr); }

int32_t DMI_idpool_put(int64_t dmi_idpool_addr, int32_t id) { return CALL(idpool_put, dmi_idpool_addr, id); }
