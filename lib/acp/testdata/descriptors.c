// The last rank closes all descriptors, opens files in DIRECTORY under their numbers, and
// does nothing or goes on.
//
//     descriptors quiet|busy|again DIRECTORY
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <fcntl.h>

enum { FILES = 400 };

static int count_descriptors(void) {
  DIR *d = opendir("/proc/self/fd");
  CHECK(d != NULL);
  int n = 0;
  while (readdir(d) != NULL)
    n++;
  closedir(d);
  return n;
}

// The program owns the numbers that it has freed, also after it initializes the library again.
static void again(int argc, char **argv) {
  int first = 0;
  for (int i = 0; i < 20; i++) {
    int before = open("/dev/null", O_RDONLY);
    close(before);
    CHECK(acp_init(&argc, &argv) == 0);
    int between = open("/dev/null", O_RDONLY);
    close(between);
    CHECK(i == 0 || between == before); // the Go runtime may just be starting
    CHECK(acp_finalize() == 0);
    if (i == 2)
      first = count_descriptors();
  }
  CHECK(count_descriptors() == first);
}

static void close_all(const char *directory) {
  for (int i = 3; i < 1000; i++)
    close(i);
  for (int i = 0; i < FILES; i++) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%d", directory, i);
    open(name, O_RDWR | O_CREAT | O_TRUNC, 0600); // fails if the process is ending
  }
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  if (strcmp(argv[1], "again") == 0) {
    again(argc, argv);
    return 0;
  }
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank(), last = rank == acp_procs() - 1;
  acp_ga_t mine = acp_query_starter_ga(rank), theirs = acp_query_starter_ga(0);
  acp_complete(acp_copy(theirs + 8, mine, 8, ACP_HANDLE_NULL));
  acp_sync();
  if (last)
    close_all(argv[2]);
  if (last && strcmp(argv[1], "quiet") == 0)
    pause();
  for (;;) {
    acp_complete(acp_copy(theirs + 8, mine, 8, ACP_HANDLE_NULL));
    acp_sync();
  }
}
