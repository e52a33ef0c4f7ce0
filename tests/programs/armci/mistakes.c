// Makes one mistake, which the first argument names. With ARMCI_ERRORS=return it prints the number
// that the function returns.

#include <acp.h>
#include <armci.h>
#include <armcix.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *block[64];

// Makes a mistake in a function that returns nothing. Returns 0 if there is none of this name.
static int make_quietly(const char *mistake, int me) {
  double x = 1, y = 0;
  int twice[] = {0, 0};
  ARMCI_Group group;
  if (strcmp(mistake, "operator") == 0)
    armci_msg_dgop(&x, 1, "xor");
  else if (strcmp(mistake, "repeat") == 0)
    ARMCI_Group_create(2, twice, &group);
  else if (strcmp(mistake, "root") == 0)
    armci_msg_brdcst(&x, sizeof x, 2);
  else if (strcmp(mistake, "long") == 0) {
    armci_msg_snd(1, &x, sizeof x, me);
    armci_msg_rcv(1, &y, 7, NULL, me);
  } else
    return 0;
  return 1;
}

static int make(const char *mistake, int me) {
  double x = 1, y = 0;
  int strides[] = {8}, count[] = {8, 2};
  if (strcmp(mistake, "proc") == 0)
    return ARMCI_Put(&x, block[0], 8, 1000);
  if (strcmp(mistake, "null") == 0)
    return ARMCI_Get(NULL, &x, 8, 0);
  if (strcmp(mistake, "outside") == 0)
    return ARMCI_Put(&x, (char *)block[1 - me] + (1L << 45), 8, 1 - me);
  if (strcmp(mistake, "bytes") == 0)
    return ARMCI_Put(&x, block[0], -1, 0);
  if (strcmp(mistake, "levels") == 0)
    return ARMCI_PutS(&x, strides, block[0], strides, count, 9, 0);
  if (strcmp(mistake, "strides") == 0)
    return ARMCI_PutS(&x, NULL, block[0], strides, count, 1, 0);
  if (strcmp(mistake, "scale") == 0)
    return ARMCI_Acc(ARMCI_ACC_DBL, NULL, &x, block[0], 8, 0);
  if (strcmp(mistake, "type") == 0)
    return ARMCI_Acc(77, &x, &x, block[0], 8, 0);
  if (strcmp(mistake, "op") == 0)
    return ARMCI_Rmw(9, &y, block[0], 1, 0);
  if (strcmp(mistake, "mutexes") == 0)
    return ARMCI_Destroy_mutexes();
  if (strcmp(mistake, "handle") == 0)
    return ARMCI_Wait(NULL);
  if (strcmp(mistake, "twice") == 0)
    return ARMCI_Free(NULL) || ARMCI_Free(&x);
  if (strcmp(mistake, "group") == 0) {
    ARMCI_Group none = {0};
    return ARMCIX_Group_dup(&none, &none);
  }
  if (strcmp(mistake, "set") == 0)
    return ARMCIX_Destroy_mutexes_hdl(NULL);
  if (make_quietly(mistake, me))
    return 0;
  fprintf(stderr, "no mistake is called %s\n", mistake);
  exit(3);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "early") == 0) {
    printf("early %d\n", ARMCI_Put(argv, argv, 1, 0));
    return 0;
  }
  if (ARMCI_Init_args(&argc, &argv) != 0 || ARMCI_Malloc(block, 4096) != 0)
    return 2;
  if (strcmp(argv[1], "error") == 0)
    ARMCI_Error("enough", 7);
  printf("%s %d\n", argv[1], make(argv[1], acp_rank()));
  return ARMCI_Finalize();
}
