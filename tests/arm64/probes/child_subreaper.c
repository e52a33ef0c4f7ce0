// A process becomes the parent of orphans below it (PR_SET_CHILD_SUBREAPER).
#include <sys/prctl.h>

int main(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0; }
