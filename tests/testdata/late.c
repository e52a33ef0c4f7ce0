// Preloaded into a process, it lets shutdown(2), and so the end of a connection, wait for 0.3 s.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

int shutdown(int socket, int how) {
  int (*real)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "shutdown");
  usleep(300000);
  return real(socket, how);
}
