// What the code in docs/couple-implicit.md and docs/couplers.md uses without declaring it.

#include <acp_couple.h>

extern acp_model_t wall, flow, solid;
extern acp_link_t shape, load;
extern acp_implicit_t both;
extern int cells, steps, n;
extern double *area, *pressure, *displacement;
extern double state[100];
extern int64_t bytes;

void open_links(void);
void deform(double *area, const double *pressure, void *state);
void solve(const double *area, double *pressure, void *state);
