/*
 * Strangers: connections that are opened and then send nothing, until standard input ends.
 *
 *     crowd COUNT UID ADDRESS PORT [ADDRESS PORT …]
 *
 * It opens COUNT connections to each address, as the user UID, and prints "open".
 * Connections that cannot be opened at once are left out.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { POLL_LIMIT = 200 }; /* milliseconds */

static void open_one(const struct sockaddr_in *to)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct pollfd out = {.fd = fd, .events = POLLOUT};

    if (fd < 0) {
        perror("socket");
        exit(EXIT_FAILURE);
    }
    if (connect(fd, (const struct sockaddr *)to, sizeof *to) != 0 && errno == EINPROGRESS)
        (void)poll(&out, 1, POLL_LIMIT);
}

int main(int argc, char **argv)
{
    struct rlimit files;

    if (argc < 5 || getrlimit(RLIMIT_NOFILE, &files) != 0)
        return EXIT_FAILURE;
    files.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0 || setuid((uid_t)atoi(argv[2])) != 0) {
        perror("setrlimit or setuid");
        return EXIT_FAILURE;
    }
    for (int i = 0; i < atoi(argv[1]); i++)
        for (int a = 3; a + 1 < argc; a += 2) {
            struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((in_port_t)atoi(argv[a + 1]))};
            if (inet_pton(AF_INET, argv[a], &to.sin_addr) != 1)
                return EXIT_FAILURE;
            open_one(&to);
        }
    printf("open\n");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return EXIT_SUCCESS;
}
