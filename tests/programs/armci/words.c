// A process repeatedly sets and clears all bits of its memory, while other processes get parts of it: each aligned
// word that they get is old or new. Then the other processes put, and the owner checks the words.

#include <armci.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 40, BYTES = 8 * WORDS };

static void *block[64];

// Fails if one half of an aligned word at an address is older than the other half.
static void check(const char *at, int first, int n) {
  for (int width = 4; width <= 8; width += 4)
    for (int i = (first + width - 1) / width * width; i + width <= first + n; i += width) {
      uint64_t x = 0;
      memcpy(&x, at + (i - first), (size_t)width);
      if (x != 0 && x != (width == 8 ? UINT64_MAX : UINT32_MAX)) {
        fprintf(stderr, "of %d bytes from %d on, the %d from %d on are %#lx\n", n, first, width, i, x);
        ARMCI_Error("halves", 1);
      }
    }
}

static void store(volatile uint64_t *words, volatile int *stop) {
  for (uint64_t x = 0; !*stop; x = ~x)
    for (int i = 0; i < WORDS; i++)
      words[i] = x;
}

static void look(volatile uint64_t *words, volatile int *stop) {
  while (!*stop)
    for (int i = 0; i < WORDS - 1; i++) { // half of the last word is never put
      uint64_t x = words[i];
      check((const char *)&x, 0, sizeof x);
    }
}

// Transfers parts of every length from every place, in one block and in two.
static void transfer(int turns, int put) {
  static char bytes[2 * BYTES];
  for (int turn = 0; turn < turns; turn++) {
    int first = turn % 13, n = 1 + turn % (BYTES - 13), rows[] = {n / 2, 2}, stride[] = {BYTES / 2};
    char *far = (char *)block[0] + first;
    if (put) {
      memset(bytes, turn & 1 ? -1 : 0, sizeof bytes);
      ARMCI_Put(bytes + turn % 8, block[0], BYTES - 4, 0);
      continue;
    }
    ARMCI_Get(far, bytes, n, 0);
    check(bytes, first, n);
    if (n >= 2) {
      ARMCI_GetS(far, stride, bytes, stride, rows, 1, 0);
      check(bytes, first, n / 2);
      check(bytes + BYTES / 2, first + BYTES / 2, n / 2);
    }
  }
}

int main(int argc, char **argv) {
  if (ARMCI_Init_args(&argc, &argv) != 0 || argc != 2 || ARMCI_Malloc(block, BYTES + 64) != 0)
    return 2;
  for (int put = 0; put <= 1; put++) {
    int *stop = (int *)((char *)block[0] + BYTES + 4 * put);
    ARMCI_Barrier();
    if (armci_msg_me() == 0)
      (put ? look : store)(block[0], stop);
    else {
      transfer(atoi(argv[1]), put);
      ARMCI_PutValueInt(1, stop, 0);
      ARMCI_Fence(0);
    }
  }
  return ARMCI_Finalize();
}
