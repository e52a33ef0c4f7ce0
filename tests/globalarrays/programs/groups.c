/* Groups of processes: arrays, collective functions and fences of a group, the default group, and the
   processes of a host. */
#include "program.h"

/* parity makes the group of the processes with the same parity, and works in it. */
static void parity(void) {
  int members[procs], n = 0, dims[2] = {20, 30};
  for (int i = self % 2; i < procs; i += 2)
    members[n++] = i;
  int group = GA_Pgroup_create(members, n);
  check(GA_Pgroup_nnodes(group) == n && GA_Pgroup_nodeid(group) == self / 2, "process %d of %d", GA_Pgroup_nodeid(group), GA_Pgroup_nnodes(group));
  check(GA_Pgroup_absolute_id(group, n - 1) == members[n - 1], "last process %d", GA_Pgroup_absolute_id(group, n - 1));

  int sum = self, root = -1;
  GA_Pgroup_igop(group, &sum, 1, "+");
  int expected = 0;
  for (int i = 0; i < n; i++)
    expected += members[i];
  check(sum == expected, "sum %d, expected %d", sum, expected);
  if (GA_Pgroup_nodeid(group) == n - 1)
    root = self;
  GA_Pgroup_brdcst(group, &root, sizeof root, n - 1);
  check(root == members[n - 1], "broadcast of %d", root);

  int g = NGA_Create_config(C_DBL, 2, dims, "of a group", NULL, group);
  check(g != 0, "no array");
  GA_Zero(g);
  double buf[600], one = 1;
  for (int i = 0; i < 600; i++)
    buf[i] = i + self % 2;
  int lo[2] = {0, 0}, hi[2] = {19, 29}, ld = 30;
  NGA_Acc(g, lo, hi, buf, &ld, &one);
  GA_Pgroup_sync(group);
  NGA_Get(g, lo, hi, buf, &ld);
  for (int i = 0; i < 600; i++)
    check(buf[i] == n * (double)(i + self % 2), "element %d: %g", i, buf[i]);
  GA_Pgroup_sync(group);
  GA_Destroy(g);
  GA_Pgroup_sync(group);
  GA_Pgroup_destroy(group);
  GA_Sync();
}

/* Functions without a group work in the default group. */
static void byDefault(void) {
  int world = GA_Pgroup_get_world(), group = GA_Pgroup_split_irreg(world, self < (procs + 1) / 2);
  GA_Pgroup_set_default(group);
  check(GA_Pgroup_get_default() == group, "another default group");
  int members = self < (procs + 1) / 2 ? (procs + 1) / 2 : procs / 2, dim = 100, lo = 0, hi = 99;
  check(GA_Nnodes() == members, "%d processes, expected %d", GA_Nnodes(), members);
  int g = NGA_Create(C_INT, 1, &dim, "by default", NULL), one = 1, buf[100], sum = 1;
  GA_Fill(g, &one);
  NGA_Acc(g, &lo, &hi, (int[100]){0, 5}, NULL, &one);
  GA_Sync();
  NGA_Get(g, &lo, &hi, buf, NULL);
  check(buf[0] == 1 && buf[1] == 1 + 5 * members, "%d %d", buf[0], buf[1]);
  GA_Igop(&sum, 1, "+");
  check(sum == members, "sum %d", sum);
  GA_Sync();
  GA_Destroy(g);
  GA_Pgroup_set_default(world);
  GA_Sync();
  GA_Pgroup_destroy(group);
}

/* Hosts, from Global Arrays. It returns whether all have the same number of processes. */
static int hosts(void) {
  int host = GA_Cluster_nodeid(), found = 0, total = 0;
  for (int h = 0; h < GA_Cluster_nnodes(); h++)
    for (int i = 0; i < GA_Cluster_nprocs(h); i++, total++)
      if (GA_Cluster_procid(h, i) == self) {
        found++;
        check(h == host && GA_Cluster_proc_nodeid(self) == h, "host %d, expected %d", h, host);
      }
  check(found == 1 && total == procs, "%d times among %d", found, total);
  return GA_Cluster_nprocs(0) * GA_Cluster_nnodes() == procs && GA_Cluster_nprocs(host) == GA_Cluster_nprocs(0);
}

/* mirror makes an array that each host has a copy of. GA_Merge_mirrored adds up the blocks of the
   processes with the same number on their hosts, which must be equally long. */
static void mirror(void) {
  int dim = 50, lo = 0, hi = 49, one = 1, buf[50];
  int copies = NGA_Create_config(C_INT, 1, &dim, "mirrored", NULL, GA_Pgroup_get_mirror());
  check(copies != 0, "no mirrored array");
  check(GA_Is_mirrored(copies) == (GA_Cluster_nnodes() > 1), "mirrored: %d", GA_Is_mirrored(copies));
  GA_Zero(copies);
  for (int i = 0; i < 50; i++)
    buf[i] = i;
  NGA_Acc(copies, &lo, &hi, buf, NULL, &one);
  GA_Sync();
  GA_Merge_mirrored(copies);
  NGA_Get(copies, &lo, &hi, buf, NULL);
  for (int i = 0; i < 50; i++)
    check(buf[i] == i * procs, "mirrored element %d: %d", i, buf[i]);
  GA_Sync();
  GA_Destroy(copies);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  parity();
  byDefault();
  /* All processes have to agree about it. */
  int equal = hosts();
  GA_Igop(&equal, 1, "min");
  if (equal)
    mirror();
  return end();
}
