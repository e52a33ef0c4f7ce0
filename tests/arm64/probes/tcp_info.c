// The kernel counts the bytes of a connection (TCP_INFO).
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

int main(void) {
  struct tcp_info info;
  socklen_t size = sizeof info;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  return fd < 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || size < sizeof info;
}
