/*
 * Says what DMI knows of the processes, and what each thread of a phase is. With an argument it does what that names.
 */
#include "dmi_api.h"

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t addr) {
  int32_t id;
  catch(DMI_rank(&id));
  outn("thread %d of %d on process %d", my_rank, pnum, id);
  if (addr == 1 && my_rank == pnum - 1)
    abort();
  if (addr == 2)
    DMI_suspend(NULL);
  if (addr == 3 && my_rank == pnum - 1)
    exit(0);
  return 0;
}

void DMI_main(int argc, char **argv) {
  DMI_node_t nodes[16];
  int32_t n;
  const char *how = argc > 1 ? argv[1] : "";
  catch(DMI_nodes(nodes, &n, 16));
  for (int i = 0; i < n; i++)
    outn("process %d on %s: state %d, pool %ld MiB", nodes[i].dmi_id, nodes[i].hostname, nodes[i].state, (long)(nodes[i].memory >> 20));
  catch(DMI_rescale(strcmp(how, "abort") == 0 ? 1 : strcmp(how, "sleep") == 0 ? 2 : strcmp(how, "exit") == 0 ? 3 : 0, n, 2));
  if (strcmp(how, "more") == 0)
    catch(DMI_rescale(0, n + 1, 1));
}
