/* Objects in global memory: barriers, mutexes, condition variables, spin locks, read-write-sets, schedulers and pools of numbers. */

#include "internal.h"

/* A function that libacp does not have yet. */
#define UNAVAILABLE(result, name, parameters) \
  result name parameters { return CALL(unavailable); }

#pragma GCC diagnostic ignored "-Wunused-parameter"

UNAVAILABLE(int32_t, DMI_barrier_init, (int64_t dmi_barrier_addr))
UNAVAILABLE(int32_t, DMI_barrier_destroy, (int64_t dmi_barrier_addr))
UNAVAILABLE(int32_t, DMI_local_barrier_init, (DMI_local_barrier_t *barrier, int64_t dmi_barrier_addr))
UNAVAILABLE(int32_t, DMI_local_barrier_destroy, (DMI_local_barrier_t *barrier))
UNAVAILABLE(int32_t, DMI_local_barrier_sync, (DMI_local_barrier_t *barrier, int32_t pnum))
UNAVAILABLE(int32_t, DMI_local_barrier_allreduce, (DMI_local_barrier_t *barrier, int32_t pnum, void *sub_value_ptr,
                                                   void *value_ptr, int8_t op_type, int8_t type_type))
UNAVAILABLE(int32_t, DMI_mutex_init, (int64_t dmi_mutex_addr))
UNAVAILABLE(int32_t, DMI_mutex_destroy, (int64_t dmi_mutex_addr))
UNAVAILABLE(int32_t, DMI_mutex_lock, (int64_t dmi_mutex_addr))
UNAVAILABLE(int32_t, DMI_mutex_unlock, (int64_t dmi_mutex_addr))
UNAVAILABLE(int32_t, DMI_mutex_trylock, (int64_t dmi_mutex_addr, int32_t *try_flag_ptr))
UNAVAILABLE(int32_t, DMI_cond_init, (int64_t dmi_cond_addr))
UNAVAILABLE(int32_t, DMI_cond_destroy, (int64_t dmi_cond_addr))
UNAVAILABLE(int32_t, DMI_cond_wait, (int64_t dmi_cond_addr, int64_t dmi_mutex_addr))
UNAVAILABLE(int32_t, DMI_cond_signal, (int64_t dmi_cond_addr))
UNAVAILABLE(int32_t, DMI_cond_broadcast, (int64_t dmi_cond_addr))
UNAVAILABLE(int32_t, DMI_spin_init, (int64_t dmi_spinlock_addr))
UNAVAILABLE(int32_t, DMI_spin_destroy, (int64_t dmi_spinlock_addr))
UNAVAILABLE(int32_t, DMI_spin_lock, (int64_t dmi_spinlock_addr))
UNAVAILABLE(int32_t, DMI_spin_unlock, (int64_t dmi_spinlock_addr))
UNAVAILABLE(int32_t, DMI_spin_trylock, (int64_t dmi_spinlock_addr, int32_t *try_flag_ptr))
UNAVAILABLE(int32_t, DMI_rwset_init, (int64_t dmi_rwset_addr, int64_t element_num, int64_t element_size, int32_t rwset_num))
UNAVAILABLE(int32_t, DMI_rwset_destroy, (int64_t dmi_rwset_addr))
UNAVAILABLE(int32_t, DMI_rwset_decompose, (int64_t dmi_rwset_addr, int32_t my_id, int64_t *write_elements, int32_t write_element_num))
UNAVAILABLE(int32_t, DMI_local_rwset_init, (DMI_local_rwset_t *rwset, int64_t dmi_rwset_addr, int32_t my_id,
                                            int64_t *read_elements, int32_t read_element_num))
UNAVAILABLE(int32_t, DMI_local_rwset_destroy, (DMI_local_rwset_t *rwset))
UNAVAILABLE(int32_t, DMI_local_rwset_write, (DMI_local_rwset_t *rwset, void *buf, DMI_local_status_t *status))
UNAVAILABLE(int32_t, DMI_local_rwset_read, (DMI_local_rwset_t *rwset, void *buf, DMI_local_status_t *status))
UNAVAILABLE(int32_t, DMI_scheduler_init, (int64_t dmi_scheduler_addr))
UNAVAILABLE(int32_t, DMI_scheduler_destroy, (int64_t dmi_scheduler_addr))
UNAVAILABLE(int32_t, DMI_scheduler_create, (int64_t dmi_scheduler_addr, int32_t *sthread_id_ptr, int64_t dmi_addr))
UNAVAILABLE(int32_t, DMI_scheduler_detach, (int64_t dmi_scheduler_addr, int32_t sthread_id))
UNAVAILABLE(int32_t, DMI_scheduler_join, (int64_t dmi_scheduler_addr, int32_t sthread_id, int64_t *dmi_addr_ptr))
UNAVAILABLE(int32_t, DMI_idpool_init, (int64_t dmi_idpool_addr, int32_t id_max))
UNAVAILABLE(int32_t, DMI_idpool_destroy, (int64_t dmi_idpool_addr))
UNAVAILABLE(int32_t, DMI_idpool_get, (int64_t dmi_idpool_addr, int32_t *id_ptr))
UNAVAILABLE(int32_t, DMI_idpool_put, (int64_t dmi_idpool_addr, int32_t id))
