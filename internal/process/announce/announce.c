#define _GNU_SOURCE // F_DUPFD_CLOEXEC
#include "announce.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

// The name of the socket beside the token file, as bridge.StartedSocketName.
static const char socket_name[] = "started";

// How often interrupted waiting begins again. Each time takes no longer than answer_limit.
enum { max_interrupts = 1000 };

static const struct timeval answer_limit = {.tv_sec = 1};

static int announced; // 1: this process has done its part

// Puts the path of the socket into an address. Returns 0 if this process belongs to no run.
static int find_socket(struct sockaddr_un *address) {
  const char *token = getenv("ACP_TOKEN_FILE");
  const char *slash = token != NULL ? strrchr(token, '/') : NULL;
  if (slash == NULL || (size_t)(slash + 1 - token) + sizeof socket_name > sizeof address->sun_path)
    return 0;
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  memcpy(address->sun_path, token, (size_t)(slash + 1 - token));
  memcpy(address->sun_path + (slash + 1 - token), socket_name, sizeof socket_name);
  return 1;
}

// Returns the lowest number for the connection. When a process ends, the kernel closes the files with the
// highest numbers first. This one must come before that of PMI, by which Hydra sees the end.
static int lowest_number(void) {
  enum { usual = 500 };
  const char *pmi = getenv("PMI_FD");
  int lowest = pmi != NULL ? atoi(pmi) + 1 : 0;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 2 < usual)
    return lowest > (int)(limit.rlim_cur / 2) ? lowest : (int)(limit.rlim_cur / 2);
  return lowest > usual ? lowest : usual;
}

// Connects, and returns the connection if macprun has answered, otherwise -1.
static int tell(const struct sockaddr_un *address) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -1;
  (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &answer_limit, sizeof answer_limit); // of connect
  (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &answer_limit, sizeof answer_limit);
  int high = fcntl(fd, F_DUPFD_CLOEXEC, lowest_number());
  if (high >= 0) {
    (void)close(fd);
    fd = high;
  }
  if (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0) {
    char answer;
    ssize_t n = -1;
    for (int i = 0; i < max_interrupts && (n = recv(fd, &answer, 1, 0)) < 0 && errno == EINTR; i++)
      ;
    if (n == 1)
      return fd;
  }
  (void)close(fd);
  return -1;
}

__attribute__((constructor(101))) void goacp_announce(void) {
  struct sockaddr_un address;
  int error = errno;
  if (!__atomic_exchange_n(&announced, 1, __ATOMIC_ACQ_REL) && find_socket(&address))
    (void)tell(&address); // the connection stays open until the process ends
  errno = error;
}
