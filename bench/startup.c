/* Prints when acp_init returned, in nanoseconds of the system's clock (date +%s%N). */

#include <acp.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv) {
  if (acp_init(&argc, &argv) != 0)
    return 1;
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  printf("%lld\n", t.tv_sec * 1000000000ll + t.tv_nsec);
  fflush(stdout);
  return acp_finalize();
}
