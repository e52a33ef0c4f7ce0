/* Processes and threads. */

#include "internal.h"

/* libacp knows these types by other names. */
typedef char same_node[sizeof(DMI_node_t) == sizeof(struct goacp_dmi_node) ? 1 : -1];
typedef char same_status[sizeof(DMI_local_status_t) == sizeof(struct goacp_dmi_status) ? 1 : -1];
typedef char same_group[sizeof(DMI_local_group_t) >= sizeof(struct goacp_dmi_number) ? 1 : -1];

static struct goacp_dmi_node *node(DMI_node_t *of_program) { return (struct goacp_dmi_node *)(void *)of_program; }

int32_t DMI_rescale(int64_t addr, int32_t node_num, int32_t thread_num) {
  return WAIT(rescale, goacp_dmi_self(), addr, node_num, thread_num);
}

int32_t DMI_rank(int32_t *dmi_id_ptr) { return CALL(rank, dmi_id_ptr); }

int32_t DMI_nodes(DMI_node_t *dmi_node_array, int32_t *num_ptr, int32_t capacity) {
  return WAIT(nodes, node(dmi_node_array), num_ptr, capacity);
}

int32_t DMI_create(DMI_thread_t *dmi_thread_ptr, int32_t dmi_id, int64_t dmi_addr, int64_t stack_size,
                   DMI_local_status_t *status) {
  return WAIT(create, (int32_t *)(void *)dmi_thread_ptr, dmi_id, dmi_addr, stack_size, status);
}

int32_t DMI_join(DMI_thread_t dmi_thread, int64_t *dmi_addr_ptr, DMI_local_status_t *status) {
  return WAIT(join, goacp_dmi_self(), dmi_thread.dmi_id, dmi_thread.thread_id, dmi_addr_ptr, status);
}

int32_t DMI_detach(DMI_thread_t dmi_thread, DMI_local_status_t *status) {
  return CALL(detach, dmi_thread.dmi_id, dmi_thread.thread_id, status);
}

int32_t DMI_wake(DMI_thread_t dmi_thread, void *out_ptr, int64_t out_size, DMI_local_status_t *status) {
  return CALL(wake, dmi_thread.dmi_id, dmi_thread.thread_id, out_ptr, out_size, status);
}

int32_t DMI_suspend(void *in_ptr) { return WAIT(suspend, goacp_dmi_self(), in_ptr); }

int32_t DMI_self(DMI_thread_t *dmi_thread_ptr) { return CALL(self_of, goacp_dmi_self(), (int32_t *)(void *)dmi_thread_ptr); }

int32_t DMI_welcome(int32_t dmi_id) { return WAIT(welcome, dmi_id); }

int32_t DMI_goodbye(int32_t dmi_id) { return WAIT(goodbye, dmi_id); }

int32_t DMI_poll(DMI_node_t *dmi_node_ptr) { return WAIT(request, node(dmi_node_ptr), NULL, 1); }

int32_t DMI_peek(DMI_node_t *dmi_node_ptr, int8_t *flag_ptr) { return WAIT(request, node(dmi_node_ptr), flag_ptr, 0); }

int32_t DMI_fork(char *option, int32_t dmi_id, DMI_node_t *dmi_node_ptr) {
  return WAIT(fork, option, dmi_id, node(dmi_node_ptr));
}

int32_t DMI_kill(int32_t dmi_id) { return WAIT(kill, dmi_id); }
