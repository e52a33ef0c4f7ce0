// What the code in docs/dmi.md uses without declaring it.

#include <dmi_api.h>
#include <stdlib.h>

enum { MAX = 100 };

extern int64_t at;
extern int32_t i, n, known, step, steps, threads;
extern DMI_node_t nodes[MAX];
extern char buffer[128][4096];

void compute(void);
