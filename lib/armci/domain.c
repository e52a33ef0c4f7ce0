// Locality, and ACP addresses and ranks of ARMCI memory and processes.

#include "armcix.h"
#include "internal.h"

int armci_domain_nprocs(armci_domain_t domain, int id) {
  call_t call = CALLED(domain, id);
  return domain != ARMCI_DOMAIN_SMP ? -1 : goacp_armci_domain_size(call, id);
}

int armci_domain_count(armci_domain_t domain) {
  call_t call = CALLED(domain);
  return domain != ARMCI_DOMAIN_SMP ? -1 : goacp_armci_domains(call);
}

int armci_domain_id(armci_domain_t domain, int glob_proc_id) {
  call_t call = CALLED(domain, glob_proc_id);
  return domain != ARMCI_DOMAIN_SMP ? -1 : goacp_armci_domain(call, glob_proc_id);
}

int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id) {
  call_t call = CALLED(domain, id, loc_proc_id);
  return domain != ARMCI_DOMAIN_SMP ? -1 : goacp_armci_domain_proc(call, id, loc_proc_id);
}

int armci_domain_my_id(armci_domain_t domain) {
  call_t call = CALLED(domain);
  return domain != ARMCI_DOMAIN_SMP ? -1 : goacp_armci_domain(call, goacp_armci_self());
}

// Whether a process is in the domain of this process.
static int is_here(call_t call, int proc) {
  int domain = goacp_armci_domain(call, proc);
  return domain >= 0 && domain == goacp_armci_domain(call, goacp_armci_self());
}

int armci_domain_same_id(armci_domain_t domain, int proc) {
  call_t call = CALLED(domain, proc);
  return domain != ARMCI_DOMAIN_SMP ? -1 : is_here(call, proc);
}

int PARMCI_Same_node(int proc) { return is_here(CALLED(proc), proc); }

int armci_sameclusnode(int proc) { return is_here(CALLED(proc), proc); }

acp_ga_t ARMCIX_Acp_ga(void *addr, int proc) {
  return goacp_armci_acp_ga(CALLED(addr, proc), addr, proc);
}

int ARMCIX_Acp_rank(int proc) { return goacp_armci_acp_rank(CALLED(proc), proc); }

ARMCI_ALIAS(int, Same_node, (int proc));
