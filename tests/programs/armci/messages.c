// ARMCI processes send messages to each other and call all collective functions, in the world and in groups of
// groups, and check the results.

#include <armci.h>
#include <armcix.h>
#include <armci_msg.h>

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

enum { LONGEST = 300000, NUMBERS = 5000 };

static int me, procs;
static char out[LONGEST], in[LONGEST + 1];

// Byte i of a message of a process.
static char byte_of(int proc, int i) { return (char)(proc * 31 + i * 7 + i / 256); }

static void fill(int proc, int n) {
  for (int i = 0; i < n; i++)
    out[i] = byte_of(proc, i);
}

static void check(int proc, int n) {
  for (int i = 0; i < n; i++)
    CHECK(in[i] == byte_of(proc, i));
}

// Messages of all lengths around a ring, to the process itself, and from all processes to one.
static void point_to_point(void) {
  static const int lengths[] = {0, 1, 8, 1000, 8192, 8193, 65536, 65537, LONGEST};
  int to = (me + 1) % procs, from = (me + procs - 1) % procs, n;
  for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    int length = lengths[i];
    fill(me, length);
    memset(in, 0, sizeof in);
    if (me % 2 == 0 || length <= 65536)
      armci_msg_snd(-7, out, length, to);
    armci_msg_rcv(-7, in, LONGEST, &n, from);
    if (me % 2 != 0 && length > 65536)
      armci_msg_snd(-7, out, length, to);
    CHECK(n == length && in[length] == 0);
    check(from, length);
    armci_msg_snd(3, out, length, me);
    armci_msg_rcv(3, in, length, NULL, me);
    check(me, length);
  }
  if (me > 0) {
    fill(me, 100 * me);
    armci_msg_snd(9, out, 100 * me, 0);
    return;
  }
  int seen = 0;
  for (int i = 1; i < procs; i++) {
    int sender = armci_msg_rcvany(9, in, LONGEST, &n);
    CHECK(sender > 0 && sender < procs && n == 100 * sender);
    check(sender, n);
    seen += sender;
  }
  CHECK(seen == procs * (procs - 1) / 2);
}

static void broadcasts(ARMCI_Group *group, int members, const int *member) {
  for (int root = 0; root < members; root++) {
    int n = root % 2 == 0 ? LONGEST : 10;
    fill(member[root], n);
    memcpy(in, me == member[root] ? out : in, (size_t)n);
    armci_msg_group_bcast_scope(SCOPE_ALL, in, n, member[root], group);
    check(member[root], n);
  }
}

// OPERATION checks one operator for a type, with the values of process p and the expected result.
#define OPERATION(gop, type, op, bring, want)                                  \
  do {                                                                         \
    static type x[NUMBERS];                                                    \
    for (int i = 0; i < NUMBERS; i++) {                                        \
      int p = me;                                                              \
      x[i] = (type)(bring);                                                    \
    }                                                                          \
    gop(x, NUMBERS, op);                                                       \
    for (int i = 0; i < NUMBERS; i++)                                          \
      CHECK(x[i] == (type)(want));                                             \
  } while (0)

#define ARITHMETIC(gop, type)                                                  \
  do {                                                                         \
    int last = procs - 1;                                                      \
    OPERATION(gop, type, "+", p + i % 10, last * procs / 2 + procs * (i % 10)); \
    OPERATION(gop, type, "*", p == i % procs ? 3 : 1, 3);                      \
    OPERATION(gop, type, "max", p * 10 - i, last * 10 - i);                    \
    OPERATION(gop, type, "min", p * 10 - i, -i);                               \
    OPERATION(gop, type, "absmax", -p - 1, procs);                             \
    OPERATION(gop, type, "absmin", -p - 1, 1);                                 \
  } while (0)

#define LOGIC(gop, type)                                                       \
  do {                                                                         \
    OPERATION(gop, type, "&&", p + i % 2, procs == 1 ? i % 2 : i % 2);         \
    OPERATION(gop, type, "lor", p == 0 ? i % 2 : 0, i % 2);                    \
    OPERATION(gop, type, "&", 7 | p << 4, 7);                                  \
    OPERATION(gop, type, "or", 1 << (p % 4), (1 << (procs < 4 ? procs : 4)) - 1); \
  } while (0)

static void operations(void) {
  ARITHMETIC(armci_msg_igop, int);
  ARITHMETIC(armci_msg_lgop, long);
  ARITHMETIC(armci_msg_llgop, long long);
  ARITHMETIC(armci_msg_fgop, float);
  ARITHMETIC(armci_msg_dgop, double);
  LOGIC(armci_msg_igop, int);
  LOGIC(armci_msg_lgop, long);
  LOGIC(armci_msg_llgop, long long);
  double x = me + 0.5;
  armci_msg_reduce(&x, 1, "+", ARMCI_DOUBLE);
  CHECK(x == procs * procs / 2.0);
  int n = 1;
  armci_msg_gop_scope(SCOPE_NODE, &n, 1, "+", ARMCI_INT);
  CHECK(n == armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1));
  int first = armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, -1, 0) == me;
  n = first;
  armci_msg_reduce_scope(SCOPE_MASTERS, &n, 1, "+", ARMCI_INT);
  CHECK(n == (first ? armci_domain_count(ARMCI_DOMAIN_SMP) : 0));
  n = first ? me : -1;
  armci_msg_clus_brdcst(&n, sizeof n);
  CHECK(n == armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, -1, 0));
  double d = 2;
  armci_msg_clus_dgop(&d, 1, "*");
  CHECK(d == (double)(1LL << armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1)));
}

static void selections(void) {
  struct {
    double key;
    int proc;
  } x = {me % 2 == 0 ? 1 : -1, me};
  armci_msg_sel(&x, sizeof x, "max", ARMCI_DOUBLE, 1);
  CHECK(x.key == 1 && x.proc == 0);
  x.key = me, x.proc = me;
  armci_msg_sel_scope(SCOPE_ALL, &x, sizeof x, "min", ARMCI_DOUBLE, me == procs - 1);
  CHECK(x.key == procs - 1 && x.proc == procs - 1);
  int key = me;
  armci_msg_sel(&key, sizeof key, "max", ARMCI_INT, 0);
  CHECK(key == me);
}

// A sum that goes up a tree and down again.
static void tree(void) {
  int root, up, left, right, below, sum = me;
  armci_msg_bintree(SCOPE_ALL, &root, &up, &left, &right);
  CHECK(root == 0 && (up < 0) == (me == 0));
  int children[] = {left, right};
  for (int i = 0; i < 2; i++)
    if (children[i] >= 0) {
      armci_msg_rcv(11, &below, sizeof below, NULL, children[i]);
      sum += below;
    }
  if (up >= 0) {
    armci_msg_snd(11, &sum, sizeof sum, up);
    armci_msg_rcv(12, &sum, sizeof sum, NULL, up);
  }
  for (int i = 0; i < 2; i++)
    if (children[i] >= 0)
      armci_msg_snd(12, &sum, sizeof sum, children[i]);
  CHECK(sum == procs * (procs - 1) / 2);
}

static void exchange(void) {
  void *address[64];
  address[me] = &address[me];
  armci_exchange_address(address, procs);
  CHECK(address[me] == &address[me]);
  for (int i = 0; i < procs; i++)
    CHECK(address[i] != NULL);
  armci_msg_barrier();
}

// Each member adds to a number many times while it holds the mutex of the first member.
static void mutexes(ARMCI_Group *group, int members, const int *member, void *at) {
  enum { TURNS = 50 };
  int last = member[members - 1];
  armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(me == member[0] ? 2 : 0, group);
  armcix_mutex_hdl_t other = ARMCIX_Create_mutexes_hdl(1, group);
  CHECK(set != NULL && other != NULL && set != other);
  for (int i = 0; at != NULL && i < TURNS; i++) {
    ARMCIX_Lock_hdl(set, 1, member[0]);
    CHECK(ARMCIX_Trylock_hdl(set, 1, member[0]) == 1);
    int x = ARMCI_GetValueInt(at, last);
    CHECK(ARMCI_PutValueInt(x + 1, at, last) == 0);
    ARMCIX_Unlock_hdl(set, 1, member[0]);
  }
  CHECK(ARMCIX_Trylock_hdl(other, 0, me) == 0);
  ARMCIX_Unlock_hdl(other, 0, me);
  armci_msg_group_barrier(group);
  if (at != NULL)
    CHECK(ARMCI_GetValueInt(at, last) == members * TURNS);
  armci_msg_group_barrier(group);
  CHECK(ARMCIX_Destroy_mutexes_hdl(other) == 0 && ARMCIX_Destroy_mutexes_hdl(set) == 0);
}

// Works in a group of processes, whose numbers in the world are member.
static void use(ARMCI_Group *group, int members, const int *member) {
  int rank, size, n, at = -1;
  for (int i = 0; i < members; i++)
    if (member[i] == me)
      at = i;
  CHECK(ARMCI_Group_rank(group, &rank) == (at < 0) && rank == at);
  ARMCI_Group_size(group, &size);
  CHECK(size == (at < 0 ? 0 : members));
  CHECK(ARMCI_Absolute_id(group, members) == -1 && ARMCI_Absolute_id(group, -1) == -1);
  if (at < 0) {
    CHECK(ARMCI_Absolute_id(group, 0) == -1 && ARMCI_Uses_shm_grp(group) == 0);
    return;
  }
  for (int i = 0; i < members; i++)
    CHECK(ARMCI_Absolute_id(group, i) == member[i]);
  armci_msg_group_barrier(group);
  broadcasts(group, members, member);
  n = rank;
  armci_msg_group_igop(&n, 1, "+", group);
  CHECK(n == members * (members - 1) / 2);
  double d = rank;
  armci_msg_group_gop_scope(SCOPE_ALL, &d, 1, "max", ARMCI_DOUBLE, group);
  CHECK(d == members - 1);
  int run = members > 1 ? members - 1 : members, value = rank == 0 ? 77 : rank;
  armci_grp_clus_brdcst(&value, sizeof value, 0, run, group);
  CHECK(value == (rank < run ? 77 : rank));

  void *block[64], *copy[64];
  CHECK(ARMCI_Malloc_group(block, rank == 0 ? 0 : 64, group) == 0);
  CHECK((block[rank] == NULL) == (rank == 0));
  memcpy(copy, block, sizeof block);
  memset(block, 0, sizeof block);
  block[rank] = copy[rank];
  armci_exchange_address_grp(block, members, group);
  CHECK(memcmp(block, copy, sizeof block[0] * (size_t)members) == 0);
  CHECK(ARMCIX_Mode_set(ARMCIX_MODE_CONFLICT_FREE, block[rank], group) == 0);
  CHECK(ARMCIX_Mode_get(block[rank]) == (rank == 0 ? -1 : ARMCIX_MODE_CONFLICT_FREE));
  mutexes(group, members, member, block[members - 1]);
  int next = (rank + 1) % members;
  if (block[next] != NULL)
    CHECK(ARMCI_PutValueInt(rank, block[next], member[next]) == 0);
  ARMCI_GroupFence(group);
  armci_msg_group_barrier(group);
  if (block[rank] != NULL)
    CHECK(*(volatile int *)block[rank] == rank - 1);
  CHECK(ARMCI_Free_group(block[rank], group) == 0);
}

static void groups(void) {
  ARMCI_Group world, usual, odd, back, own, copy, half, none;
  int all[64], list[64], n = 0;
  ARMCI_Group_get_world(&world);
  ARMCI_Group_get_default(&usual);
  for (int i = 0; i < procs; i++)
    all[i] = i;
  use(&world, procs, all);
  use(&usual, procs, all);

  for (int i = procs - 1; i >= 0; i--)
    if (i % 2 == 1 || i == 0)
      list[n++] = i;
  ARMCI_Group_create(n, list, &odd); // all call it
  use(&odd, n, list);

  int reversed[64], of_reversed[64];
  for (int i = 0; i < n; i++) {
    reversed[i] = n - 1 - i;
    of_reversed[i] = list[n - 1 - i];
  }
  ARMCI_Group_create_child(n, reversed, &back, &odd);
  use(&back, n, of_reversed);

  ARMCI_Group_create(1, &me, &own); // each process a group of its own
  use(&own, 1, &me);
  ARMCI_Group_set_default(&own);
  int zero = 0;
  ARMCI_Group_create(1, &zero, &copy);
  use(&copy, 1, &me);
  ARMCI_Group_set_default(&world);

  CHECK(ARMCIX_Group_split(&world, me % 2, -me, &half) == 0);
  int same[64], count = 0;
  for (int i = procs - 1; i >= 0; i--)
    if (i % 2 == me % 2)
      same[count++] = i;
  use(&half, count, same);
  CHECK(ARMCIX_Group_split(&world, -1, 0, &none) == 0);
  use(&none, 0, NULL);
  ARMCI_Group again = half; // a copy denotes the same group
  ARMCI_Group_free(&half);
  CHECK(half.rank == -1 && half.size == 0);
  CHECK(ARMCI_Absolute_id(&again, 0) == -1);
  ARMCI_Group_free(&half);
  ARMCI_Group_free(&world);
  CHECK(ARMCIX_Group_dup(&world, &copy) == 0);
  use(&copy, procs, all);
  ARMCI_Group_free(&back);
  use(&odd, n, list); // the parent of a freed group
}

int main(int argc, char **argv) {
  armci_msg_init(&argc, &argv);
  me = armci_msg_me(), procs = armci_msg_nproc();
  CHECK(ARMCI_Init() == 0);
  CHECK(me == armci_msg_me() && procs == armci_msg_nproc());
  double begin = armci_timer();
  point_to_point();
  armci_msg_barrier();
  for (int i = 0; i < 3; i++) {
    int n = i == 1 ? LONGEST : 8;
    fill(procs - 1, n);
    if (me == procs - 1)
      memcpy(in, out, (size_t)n);
    i == 0 ? armci_msg_bcast(in, n, procs - 1) : armci_msg_brdcst(in, n, procs - 1);
    check(procs - 1, n);
    memset(in, 0, sizeof in);
  }
  operations();
  selections();
  tree();
  exchange();
  groups();
  CHECK(armci_timer() >= begin);
  ARMCI_Barrier();
  if (me == 0)
    printf("%d processes agree\n", procs);
  armci_msg_finalize();
  armci_msg_finalize();
  return 0;
}
